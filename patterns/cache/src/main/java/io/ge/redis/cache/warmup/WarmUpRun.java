/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.warmup;

import java.time.Duration;
import java.util.Iterator;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import io.ge.redis.cache.CacheProperties;
import io.ge.redis.cache.CacheWarmer;
import io.ge.redis.cache.warmup.RedisWarmUps.Turn;
import io.ge.redis.core.outage.RedisUnavailableException;
import io.ge.redis.core.outage.Waiting;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * One warmer on this instance: runs when it has the lease, waits while another instance
 * has it, and is over when somebody is done, or when it has failed itself.
 * <p>
 * It stops as soon as it knows that it may have lost the lease, and while Redis is
 * unavailable, since all it would do then is to read the database.
 */
public final class WarmUpRun<K> {

	private static final Duration LOOK = Duration.ofSeconds(1);

	private static final long REPORT_NANOS = TimeUnit.SECONDS.toNanos(10);

	private static final Log logger = LogFactory.getLog(WarmUpRun.class);

	private final CacheWarmer<K> warmer;

	private final RedisWarmUps redis;

	private final CacheProperties.WarmUp settings;

	private final String token;

	private final CountDownLatch closing;

	private final AtomicLong read = new AtomicLong();

	private volatile State state = State.WAITING;

	/** Until when the lease is certain to be held, by the system's nano time. */
	private volatile long held;

	private volatile boolean lost;

	private volatile @Nullable String problem;

	WarmUpRun(CacheWarmer<K> warmer, RedisWarmUps redis, CacheProperties.WarmUp settings, String token,
			CountDownLatch closing) {
		this.warmer = warmer;
		this.redis = redis;
		this.settings = settings;
		this.token = token;
		this.closing = closing;
	}

	Progress progress() {
		return new Progress(this.warmer.name(), this.state.name().toLowerCase(Locale.ROOT), this.read.get());
	}

	@Nullable String problem() {
		return this.problem;
	}

	/**
	 * Sees the warm-up through, here or elsewhere.
	 */
	void go(ScheduledExecutorService renewals) {
		String heard = "";
		while (!isClosing()) {
			long asked = System.nanoTime();
			Turn turn = take();
			if (turn instanceof Turn.Done done) {
				this.read.set(done.read());
				this.state = State.DONE;
				return;
			}
			if (turn instanceof Turn.Ours) {
				this.held = asked + this.settings.leaseTime().toNanos();
				if (work(renewals)) {
					return;
				}
			}
			else if (turn instanceof Turn.Theirs theirs) {
				this.read.set(theirs.read());
				if (!heard.equals(theirs.token())) {
					heard = theirs.token();
					logger.info("The warm-up '" + this.warmer.name() + "' is run by " + heard);
				}
				pause(Math.min(LOOK.toNanos(), theirs.left().toNanos()));
			}
			else {
				pause(LOOK.toNanos());
			}
		}
	}

	private @Nullable Turn take() {
		try {
			return Waiting.await(this.redis.take(this.warmer.name(), this.token, this.settings.leaseTime()));
		}
		catch (RedisUnavailableException ex) {
			return null;
		}
	}

	/**
	 * Runs the warmer.
	 * @return whether it is over, rather than lost
	 */
	private boolean work(ScheduledExecutorService renewals) {
		this.lost = false;
		this.read.set(0);
		this.state = State.RUNNING;
		long period = Math.max(1, this.settings.leaseTime().toMillis() / 3);
		Future<?> renewal = renewals.scheduleWithFixedDelay(this::renew, period, period, TimeUnit.MILLISECONDS);
		try {
			long began = System.nanoTime();
			if (readAll()) {
				return finish(began);
			}
			this.state = State.WAITING;
			free();
			return false;
		}
		catch (Throwable ex) {
			this.problem = "The warm-up '" + this.warmer.name() + "' failed after " + this.read + " keys: " + ex;
			logger.warn(this.problem);
			this.state = State.FAILED;
			free();
			return true;
		}
		finally {
			renewal.cancel(false);
		}
	}

	private void free() {
		Waiting.await(this.redis.free(this.warmer.name(), this.token, this.settings.leaseTime()));
	}

	private boolean readAll() {
		long next = System.nanoTime();
		long reported = next;
		long nanosOfKey = TimeUnit.SECONDS.toNanos(1) / this.settings.rate();
		try (Stream<? extends K> keys = this.warmer.keys()) {
			for (Iterator<? extends K> each = keys.iterator(); each.hasNext();) {
				// Neither is made up for what was slower than the rate
				next = Math.max(next + nanosOfKey, System.nanoTime());
				pause(next - System.nanoTime());
				if (isLost()) {
					return false;
				}
				this.warmer.warm(each.next());
				this.read.incrementAndGet();
				if (System.nanoTime() - reported > REPORT_NANOS) {
					reported = System.nanoTime();
					logger.info("The warm-up '" + this.warmer.name() + "' has read " + this.read + " keys");
				}
			}
		}
		return !isLost();
	}

	private boolean finish(long began) {
		try {
			boolean ours = Waiting
				.await(this.redis.done(this.warmer.name(), this.token, this.settings.validFor(), this.read.get()));
			if (!ours) {
				this.state = State.WAITING;
				return false;
			}
		}
		catch (RedisUnavailableException ex) {
			// Others will do it again
		}
		this.state = State.DONE;
		logger.info("The warm-up '" + this.warmer.name() + "' has read " + this.read + " keys in "
				+ Duration.ofNanos(System.nanoTime() - began).toMillis() + " ms");
		return true;
	}

	private void renew() {
		long asked = System.nanoTime();
		this.redis.keep(this.warmer.name(), this.token, this.settings.leaseTime(), this.read.get())
			.whenComplete((kept, failure) -> {
				if (failure == null && kept) {
					this.held = asked + this.settings.leaseTime().toNanos();
				}
				else if (failure == null) {
					this.lost = true;
				}
			});
	}

	private boolean isLost() {
		return this.lost || isClosing() || this.held - System.nanoTime() < 0 || this.redis.isAway(this.warmer.name());
	}

	private boolean isClosing() {
		return this.closing.getCount() == 0;
	}

	private void pause(long nanos) {
		try {
			this.closing.await(nanos, TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			// Nobody else has this thread
			this.closing.countDown();
		}
	}

	/**
	 * How far a warm-up is, as this instance knows.
	 *
	 * @param read number of keys that were read, by any instance
	 */
	public record Progress(String name, String state, long read) {
	}

	enum State {

		WAITING,

		RUNNING,

		DONE,

		FAILED

	}

}
