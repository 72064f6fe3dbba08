// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.core.bus.Reports;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.idempotency.IdempotencyEvent;
import io.ge.redis.idempotency.IdempotencyRecord;
import io.ge.redis.idempotency.IdempotencyScope;
import io.ge.redis.idempotency.internal.IdempotencyRequest.Caller;
import org.jspecify.annotations.Nullable;

/**
 * View of idempotency keys for operators, and their actions, while the application runs.
 * Keys are never shown: their hash identifies them. It is also the {@code id} of the row
 * in the table {@code ge_idempotency}, where there is one.
 * <p>
 * Methods that ask Redis throw {@link io.ge.redis.RedisUnavailableException} while it is
 * unavailable.
 */
public final class IdempotencyControl {

	/** Bounds what one listing costs Redis. */
	private static final int MOST_LOOKS = 100;

	private final IdempotencyRegistry operations;

	private final RedisIdempotency redis;

	private final Reports<IdempotencyReport> reports;

	IdempotencyControl(IdempotencyRegistry operations, RedisIdempotency redis, Reports<IdempotencyReport> reports) {
		this.operations = operations;
		this.redis = redis;
		this.reports = reports;
	}

	/**
	 * Returns whether an annotation or a property knows an operation. Others may be
	 * called in code.
	 */
	public boolean exists(String name) {
		return this.operations.exists(name);
	}

	/**
	 * Lists the keys that calls of any instance have claimed, or were refused, lately.
	 * Each instance remembers those in flight and the last 128, and reports at most 100.
	 * Costs one message and one from each instance, with a wait of half a second at most,
	 * and one script call for each listed key.
	 */
	public Listing list() {
		Reports.Collected<IdempotencyReport> collected = this.reports.collect(Reports.Filter.ALL);
		List<Instance> instances = new ArrayList<>();
		List<RedisIdempotencyKey> listed = new ArrayList<>();
		collected.reports().forEach((id, report) -> {
			instances.add(new Instance(id, report.process(), report.inFlight(), report.keys().size()));
			report.keys().forEach((key) -> listed.add(this.redis.key(key.operation(), key.record())));
		});
		return new Listing(collected.instance(), instances, collected.silent(), look(listed));
	}

	private List<IdempotencyRecord> look(List<RedisIdempotencyKey> keys) {
		List<CompletableFuture<IdempotencyRecord>> looks = keys.stream()
			.distinct()
			.limit(MOST_LOOKS)
			.map(this.redis::look)
			.toList();
		return looks.stream()
			.map(Waiting::await)
			.filter((look) -> look.state() != IdempotencyRecord.State.NONE)
			.sorted(Comparator.comparing((IdempotencyRecord look) -> look.state() != IdempotencyRecord.State.IN_FLIGHT)
				.thenComparing((look) -> Objects.requireNonNullElse(look.age(), Duration.ZERO)))
			.toList();
	}

	/**
	 * Finds a key that is listed, or {@code null} if no instance that answered remembers
	 * it.
	 */
	public @Nullable Found find(String operation, String hash) {
		return this.reports.collect(new Reports.Filter(operation, hash))
			.reports()
			.values()
			.stream()
			.flatMap((report) -> report.keys().stream())
			.findFirst()
			.map((key) -> new Found(this.redis.key(key.operation(), key.record())))
			.orElse(null);
	}

	public boolean isShared(String operation) {
		return this.operations.get(operation).scope() == IdempotencyScope.GLOBAL;
	}

	/**
	 * Names a key, whether it was used or not.
	 * @param issuer the issuer that has named the principal, or {@code null} if there is
	 * none
	 * @param principal {@code null} for an anonymous caller and for keys that all share
	 */
	public Found key(String operation, @Nullable String issuer, @Nullable String principal, List<String> key) {
		Caller caller = (principal != null) ? new Caller(issuer, principal) : null;
		return new Found(this.redis.key(this.operations.get(operation), caller, key));
	}

	public IdempotencyRecord look(Found key) {
		return Waiting.await(this.redis.look(key.key));
	}

	/**
	 * Frees a key, so that the next call with it runs: one script call.
	 * <p>
	 * With transactional records that call is answered from the row of the effect, if
	 * there is one; without one the effect may happen again. A call in progress that had
	 * claimed the key is not stopped, but can store nothing any more. That is logged and
	 * reported as {@link IdempotencyEvent.Outcome#LEASE_LOST}.
	 * @param fence the fence of the call in progress that may lose the key, or
	 * {@code null} for none
	 */
	public IdempotencyRecord.Clearing clear(Found key, @Nullable Long fence) {
		return Waiting.await(this.redis.clear(key.key, fence));
	}

	public static final class Found {

		private final RedisIdempotencyKey key;

		private Found(RedisIdempotencyKey key) {
			this.key = key;
		}

	}

	/**
	 * The keys of all instances, at most 100: the ones in flight first, then the latest
	 * claims.
	 *
	 * @param silent the ids of instances that are known and have not answered in time
	 */
	public record Listing(String instance, List<Instance> instances, Set<String> silent, List<IdempotencyRecord> keys) {
	}

	/**
	 * The report of an instance.
	 *
	 * @param told how many keys it has named, including those that have expired since
	 */
	public record Instance(String id, String process, int inFlight, int told) {
	}

}
