// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.state;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.Supplier;

import io.ge.redis.RedisUnavailableException;
import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.core.script.ScriptCall;
import io.ge.redis.core.script.ScriptReply;
import io.ge.redis.core.structure.StructureCalls;
import org.jspecify.annotations.Nullable;

/**
 * One call that is sent again when its reply was lost, such as with its connection, until
 * the time of a call is over. A script that changes something knows the operation by its
 * id, so it is applied once; the others may be repeated. A call that was not sent, or was
 * refused, fails at once.
 */
final class RedisAttempts {

	private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(4);

	private static final int DOUBLINGS = 4;

	private static final long LONGEST_PAUSE_NANOS = FIRST_PAUSE_NANOS << DOUBLINGS;

	private final StructureCalls redis;

	private final boolean change;

	private final LongFunction<ScriptCall> calls;

	private final CallBudget budget;

	/** The time for all attempts. */
	private final long totalMillis;

	private int retries;

	/** The first loss of a reply. Attempts follow one another. */
	private @Nullable Throwable lost;

	private RedisAttempts(StructureCalls redis, boolean change, LongFunction<ScriptCall> calls) {
		this.redis = redis;
		this.change = change;
		this.calls = calls;
		this.budget = redis.newBudget();
		this.totalMillis = TimeUnit.NANOSECONDS.toMillis(this.budget.remainingNanos()) + 1;
	}

	/**
	 * Runs a script, and applies a change once, even if replies are lost.
	 * @param calls makes the call of an attempt, for which it gets how many milliseconds
	 * ago the first one was sent at most; 0 for the first
	 * @return completes with the reply, or exceptionally with the first loss if no
	 * attempt has shown its outcome
	 */
	static CompletableFuture<ScriptReply> run(StructureCalls redis, boolean change, LongFunction<ScriptCall> calls) {
		return new RedisAttempts(redis, change, calls).attempt();
	}

	private CompletableFuture<ScriptReply> attempt() {
		ScriptCall call = this.calls.apply((this.lost != null) ? this.totalMillis : 0);
		return this.redis.run(call, this.budget, (reply) -> reply).handle(this::ended).thenCompose(Function.identity());
	}

	private CompletionStage<ScriptReply> ended(@Nullable ScriptReply reply, @Nullable Throwable failure) {
		Throwable lost = this.lost;
		if (failure == null) {
			ScriptReply replied = Objects.requireNonNull(reply);
			return (this.change && lost != null && replied.text(0).equals("unknown"))
					? CompletableFuture.failedFuture(lost) : CompletableFuture.completedFuture(replied);
		}
		Throwable cause = Waiting.cause(failure);
		boolean again = cause instanceof RedisUnavailableException unavailable
				&& (lost != null || unavailable.isOutcomeUnknown());
		if (!again) {
			return CompletableFuture.failedFuture(cause);
		}
		Throwable first = (lost != null) ? lost : cause;
		this.lost = first;
		long pause = pause(this.retries++);
		if (this.budget.remainingNanos() <= pause) {
			return CompletableFuture.failedFuture(first);
		}
		this.budget.spend(pause);
		return later(pause, this::attempt);
	}

	/** Returns a random pause in nanoseconds, longer after each one. */
	static long pause(int times) {
		long most = (times < DOUBLINGS) ? FIRST_PAUSE_NANOS << times : LONGEST_PAUSE_NANOS;
		return ThreadLocalRandom.current().nextLong(most / 2, most);
	}

	static <T> CompletableFuture<T> later(long nanos, Supplier<CompletableFuture<T>> call) {
		return CompletableFuture.supplyAsync(call, CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS))
			.thenCompose(Function.identity());
	}

}
