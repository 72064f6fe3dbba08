// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.ge.redis.RedisUnavailableException;
import io.ge.redis.core.bus.InstanceBus;
import io.ge.redis.core.bus.Poll;
import io.ge.redis.core.outage.Waiting;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Keeps this instance up to date with the live changes of limits, which are read as a
 * whole from one hash.
 * <p>
 * The bus only hints at a change. The hash is read when a message says so and whenever
 * the subscription has begun. It is read every {@value #PERIOD_MILLIS} milliseconds while
 * there is no subscription, it is silent, or the last reading failed. So a change is in
 * effect within a second wherever Redis can be reached. If a subscription hangs without
 * being closed, that takes about three seconds. No decision pays for it. It is also read
 * every 20 minutes, which keeps the hash alive.
 */
final class LimitChangeFeed {

	private static final Log logger = LogFactory.getLog(LimitChangeFeed.class);

	/** Settings were changed at run time. Published by {@code change.lua}. */
	public static final String CHANGED = "ratelimit.changed";

	static final long PERIOD_MILLIS = 500;

	private static final long PERIODS_PER_ROUTINE = TimeUnit.MINUTES.toMillis(20) / PERIOD_MILLIS;

	/** The bus sends itself a message every two seconds. */
	private static final long SILENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(2500);

	private final RedisLimitChanges changes;

	private final InstanceBus bus;

	private final Consumer<List<LiveChange>> sink;

	private final Runnable routine;

	private final Poll poll = new Poll(this::load, Duration.ofMillis(PERIOD_MILLIS), this::look);

	private volatile boolean failed;

	/** Accessed by one reading after the other. */
	private long looks;

	/**
	 * Creates a feed that is not yet started.
	 * @param sink takes all changes, each time they were read
	 */
	public LimitChangeFeed(RedisLimitChanges changes, InstanceBus bus, Consumer<List<LiveChange>> sink,
			Runnable routine) {
		this.changes = changes;
		this.bus = bus;
		this.sink = sink;
		this.routine = routine;
	}

	/**
	 * Reads for the first time, within the budget of one call. If that fails, the next
	 * reading tries again.
	 * @return to be awaited, so that no decision of an application that has started
	 * misses an earlier change
	 */
	public CompletableFuture<Void> start() {
		this.bus.handle(CHANGED, (payload) -> read());
		this.bus.onSubscribed(this::read);
		resume();
		return read();
	}

	/**
	 * Reads the changes: now, or once the reading that is in progress has ended.
	 * @return completes when they are in effect on this instance
	 */
	public CompletableFuture<Void> read() {
		return this.poll.read();
	}

	private CompletionStage<Void> load() {
		return this.changes.load().thenAccept(this.sink).whenComplete((nothing, failure) -> {
			this.failed = failure != null;
			if (failure != null && !(Waiting.cause(failure) instanceof RedisUnavailableException)) {
				logger.warn("Live changes of rate limits could not be applied", failure);
			}
		});
	}

	private void look() {
		boolean due = ++this.looks % PERIODS_PER_ROUTINE == 0;
		if (due) {
			this.routine.run();
		}
		if (due || this.failed || !this.bus.isSubscribed() || System.nanoTime() - this.bus.heardAt() > SILENCE_NANOS) {
			read();
		}
	}

	public void pause() {
		this.poll.stop();
	}

	public void resume() {
		this.poll.start();
	}

}
