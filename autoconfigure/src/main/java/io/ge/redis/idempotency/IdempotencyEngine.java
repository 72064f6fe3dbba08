/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import io.ge.redis.core.bus.Reports;
import io.ge.redis.core.outage.OutageCause;
import io.ge.redis.core.outage.RedisUnavailableException;
import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

/**
 * Claims keys and ends claims, asynchronously and without blocking. A claim that was
 * granted is prolonged until it is ended.
 * <p>
 * Calls of this instance with the same key are joined: one asks Redis, and the others are
 * told what it was told. While it runs they are refused without a command, or wait for
 * its end and get its result. Only where that says nothing to them, since it has freed
 * the key or lost it, does the next one ask.
 */
final class IdempotencyEngine {

	private static final Set<OutageCause> REFUSALS = EnumSet.of(OutageCause.OOM, OutageCause.NOPERM,
			OutageCause.MISCONF, OutageCause.ERROR);

	private static final LocalCall.End STILL_RUNNING = new LocalCall.End(null);

	private static final LocalCall.End NOTHING_TO_TELL = new LocalCall.End(null);

	private final RedisIdempotency redis;

	private final Heartbeats heartbeats;

	private final Waiters waiters;

	private final Map<RedisIdempotencyKey, LocalCall> calls = new ConcurrentHashMap<>();

	private final RecentKeys recent = new RecentKeys();

	IdempotencyEngine(RedisIdempotency redis, Waiters waiters) {
		this.redis = redis;
		this.waiters = waiters;
		this.heartbeats = new Heartbeats(this::beat);
	}

	private CompletionStage<Boolean> beat(Claim.Granted claim) {
		return this.redis.beat(claim).thenApply((stands) -> {
			if (!stands) {
				leave(claim, NOTHING_TO_TELL);
			}
			return stands;
		});
	}

	/**
	 * Claims the key of a call, or waits for another one if it is to.
	 * @return completes with what Redis says; may be cancelled: then nothing waits any
	 * more, and a claim that is granted nevertheless is released
	 */
	CompletableFuture<Claim> claim(IdempotencyRequest request) {
		RedisIdempotencyKey key = this.redis.key(request);
		CompletableFuture<Claim> answer = new CompletableFuture<>();
		if (request.settings().onDuplicate() == OnDuplicate.CONFLICT) {
			attempt(request, key, Duration.ZERO, answer)
				.whenComplete((claim, failure) -> answer(answer, claim, failure));
			return answer;
		}
		long deadline = System.nanoTime() + request.settings().waitTimeout().toNanos();
		Waiters.Waiter waiter = this.waiters.register(key.toString());
		answer.whenComplete((claim, failure) -> waiter.close());
		attempt(request, key, deadline, waiter, answer)
			.whenComplete((claim, failure) -> answer(answer, claim, failure));
		return answer;
	}

	/**
	 * Waits for a claim on this thread. An interrupt ends the wait for another call.
	 * @param request the call
	 * @param claimed completes with what Redis says
	 * @return what Redis says
	 */
	Claim await(IdempotencyRequest request, CompletableFuture<Claim> claimed) {
		if (request.settings().onDuplicate() == OnDuplicate.CONFLICT) {
			return Waiting.await(claimed);
		}
		try {
			return claimed.get();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			if (!claimed.cancel(false)) {
				claimed.thenAccept(this::giveBack);
			}
			return inFlight(request);
		}
		catch (ExecutionException ex) {
			return Waiting.await(claimed);
		}
	}

	private void answer(CompletableFuture<Claim> answer, @Nullable Claim claim, @Nullable Throwable failure) {
		if (claim == null) {
			Throwable cause = Waiting.cause(Objects.requireNonNull(failure));
			if (cause instanceof RedisUnavailableException away) {
				answer.complete(new Claim.Away(away));
			}
			else {
				answer.completeExceptionally(cause);
			}
		}
		else if (!answer.complete(claim)) {
			giveBack(claim);
		}
	}

	/**
	 * Frees what was granted to a caller that has gone.
	 */
	void giveBack(Claim claim) {
		if (claim instanceof Claim.Granted granted) {
			end(granted, new Ending.Release());
		}
	}

	private CompletionStage<Claim> attempt(IdempotencyRequest request, RedisIdempotencyKey key, long deadline,
			Waiters.Waiter waiter, CompletableFuture<Claim> answer) {
		waiter.arm();
		return attempt(request, key, left(deadline), answer).thenCompose((claim) -> {
			Duration left = left(deadline);
			if (!(claim instanceof Claim.InFlight inFlight) || left.isZero() || answer.isDone()) {
				return CompletableFuture.completedFuture(claim);
			}
			Duration longest = (inFlight.leaseLeft().compareTo(left) < 0) ? inFlight.leaseLeft() : left;
			return waiter.await(longest).thenCompose((woken) -> attempt(request, key, deadline, waiter, answer));
		});
	}

	private static Duration left(long deadline) {
		return Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
	}

	private CompletionStage<Claim> attempt(IdempotencyRequest request, RedisIdempotencyKey key, Duration patience,
			CompletableFuture<Claim> answer) {
		if (answer.isDone()) {
			// Nobody waits any more
			return CompletableFuture.completedFuture(inFlight(request));
		}
		LocalCall call = new LocalCall(request.fingerprint());
		LocalCall running = this.calls.putIfAbsent(key, call);
		return (running != null) ? join(request, key, running, patience, answer) : ask(request, key, call, patience);
	}

	private CompletionStage<Claim> ask(IdempotencyRequest request, RedisIdempotencyKey key, LocalCall call,
			Duration patience) {
		claimed(request, key, patience).whenComplete((claim, failure) -> {
			remember(key, claim);
			if (claim instanceof Claim.Granted granted) {
				granted(granted, key, call);
				return;
			}
			this.calls.remove(key, call);
			if (failure != null) {
				call.claimed().completeExceptionally(failure);
			}
			else {
				call.claimed().complete(claim);
			}
		});
		return call.claimed();
	}

	/**
	 * Remembers a key that an operator may look for. Nobody looks for replays.
	 */
	private void remember(RedisIdempotencyKey key, @Nullable Claim claim) {
		if (claim instanceof Claim.Granted || claim instanceof Claim.InFlight || claim instanceof Claim.Unknown) {
			this.recent.add(key);
		}
	}

	/**
	 * Returns the report of this instance, the keys in flight first.
	 */
	IdempotencyReport report(Reports.Filter filter) {
		Set<RedisIdempotencyKey> keys = new LinkedHashSet<>();
		this.calls.forEach((key, call) -> {
			if (call.isGranted()) {
				keys.add(key);
			}
		});
		int inFlight = keys.size();
		keys.addAll(this.recent.lastFirst());
		return IdempotencyReport.of(filter, inFlight, keys);
	}

	private void granted(Claim.Granted claim, RedisIdempotencyKey key, LocalCall call) {
		try {
			this.heartbeats.add(claim);
		}
		catch (RuntimeException | Error ex) {
			// Nothing has run yet, and nothing would prolong the lease
			this.calls.remove(key, call);
			call.claimed().completeExceptionally(ex);
			end(claim, new Ending.Release());
			return;
		}
		call.claimed().complete(claim);
	}

	// Those who join must never wait for a call that was not even sent
	private CompletionStage<Claim> claimed(IdempotencyRequest request, RedisIdempotencyKey key, Duration patience) {
		try {
			return this.redis.claim(request, key, patience);
		}
		catch (RuntimeException | Error ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private CompletionStage<Claim> join(IdempotencyRequest request, RedisIdempotencyKey key, LocalCall running,
			Duration patience, CompletableFuture<Claim> answer) {
		return running.claimed().thenCompose((claim) -> {
			if (!Arrays.equals(running.fingerprint(), request.fingerprint())) {
				// The first one had the payload of neither
				return (claim instanceof Claim.Mismatch) ? attempt(request, key, patience, answer)
						: CompletableFuture.completedFuture(new Claim.Mismatch());
			}
			if (!(claim instanceof Claim.Granted)) {
				return CompletableFuture.completedFuture(claim);
			}
			return patience.isZero() ? CompletableFuture.completedFuture(inFlight(request))
					: awaitEnd(request, key, running, patience, answer);
		});
	}

	private CompletionStage<Claim> awaitEnd(IdempotencyRequest request, RedisIdempotencyKey key, LocalCall running,
			Duration patience, CompletableFuture<Claim> asked) {
		long deadline = System.nanoTime() + patience.toNanos();
		return running.ended()
			.copy()
			.completeOnTimeout(STILL_RUNNING, patience.toNanos(), TimeUnit.NANOSECONDS)
			.thenCompose((end) -> {
				if (end == STILL_RUNNING) {
					return CompletableFuture.completedFuture(inFlight(request));
				}
				Claim answer = end.answer();
				return (answer != null) ? CompletableFuture.completedFuture(answer)
						: attempt(request, key, left(deadline), asked);
			});
	}

	private static Claim inFlight(IdempotencyRequest request) {
		return new Claim.InFlight(request.settings().lease());
	}

	/**
	 * Ends a claim. The call has had its effect or not, so a failure of Redis is not one
	 * of the call: the ending is then sent again until Redis has it.
	 * @return completes with whether the claim still stood, as far as is known
	 */
	CompletionStage<Boolean> end(Claim.Granted claim, Ending ending) {
		this.heartbeats.remove(claim);
		return this.redis.end(claim, ending).exceptionally((failure) -> {
			boolean closing = ending instanceof Ending.Complete && isRefused(failure);
			this.redis.endLater(claim, closing ? new Ending.Unknown() : ending);
			return true;
		}).whenComplete((stood, failure) -> leave(claim, stood ? end(ending) : NOTHING_TO_TELL));
	}

	private static LocalCall.End end(Ending ending) {
		if (ending instanceof Ending.Complete complete && complete.fingerprint() == null) {
			return new LocalCall.End(new Claim.Completed(complete.result(), complete.kind()));
		}
		return (ending instanceof Ending.Unknown) ? new LocalCall.End(new Claim.Unknown()) : NOTHING_TO_TELL;
	}

	private void leave(Claim.Granted claim, LocalCall.End end) {
		RedisIdempotencyKey key = claim.handle().key();
		LocalCall call = this.calls.get(key);
		if (call != null && call.isOf(claim) && this.calls.remove(key, call)) {
			call.ended().complete(end);
		}
	}

	/**
	 * Returns what stands for operation, scope and key of a call outside of Redis.
	 */
	String id(IdempotencyRequest request) {
		return this.redis.key(request).digest();
	}

	RedisIdempotency redis() {
		return this.redis;
	}

	/**
	 * Returns whether no call is in progress, and nothing left of those that were.
	 */
	boolean isIdle() {
		return this.calls.isEmpty() && this.heartbeats.isEmpty() && this.waiters.isEmpty();
	}

	/**
	 * Prolongs no more leases.
	 */
	void stop() {
		this.heartbeats.stop();
	}

	/**
	 * Whether the server answers but does not take the write, such as one of version 6.2
	 * without memory. Closing a key takes no memory, and keeps it from being claimed
	 * again.
	 */
	private static boolean isRefused(Throwable failure) {
		return Waiting.cause(failure) instanceof RedisUnavailableException unavailable
				&& REFUSALS.contains(unavailable.reason());
	}

}
