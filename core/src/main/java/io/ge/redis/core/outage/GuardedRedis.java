// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.outage;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.ge.redis.OutageCause;
import io.ge.redis.RedisUnavailableException;
import io.ge.redis.core.connection.Shard;
import io.ge.redis.core.key.RedisKey;
import io.ge.redis.core.script.ScriptCall;
import io.ge.redis.core.script.ScriptExecutor;
import io.ge.redis.core.script.ScriptReply;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

/**
 * The only way in which a pattern calls Redis. A call ends within the budget with a
 * reply, or with {@link RedisUnavailableException} and the cause; while the breaker is
 * open for the key it ends at once.
 */
public final class GuardedRedis {

	private static final Deadlines DEADLINES = new Deadlines();

	private final String pattern;

	private final ScriptExecutor scripts;

	private final Breaker breaker;

	private final Compensations compensations;

	public GuardedRedis(String pattern, ScriptExecutor scripts, Breaker breaker, Compensations compensations) {
		this.pattern = pattern;
		this.scripts = scripts;
		this.breaker = breaker;
		this.compensations = compensations;
	}

	public CallBudget newBudget() {
		return CallBudget.of(this.breaker.patience());
	}

	/**
	 * Returns whether keys of different slots may live on different servers, so that one
	 * script must not touch both.
	 */
	public boolean isClustered() {
		return this.scripts.isClustered();
	}

	/**
	 * Groups keys that one script may take together: all keys, on a Cluster the keys of
	 * each slot.
	 * @param most how many keys a group has at most
	 * @return the positions of the keys
	 */
	public List<List<Integer>> groups(List<RedisKey> keys, int most) {
		List<List<Integer>> groups = new ArrayList<>();
		Map<Integer, List<Integer>> bySlot = new HashMap<>();
		for (int i = 0; i < keys.size(); i++) {
			int slot = isClustered() ? ClusterSlotHashUtil.calculateSlot(keys.get(i).bytes()) : 0;
			List<Integer> group = bySlot.get(slot);
			if (group == null || group.size() == most) {
				group = new ArrayList<>();
				bySlot.put(slot, group);
				groups.add(group);
			}
			group.add(i);
		}
		return groups;
	}

	/**
	 * Returns whether calls on all keys are refused at present.
	 */
	public boolean isUnavailable() {
		return this.breaker.openCause(null) != null;
	}

	/**
	 * Returns whether calls on a key are refused at present.
	 * @param key supplies the key; called only if calls on some keys are refused and
	 * calls on others are not
	 */
	public boolean isUnavailable(Supplier<RedisKey> key) {
		return isUnavailable() || (this.breaker.isOpen() && this.breaker.openCause(key.get().bytes()) != null);
	}

	/**
	 * Adds an action for each time when Redis is available again.
	 * @param action must not block
	 */
	public void onRecovery(Runnable action) {
		this.breaker.onRecovery(action);
	}

	/**
	 * Runs a script whose unknown outcome needs no compensation.
	 */
	public CompletableFuture<ScriptReply> run(ScriptCall call, CallBudget budget) {
		return run(call, budget, null);
	}

	/**
	 * Runs a script and compensates an unknown outcome: at once, and once more if a late
	 * reply shows that the command was still under way.
	 * @param compensation creates the call that undoes it, if needed; without effect
	 * where the call did not run
	 * @param useful the lifetime in Redis of the effect of the call
	 */
	public CompletableFuture<ScriptReply> run(ScriptCall call, CallBudget budget, Supplier<ScriptCall> compensation,
			Duration useful) {
		return run(call, budget, () -> compensate(compensation.get(), useful));
	}

	/**
	 * Runs a script on a connection of its own and waits until replicas have its writes.
	 * Too few replicas, or an unknown number, are a failure with the cause
	 * {@link OutageCause#REPLICAS}, which opens no breaker. The wait is no part of any
	 * budget.
	 * @param call only extends existing keys; of a script without flags
	 * @param standing whether the reply shows that the keys exist
	 */
	public CompletableFuture<ScriptReply> runReplicated(ScriptCall call, Replication wanted,
			Predicate<ScriptReply> standing) {
		OutageCause open = this.breaker.openCause(call.firstKey());
		if (open != null) {
			return CompletableFuture
				.failedFuture(unavailable(this.breaker.closedServer(call.firstKey()), open, false, null));
		}
		return this.scripts.runReplicated(call, wanted.replicas(), wanted.timeout(), this.breaker.patience())
			.handle((replicated, failure) -> {
				if (failure == null && replicated.acknowledged() >= wanted.replicas()
						&& standing.test(replicated.reply())) {
					return replicated.reply();
				}
				Throwable cause = (failure != null) ? Waiting.cause(failure) : null;
				throw unreplicated(call, wanted.problem(replicated, cause), cause);
			});
	}

	private RedisUnavailableException unreplicated(ScriptCall call, String problem, @Nullable Throwable failure) {
		Shard shard = this.breaker.shardOf(call.firstKey());
		RedisUnavailableException unreplicated = new RedisUnavailableException(this.breaker.server(shard), this.pattern,
				problem, OutageCause.REPLICAS, false, failure);
		this.breaker.failed(this.pattern, shard, call.firstKey(), OutageCause.REPLICAS, unreplicated);
		return unreplicated;
	}

	private CompletableFuture<ScriptReply> run(ScriptCall call, CallBudget budget, @Nullable Runnable compensation) {
		byte[] key = call.firstKey();
		OutageCause open = this.breaker.openCause(key);
		if (open != null) {
			return CompletableFuture.failedFuture(unavailable(this.breaker.closedServer(key), open, false, null));
		}
		long remaining = budget.remainingNanos();
		Shard shard = this.breaker.shardOf(key);
		if (remaining <= 0) {
			return CompletableFuture
				.failedFuture(unavailable(this.breaker.server(shard), OutageCause.TIMEOUT, false, null));
		}
		long started = System.nanoTime();
		CompletableFuture<ScriptReply> sent = this.scripts.run(call, remaining, compensation);
		DEADLINES.watch(sent, remaining);
		return sent.handle((reply, failure) -> {
			budget.spend(System.nanoTime() - started);
			if (failure == null) {
				this.breaker.succeeded(shard);
				return reply.failing((problem) -> unreadable(shard, key, problem));
			}
			RedisUnavailableException unavailable = failed(shard, key, failure);
			if (compensation != null && unavailable.isOutcomeUnknown()) {
				compensation.run();
			}
			throw unavailable;
		});
	}

	/**
	 * Sends a script that must reach Redis in the end, such as a release: now, and again
	 * until Redis has answered.
	 * @param call idempotent
	 * @param useful the time after which it is given up
	 */
	public void compensate(ScriptCall call, Duration useful) {
		this.compensations.submit(call, useful);
	}

	/**
	 * Repeats an acknowledged write if Sentinel names another primary within
	 * {@code ge.redis.outage.failover-repair}.
	 * @param call idempotent
	 * @param primary {@link #newPrimaries()} when the write was sent
	 */
	public void repeatOnNewPrimary(ScriptCall call, int primary) {
		this.compensations.acknowledged(call, primary);
	}

	/** Returns how often a new primary may have lost held locks. */
	public int newPrimaries() {
		return this.compensations.newPrimaries();
	}

	/**
	 * Compensates the effect of a call before the failed one, unless the failed one's
	 * compensation does: it is sent only if it is unknown whether the failed call ran.
	 * @param useful the time after which it is given up
	 */
	public void compensateUnlessUnknown(Throwable failure, Supplier<ScriptCall> compensation, Duration useful) {
		if (Waiting.cause(failure) instanceof RedisUnavailableException unavailable
				&& !unavailable.isOutcomeUnknown()) {
			compensate(compensation.get(), useful);
		}
	}

	private RedisUnavailableException failed(@Nullable Shard shard, byte @Nullable [] key, Throwable failure) {
		Throwable cause = Waiting.cause(failure);
		OutageCause reason = (cause instanceof TimeoutException) ? OutageCause.TIMEOUT : OutageCauses.of(failure);
		this.breaker.failed(this.pattern, shard, key, reason, failure);
		return (reason == OutageCause.ERROR) ? error(shard, key, String.valueOf(cause.getMessage()), cause)
				: unavailable(this.breaker.server(shard), reason, reason.leavesOutcomeUnknown(), cause);
	}

	/**
	 * Makes the failure of a reply that was not written by us.
	 */
	private RedisUnavailableException unreadable(@Nullable Shard shard, byte @Nullable [] key, String problem) {
		RedisUnavailableException unreadable = error(shard, key, problem, null);
		this.breaker.failed(this.pattern, shard, key, OutageCause.ERROR, unreadable);
		return unreadable;
	}

	private RedisUnavailableException error(@Nullable Shard shard, byte @Nullable [] key, String problem,
			@Nullable Throwable cause) {
		String at = (key != null) ? " at '" + new String(key, StandardCharsets.UTF_8) + "'" : "";
		return new RedisUnavailableException(this.breaker.server(shard), this.pattern, "error" + at + ": " + problem,
				OutageCause.ERROR, false, cause);
	}

	/** Makes the failure of a call after its pattern has closed. */
	public RedisUnavailableException closed() {
		return unavailable(this.breaker.server(null), OutageCause.CLOSED, false, null);
	}

	private RedisUnavailableException unavailable(String server, OutageCause reason, boolean unknown,
			@Nullable Throwable cause) {
		return new RedisUnavailableException(server, this.pattern, reason.tag(), reason, unknown, cause);
	}

}
