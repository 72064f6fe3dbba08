// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.time.Duration;
import java.util.Arrays;
import java.util.Deque;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.ge.redis.OutageCause;
import io.ge.redis.RedisUnavailableException;
import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.bus.InstanceBus;
import io.ge.redis.core.bus.Reports;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.idempotency.OnDuplicate;
import org.jspecify.annotations.Nullable;

/**
 * Claims keys and ends claims, asynchronously. A granted claim is prolonged until it is
 * ended.
 * <p>
 * Calls of this instance with the same key are joined: one asks Redis, and the others get
 * the same decision, are refused without a command while it runs, or wait for its result.
 * The next call asks only if that one has freed or lost the key.
 * <p>
 * {@link CallCompletion} decides how a claim ends. {@link CallRecord} corrects that by
 * the row, and {@link IdempotentCall} by {@code onUnknownOutcome}.
 */
final class IdempotencyEngine {

	private static final String PATTERN = "idempotency";

	private static final int MOST_RECENT = 128;

	private static final Set<OutageCause> REFUSALS = EnumSet.of(OutageCause.OOM, OutageCause.NOPERM,
			OutageCause.MISCONF, OutageCause.ERROR);

	private final RedisIdempotency redis;

	private final Heartbeats heartbeats;

	private final Waiters waiters;

	private final Map<RedisIdempotencyKey, LocalCall> calls = new ConcurrentHashMap<>();

	/** The keys that were claimed or refused last, the latest first. */
	private final Deque<RedisIdempotencyKey> recent = new ConcurrentLinkedDeque<>();

	private final AtomicInteger recentSize = new AtomicInteger();

	IdempotencyEngine(RedisIdempotency redis, Waiters waiters) {
		this.redis = redis;
		this.waiters = waiters;
		this.heartbeats = new Heartbeats(this::beat);
	}

	public static IdempotencyEngine on(RedisBackend backend) {
		InstanceBus bus = backend.bus();
		Waiters waiters = new Waiters(Waiters.BACKSTOP);
		bus.handle(PATTERN, waiters::wake);
		bus.onSubscribed(waiters::wakeAll);
		IdempotencyEngine engine = new IdempotencyEngine(
				new RedisIdempotency(backend.redis(PATTERN), backend.keys(PATTERN), bus.instanceId(), bus.channel()),
				waiters);
		IdempotencyReport.over(bus).give(engine::report);
		return engine;
	}

	private CompletionStage<Boolean> beat(IdempotencyDecision.Granted claim) {
		return this.redis.beat(claim).thenApply((valid) -> {
			if (!valid) {
				leave(claim, null);
			}
			return valid;
		});
	}

	/**
	 * Claims the key of a call, or waits for another one if it is to.
	 * @param ready completes when Redis may be asked, {@code null} if that is at once
	 * @return may be cancelled: then a claim that is granted nevertheless is released
	 */
	public CompletableFuture<@Nullable IdempotencyDecision> claim(IdempotencyRequest request,
			@Nullable CompletionStage<?> ready) {
		CompletableFuture<@Nullable IdempotencyDecision> answer = new CompletableFuture<>();
		CompletionStage<IdempotencyDecision> claimed = (ready != null)
				? ready.handle((nothing, problem) -> true).thenCompose((over) -> claim(request, answer))
				: claim(request, answer);
		claimed.whenComplete((decision, failure) -> answer(answer, decision, failure));
		return answer;
	}

	private CompletionStage<IdempotencyDecision> claim(IdempotencyRequest request, CompletableFuture<?> answer) {
		RedisIdempotencyKey key = this.redis.key(request);
		return (request.settings().onDuplicate() == OnDuplicate.CONFLICT) ? attempt(request, key, Duration.ZERO, answer)
				: attempt(request, key, System.nanoTime() + request.settings().waitTimeout().toNanos(), answer);
	}

	private void answer(CompletableFuture<@Nullable IdempotencyDecision> answer, @Nullable IdempotencyDecision decision,
			@Nullable Throwable failure) {
		if (decision != null) {
			if (!answer.complete(decision)) {
				release(decision);
			}
			return;
		}
		Throwable cause = Waiting.cause(Objects.requireNonNull(failure));
		if (cause instanceof RedisUnavailableException unavailable) {
			answer.complete(new IdempotencyDecision.Unavailable(unavailable));
		}
		else {
			answer.completeExceptionally(cause);
		}
	}

	public void release(@Nullable IdempotencyDecision decision) {
		if (decision instanceof IdempotencyDecision.Granted granted) {
			end(granted, new IdempotencyDecision.Release());
		}
	}

	private CompletionStage<IdempotencyDecision> attempt(IdempotencyRequest request, RedisIdempotencyKey key,
			long deadline, CompletableFuture<?> answer) {
		CompletableFuture<Void> signal = this.waiters.listen(key.toString());
		answer.whenComplete((decision, failure) -> signal.complete(null));
		return attempt(request, key, left(deadline), answer).thenCompose((decision) -> {
			Duration left = left(deadline);
			if (!(decision instanceof IdempotencyDecision.InFlight inFlight) || left.isZero() || answer.isDone()) {
				return CompletableFuture.completedFuture(decision);
			}
			Duration longest = (inFlight.leaseLeft().compareTo(left) < 0) ? inFlight.leaseLeft() : left;
			return this.waiters.await(signal, longest).thenCompose((woken) -> attempt(request, key, deadline, answer));
		});
	}

	private static Duration left(long deadline) {
		return Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
	}

	private CompletionStage<IdempotencyDecision> attempt(IdempotencyRequest request, RedisIdempotencyKey key,
			Duration patience, CompletableFuture<?> answer) {
		if (answer.isDone()) {
			// No caller waits any more
			return CompletableFuture.completedFuture(inFlight(request));
		}
		LocalCall call = new LocalCall(request.fingerprint());
		LocalCall running = this.calls.putIfAbsent(key, call);
		return (running != null) ? join(request, key, running, patience, answer) : ask(request, key, call, patience);
	}

	private CompletionStage<IdempotencyDecision> ask(IdempotencyRequest request, RedisIdempotencyKey key,
			LocalCall call, Duration patience) {
		claimed(request, key, patience).whenComplete((decision, failure) -> {
			remember(key, decision);
			Throwable problem = failure;
			if (decision instanceof IdempotencyDecision.Granted granted) {
				problem = beginBeating(granted);
			}
			if (problem != null || !(decision instanceof IdempotencyDecision.Granted)) {
				this.calls.remove(key, call);
			}
			if (problem != null) {
				call.claimed().completeExceptionally(problem);
			}
			else {
				call.claimed().complete(decision);
			}
		});
		return call.claimed();
	}

	/**
	 * Replays are of no interest to operators, so they are not remembered.
	 */
	private void remember(RedisIdempotencyKey key, @Nullable IdempotencyDecision decision) {
		boolean ofInterest = decision instanceof IdempotencyDecision.Granted
				|| decision instanceof IdempotencyDecision.InFlight || decision instanceof IdempotencyDecision.Unknown;
		if (ofInterest && !key.equals(this.recent.peekFirst())) {
			this.recent.addFirst(key);
			if (this.recentSize.incrementAndGet() > MOST_RECENT && this.recent.pollLast() != null) {
				this.recentSize.decrementAndGet();
			}
		}
	}

	IdempotencyReport report(Reports.Filter filter) {
		Set<RedisIdempotencyKey> keys = new LinkedHashSet<>();
		this.calls.forEach((key, call) -> {
			if (call.isGranted()) {
				keys.add(key);
			}
		});
		int inFlight = keys.size();
		keys.addAll(this.recent);
		return IdempotencyReport.of(filter, inFlight, keys);
	}

	/**
	 * Begins to prolong a lease, or releases the claim, since nothing has run yet.
	 * @return the failure, or {@code null}
	 */
	private @Nullable Throwable beginBeating(IdempotencyDecision.Granted claim) {
		try {
			this.heartbeats.add(claim);
			return null;
		}
		catch (RuntimeException | Error ex) {
			end(claim, new IdempotencyDecision.Release());
			return ex;
		}
	}

	// Joined calls must never wait for a call that was not even sent
	private CompletionStage<IdempotencyDecision> claimed(IdempotencyRequest request, RedisIdempotencyKey key,
			Duration patience) {
		try {
			return this.redis.claim(request, key, patience);
		}
		catch (RuntimeException | Error ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private CompletionStage<IdempotencyDecision> join(IdempotencyRequest request, RedisIdempotencyKey key,
			LocalCall running, Duration patience, CompletableFuture<?> answer) {
		return running.claimed().thenCompose((decision) -> {
			if (!Arrays.equals(running.fingerprint(), request.fingerprint())) {
				// The first one had the payload of neither
				return (decision instanceof IdempotencyDecision.Mismatch) ? attempt(request, key, patience, answer)
						: CompletableFuture.completedFuture(new IdempotencyDecision.Mismatch());
			}
			if (!(decision instanceof IdempotencyDecision.Granted)) {
				return CompletableFuture.completedFuture(decision);
			}
			return patience.isZero() ? CompletableFuture.completedFuture(inFlight(request))
					: awaitEnd(request, key, running, patience, answer);
		});
	}

	private CompletionStage<IdempotencyDecision> awaitEnd(IdempotencyRequest request, RedisIdempotencyKey key,
			LocalCall running, Duration patience, CompletableFuture<?> answer) {
		long deadline = System.nanoTime() + patience.toNanos();
		return running.ended()
			.copy()
			.completeOnTimeout(inFlight(request), patience.toNanos(), TimeUnit.NANOSECONDS)
			.thenCompose((decision) -> (decision != null) ? CompletableFuture.completedFuture(decision)
					: attempt(request, key, left(deadline), answer));
	}

	private static IdempotencyDecision inFlight(IdempotencyRequest request) {
		return new IdempotencyDecision.InFlight(request.settings().lease());
	}

	/**
	 * Ends a claim. The call has had its effect or not, so a failure of Redis is not one
	 * of the call: the ending is then sent again until Redis has it.
	 * @return completes with whether the claim was still valid, as far as is known
	 */
	public CompletionStage<Boolean> end(IdempotencyDecision.Granted claim, IdempotencyDecision.Ending ending) {
		this.heartbeats.remove(claim);
		return this.redis.end(claim, ending).handle((stood, failure) -> {
			if (failure != null) {
				boolean closing = ending instanceof IdempotencyDecision.Completed && isRefused(failure);
				this.redis.endLater(claim, closing ? new IdempotencyDecision.Unknown() : ending);
			}
			boolean valid = failure != null || stood;
			leave(claim, valid ? forRepetition(ending) : null);
			return valid;
		});
	}

	private static @Nullable IdempotencyDecision forRepetition(IdempotencyDecision.Ending ending) {
		boolean ofAnother = ending instanceof IdempotencyDecision.Completed completed
				&& completed.fingerprint() != null;
		return (ending instanceof IdempotencyDecision decision && !ofAnother) ? decision : null;
	}

	private void leave(IdempotencyDecision.Granted claim, @Nullable IdempotencyDecision forRepetition) {
		LocalCall call = this.calls.get(claim.key());
		if (call != null && call.isOf(claim) && this.calls.remove(claim.key(), call)) {
			call.ended().complete(forRepetition);
		}
	}

	public String id(IdempotencyRequest request) {
		return this.redis.key(request).digest();
	}

	public RedisIdempotency redis() {
		return this.redis;
	}

	public boolean isIdle() {
		return this.calls.isEmpty() && this.heartbeats.isEmpty() && this.waiters.isEmpty();
	}

	public void stop() {
		this.heartbeats.stop();
	}

	/**
	 * Returns whether the server answers but does not take the write, such as one of
	 * version 6.2 without memory. Closing a key takes no memory.
	 */
	private static boolean isRefused(Throwable failure) {
		return Waiting.cause(failure) instanceof RedisUnavailableException unavailable
				&& REFUSALS.contains(unavailable.reason());
	}

}
