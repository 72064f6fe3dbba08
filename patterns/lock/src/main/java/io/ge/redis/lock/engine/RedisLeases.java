/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock.engine;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import io.ge.redis.core.key.RedisKey;
import io.ge.redis.core.outage.GuardedRedis;
import io.ge.redis.core.outage.Replication;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptCall;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

/**
 * Leases in Redis, which are extended together, whatever they are leases of.
 */
abstract class RedisLeases {

	/**
	 * Leases are extended between one half of their interval and the whole, so that ten
	 * thousand locks take at most twenty calls, and a server needs two milliseconds for
	 * one.
	 */
	private static final int MOST_AT_ONCE = 1200;

	final GuardedRedis redis;

	/** The name of this instance in Redis. */
	final byte[] instance;

	private final BooleanSupplier clustered;

	RedisLeases(GuardedRedis redis, byte[] instance, BooleanSupplier clustered) {
		this.redis = redis;
		this.instance = instance;
		this.clustered = clustered;
	}

	/**
	 * Returns what extends leases.
	 */
	abstract LuaScript renewScript();

	/**
	 * Returns what extends a lease that replicas are to confirm.
	 */
	abstract LuaScript confirmScript();

	/**
	 * Returns the keys of a lock that its lease is about.
	 */
	abstract List<RedisKey> leaseKeys(RedisLockKey key);

	/**
	 * Extends leases: on a Cluster with one call for each slot, else with one for each
	 * {@value #MOST_AT_ONCE} locks, all sent at once.
	 * @param extended told of each answer: the lease, and whether the handle still held
	 * the lock
	 * @param failed told of those that Redis has not answered
	 */
	public void renew(List<LeaseRenewal> renewals, BiConsumer<LeaseRenewal, Boolean> extended,
			Consumer<LeaseRenewal> failed) {
		for (List<LeaseRenewal> batch : batches(renewals)) {
			this.redis.run(call(renewScript(), batch), this.redis.newBudget()).whenComplete((reply, failure) -> {
				if (failure != null) {
					batch.forEach(failed);
					return;
				}
				for (int i = 0; i < batch.size(); i++) {
					extended.accept(batch.get(i), reply.number(i) > 0);
				}
			});
		}
	}

	private Collection<List<LeaseRenewal>> batches(List<LeaseRenewal> renewals) {
		if (renewals.size() == 1) {
			return List.of(renewals);
		}
		if (this.clustered.getAsBoolean()) {
			Map<Integer, List<LeaseRenewal>> slots = new HashMap<>();
			for (LeaseRenewal renewal : renewals) {
				slots.computeIfAbsent(slot(renewal), (slot) -> new ArrayList<>()).add(renewal);
			}
			return slots.values();
		}
		List<List<LeaseRenewal>> batches = new ArrayList<>();
		for (int from = 0; from < renewals.size(); from += MOST_AT_ONCE) {
			batches.add(renewals.subList(from, Math.min(renewals.size(), from + MOST_AT_ONCE)));
		}
		return batches;
	}

	private static int slot(LeaseRenewal renewal) {
		return ClusterSlotHashUtil.calculateSlot(renewal.key().lock().bytes());
	}

	/**
	 * Has replicas confirm that a handle holds its lock. Extends the lease, which comes
	 * after everything that made the handle the holder, and creates nothing: arriving
	 * late, after a release or a loss, it finds nothing to extend.
	 * @return completes when enough have, else with {@code RedisUnavailableException}
	 */
	public CompletableFuture<Void> confirm(LeaseRenewal renewal, LockSettings settings) {
		Replication replication = new Replication(settings.replicas(), settings.syncTimeout(),
				"The lock '" + settings.name() + "'",
				"It was given up. Repair the replicas, or change ge.redis.lock.replicas or ge.redis.lock.sync-timeout"
						+ " (for this lock alone: ge.redis.lock.locks." + settings.name() + ".*).");
		return this.redis
			.runReplicated(call(confirmScript(), List.of(renewal)), replication, (reply) -> reply.number(0) > 0)
			.thenApply((reply) -> null);
	}

	private ScriptCall call(LuaScript script, List<LeaseRenewal> renewals) {
		List<RedisKey> all = new ArrayList<>();
		Object[] arguments = new Object[1 + 2 * renewals.size()];
		arguments[0] = this.instance;
		for (int i = 0; i < renewals.size(); i++) {
			LeaseRenewal renewal = renewals.get(i);
			all.addAll(leaseKeys(renewal.key()));
			arguments[1 + 2 * i] = renewal.handle();
			arguments[2 + 2 * i] = renewal.lease().toMillis();
		}
		return ScriptCall.of(script, all, arguments);
	}

}
