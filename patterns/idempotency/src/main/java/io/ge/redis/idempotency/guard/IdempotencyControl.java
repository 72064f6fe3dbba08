/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency.guard;

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
import io.ge.redis.idempotency.engine.Caller;
import io.ge.redis.idempotency.engine.IdempotencyReport;
import io.ge.redis.idempotency.engine.IdempotencyRequest;
import io.ge.redis.idempotency.engine.RedisIdempotency;
import io.ge.redis.idempotency.engine.RedisIdempotencyKey;
import org.jspecify.annotations.Nullable;

/**
 * View of idempotency keys for operators, and their actions, while the application runs.
 * Keys are never shown: their hash tells them from each other, and it is also the
 * {@code id} of the row in the table {@code ge_idempotency}, where there is one.
 * <p>
 * Methods that ask Redis throw {@link io.ge.redis.core.outage.RedisUnavailableException}
 * while it is unavailable.
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
	 * Returns whether an annotation or a property knows an operation of a name. Others
	 * may be called in code.
	 * @param name the name
	 * @return whether it is known
	 */
	public boolean exists(String name) {
		return this.operations.exists(name);
	}

	/**
	 * Lists the keys that calls of any instance have claimed, or were refused, lately.
	 * Each instance remembers those in flight and the last 128, and is asked for at most
	 * 100. One message, one from each instance, which are waited for half a second at
	 * most, and one script call for each key that is listed.
	 * @return what they have told, as far as Redis still knows it
	 */
	public Listing list() {
		Reports.Collected<IdempotencyReport> collected = this.reports.collect(Reports.Filter.ALL);
		List<Instance> instances = new ArrayList<>();
		List<RedisIdempotencyKey> told = new ArrayList<>();
		collected.reports().forEach((id, report) -> {
			instances.add(new Instance(id, report.process(), report.inFlight(), report.keys().size()));
			report.keys().forEach((key) -> told.add(this.redis.key(key.operation(), key.record())));
		});
		return new Listing(collected.instance(), instances, collected.silent(), look(told));
	}

	private List<IdempotencyRecord> look(List<RedisIdempotencyKey> told) {
		List<CompletableFuture<IdempotencyRecord>> looks = told.stream()
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
	 * Finds a key that is listed.
	 * @param operation the name of the operation
	 * @param hash as it is listed
	 * @return the key, or {@code null} if no instance that answered remembers it
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

	/**
	 * Returns whether all callers of an operation share its keys.
	 * @param operation the name of the operation
	 * @return whether its scope is {@link IdempotencyScope#GLOBAL}
	 */
	public boolean isShared(String operation) {
		return this.operations.get(operation).scope() == IdempotencyScope.GLOBAL;
	}

	/**
	 * Names a key, whether it was used or not.
	 * @param operation the name of the operation
	 * @param issuer who has named the principal, or {@code null} if nobody
	 * @param principal whose key it is, or {@code null} for an anonymous caller and for
	 * keys that all share
	 * @param key the parts of the key
	 * @return the key
	 */
	public Found key(String operation, @Nullable String issuer, @Nullable String principal, List<String> key) {
		Caller caller = (principal != null) ? new Caller(issuer, principal) : null;
		return new Found(this.redis
			.key(new IdempotencyRequest(this.operations.get(operation), caller, List.copyOf(key), new byte[0])));
	}

	/**
	 * Looks up the record of a key: one script call.
	 * @param key the key
	 * @return the record
	 */
	public IdempotencyRecord look(Found key) {
		return Waiting.await(this.redis.look(key.key));
	}

	/**
	 * Frees a key, so that the next call with it runs: one script call.
	 * <p>
	 * With transactional records that call first looks for the row of the effect, and is
	 * answered from it if there is one, so what the database knows happens no second
	 * time. Without one it may. The call that had claimed the key, if it is still in
	 * progress, is not stopped: it can store nothing any more, which is logged and told
	 * as {@link IdempotencyEvent.Outcome#LEASE_LOST}.
	 * @param key the key
	 * @param fence the fence of the call that loses the key. A call in progress only does
	 * if it is named; {@code null} names none
	 * @return what came of it
	 */
	public IdempotencyRecord.Clearing clear(Found key, @Nullable Long fence) {
		return Waiting.await(this.redis.clear(key.key, fence));
	}

	/**
	 * A key, which is not to be seen.
	 */
	public static final class Found {

		private final RedisIdempotencyKey key;

		private Found(RedisIdempotencyKey key) {
			this.key = key;
		}

	}

	/**
	 * The keys of all instances.
	 *
	 * @param instance the id of the instance that has asked
	 * @param instances those that have answered
	 * @param silent the ids of those that are known and have not answered in time
	 * @param keys the keys, at most 100: those in flight first, then those that were
	 * claimed last
	 */
	public record Listing(String instance, List<Instance> instances, Set<String> silent, List<IdempotencyRecord> keys) {
	}

	/**
	 * The report of an instance.
	 *
	 * @param id the id of the instance
	 * @param process number and host of its process
	 * @param inFlight how many of its calls are in flight
	 * @param told how many keys it has named, be it that they have expired since
	 */
	public record Instance(String id, String process, int inFlight, int told) {
	}

}
