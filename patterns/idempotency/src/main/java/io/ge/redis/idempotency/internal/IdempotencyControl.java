// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.ge.redis.core.bus.Reports;
import io.ge.redis.core.endpoint.GuardRequest;
import io.ge.redis.core.endpoint.GuardRequestException;
import io.ge.redis.core.endpoint.GuardResource;
import io.ge.redis.core.event.GuardFigures;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.idempotency.IdempotencyEvent;
import io.ge.redis.idempotency.IdempotencyRecord;
import io.ge.redis.idempotency.IdempotencyScope;
import io.ge.redis.idempotency.IdempotencySettings;
import io.ge.redis.idempotency.internal.IdempotencyRequest.Caller;

/**
 * {@code /actuator/geredis/idempotency} lists the keys that calls of any instance claimed
 * recently. {@code /actuator/geredis/idempotency/<operation>?key=42} shows one key. A
 * delete frees it for the next call. While a call with the key is running, a delete must
 * name that call by its {@code fence}.
 * <p>
 * A key of several parts is given by repeating the parameter. Unless all callers share
 * the keys, a key belongs to a {@code principal}, with the {@code issuer} of its token if
 * it has one. Without a principal, it belongs to anonymous callers. A listed key can also
 * be named by its {@code hash}, since keys are not shown. The hash is also the {@code id}
 * of the row in the table {@code ge_idempotency}, where there is one.
 */
final class IdempotencyControl extends GuardResource {

	private static final String PATTERN = "idempotency";

	private static final String KEY = "key";

	private static final String HASH = "hash";

	private static final String PRINCIPAL = "principal";

	private static final String ISSUER = "issuer";

	private static final String FENCE = "fence";

	/** Bounds what one listing costs Redis. */
	private static final int MOST_LOOKS = 100;

	private final IdempotencyRegistry operations;

	private final Supplier<RedisIdempotency> redis;

	private final Supplier<Reports<IdempotencyReport>> reports;

	private final GuardFigures figures;

	IdempotencyControl(IdempotencyRegistry operations, Supplier<RedisIdempotency> redis,
			Supplier<Reports<IdempotencyReport>> reports, GuardFigures figures) {
		super(PATTERN);
		this.operations = operations;
		this.redis = redis;
		this.reports = reports;
		this.figures = figures;
	}

	@Override
	public Object read(GuardRequest request) {
		request.allowOnly(KEY, HASH, PRINCIPAL, ISSUER);
		String operation = request.name(this.operations::exists);
		if (operation.isEmpty()) {
			request.allowOnly();
			return list();
		}
		IdempotencyRecord look = Waiting.await(this.redis.get().look(key(operation, request)));
		if (look.state() == IdempotencyRecord.State.NONE) {
			requireKnown(operation);
		}
		return look;
	}

	/**
	 * Frees a key, so that the next call with it runs: one script call.
	 * <p>
	 * With transactional records that call is answered from the row of the effect, if
	 * there is one; without one the effect may happen again. A call in progress that had
	 * claimed the key is not stopped, but can store nothing any more. That is logged and
	 * reported as {@link IdempotencyEvent.Outcome#LEASE_LOST}.
	 */
	@Override
	public Object delete(GuardRequest request) {
		request.allowOnly(KEY, HASH, PRINCIPAL, ISSUER, FENCE);
		String operation = request.name("operation", this.operations::exists);
		Long fence = request.number(FENCE);
		IdempotencyRecord.Clearing clearing = Waiting.await(this.redis.get().clear(key(operation, request), fence));
		if (clearing.fence() != null) {
			throw GuardRequestException.invalid(FENCE,
					(fence != null) ? "The key was claimed by a call with another fence."
							: "A call with this key is running, or its outcome is unknown.",
					"Look at the key. If its call may lose it, add ?fence=" + clearing.fence()
							+ ". The call is not stopped. Without a transactional record, the effect may happen twice.");
		}
		if (!clearing.cleared()) {
			requireKnown(operation);
		}
		return new ClearReport(operation, clearing.cleared());
	}

	/**
	 * Refuses a name that neither an annotation nor a property has, and no code of this
	 * instance has used.
	 */
	private void requireKnown(String operation) {
		if (!this.operations.exists(operation) && this.figures.of(PATTERN, operation).isEmpty()) {
			throw GuardRequestException.notFound(
					"This instance knows no operation '" + operation + "', and Redis has no such key of it.",
					"List the keys, without a name in the path.");
		}
	}

	private RedisIdempotencyKey key(String operation, GuardRequest request) {
		String hash = request.text(HASH);
		List<String> key = request.texts(KEY);
		request.allowOneOf(HASH, KEY);
		request.allowOneOf(HASH, PRINCIPAL);
		if (hash != null) {
			return find(operation, hash);
		}
		if (key.isEmpty()) {
			throw GuardRequestException.invalid(KEY, "key is missing.",
					"Add it, such as ?key=42, and repeat it for a key of several parts, or give the hash of a key that "
							+ "is listed.");
		}
		IdempotencySettings settings = this.operations.get(operation);
		String principal = request.text(PRINCIPAL);
		String issuer = request.text(ISSUER);
		if (principal != null && settings.scope() == IdempotencyScope.GLOBAL) {
			throw GuardRequestException.invalid(PRINCIPAL, "All callers share the keys of '" + operation + "'.",
					"Leave principal out.");
		}
		if (issuer != null && principal == null) {
			throw GuardRequestException.invalid(ISSUER, "issuer is given without principal.", "Add the principal.");
		}
		return this.redis.get().key(settings, (principal != null) ? new Caller(issuer, principal) : null, key);
	}

	private RedisIdempotencyKey find(String operation, String hash) {
		return this.reports.get()
			.collect(new Reports.Filter(operation, hash))
			.reports()
			.values()
			.stream()
			.flatMap((report) -> report.keys().stream())
			.findFirst()
			.map((key) -> this.redis.get().key(key.operation(), key.record()))
			.orElseThrow(() -> GuardRequestException.notFound(
					"No instance that answered remembers a key of '" + operation + "' with the hash '" + hash + "'.",
					"List the keys again, or give the key."));
	}

	/**
	 * Each instance remembers those in flight and the last 128, and reports at most 100.
	 * Costs one message and one from each instance, with a wait of half a second at most,
	 * and one script call for each listed key.
	 */
	private Listing list() {
		Reports.Collected<IdempotencyReport> collected = this.reports.get().collect(Reports.Filter.ALL);
		List<Instance> instances = new ArrayList<>();
		List<RedisIdempotencyKey> listed = new ArrayList<>();
		collected.reports().forEach((id, report) -> {
			instances.add(new Instance(id, report.process(), report.inFlight(), report.keys().size()));
			report.keys().forEach((key) -> listed.add(this.redis.get().key(key.operation(), key.record())));
		});
		return new Listing(collected.instance(), instances, collected.silent(), look(listed));
	}

	private List<IdempotencyRecord> look(List<RedisIdempotencyKey> keys) {
		List<CompletableFuture<IdempotencyRecord>> looks = keys.stream()
			.distinct()
			.limit(MOST_LOOKS)
			.map(this.redis.get()::look)
			.toList();
		return looks.stream()
			.map(Waiting::await)
			.filter((look) -> look.state() != IdempotencyRecord.State.NONE)
			.sorted(Comparator.comparing((IdempotencyRecord look) -> look.state() != IdempotencyRecord.State.IN_FLIGHT)
				.thenComparing((look) -> Objects.requireNonNullElse(look.age(), Duration.ZERO)))
			.toList();
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

	public record ClearReport(String operation, boolean cleared) {
	}

}
