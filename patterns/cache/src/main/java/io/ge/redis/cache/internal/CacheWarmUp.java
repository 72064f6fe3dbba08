// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.RedisUnavailableException;
import io.ge.redis.cache.CacheProperties;
import io.ge.redis.cache.CacheProperties.Readiness;
import io.ge.redis.cache.CacheWarmer;
import io.ge.redis.core.connection.DaemonThreads;
import io.ge.redis.core.outage.Waiting;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.context.SmartLifecycle;

/**
 * Runs the {@link CacheWarmer warmers} of the application in the background, one after
 * the other and in the same order on all instances.
 * <p>
 * A run stops when its lease may be lost and while Redis is unavailable, since all it
 * would do then is to read the database. It is stopped before other beans.
 */
public final class CacheWarmUp implements SmartLifecycle {

	private static final Duration PAUSE = Duration.ofSeconds(1);

	private static final String WAITING = "waiting";

	private static final String DONE = "done";

	private static final Log logger = LogFactory.getLog(CacheWarmUp.class);

	private final List<Run<?>> runs = new ArrayList<>();

	private final RedisCache redis;

	private final CacheProperties.WarmUp settings;

	private final String token;

	private final CountDownLatch closing = new CountDownLatch(1);

	private volatile CountDownLatch over = new CountDownLatch(0);

	private volatile boolean running;

	CacheWarmUp(List<? extends CacheWarmer<?>> warmers, RedisCache redis, CacheProperties.WarmUp settings,
			String token) {
		this.redis = redis;
		this.settings = settings;
		this.token = token;
		for (CacheWarmer<?> warmer : warmers) {
			if (this.runs.stream().anyMatch((run) -> run.warmer.name().equals(warmer.name()))) {
				throw new GuardConfigurationException("CacheWarmer '" + warmer.name() + "'",
						"there are two warm-ups of that name, and only one of them would run.",
						"Give each a name of its own.");
			}
			this.runs.add(new Run<>(warmer));
		}
	}

	/**
	 * Starts, once, and waits as far as {@code ge.redis.cache.warm-up.readiness} says.
	 * @throws GuardConfigurationException if a warm-up is required and has failed, or is
	 * not over in time
	 */
	public void run() {
		this.over = new CountDownLatch(1);
		DaemonThreads.named("ge-redis-warm-up").newThread(this::runAll).start();
		if (this.settings.readiness() == Readiness.IGNORE) {
			return;
		}
		boolean inTime = await(this.over, this.settings.timeout());
		String problem = this.runs.stream().map((run) -> run.problem).filter(Objects::nonNull).findFirst().orElse(null);
		if (problem == null && !inTime) {
			problem = "the warm-up is not over after " + this.settings.timeout() + " (ge.redis.cache.warm-up.timeout): "
					+ progress();
			logger.warn(problem);
		}
		if (problem != null && this.settings.readiness() == Readiness.REQUIRE && !isClosing()) {
			stop();
			throw new GuardConfigurationException("CacheWarmer", problem,
					"Correct what the message names, or let the application start without the warm-up with"
							+ " ge.redis.cache.warm-up.readiness=wait.");
		}
	}

	private void runAll() {
		ScheduledExecutorService renewals = Executors
			.newSingleThreadScheduledExecutor(DaemonThreads.named("ge-redis-warm-up-lease"));
		try {
			this.runs.forEach((run) -> run.complete(renewals));
		}
		finally {
			renewals.shutdownNow();
			this.over.countDown();
		}
	}

	private boolean isClosing() {
		return this.closing.getCount() == 0;
	}

	private boolean await(CountDownLatch latch, Duration most) {
		try {
			return latch.await(most.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			this.closing.countDown();
			Thread.currentThread().interrupt();
			return false;
		}
	}

	List<Progress> progress() {
		return this.runs.stream().map((run) -> new Progress(run.warmer.name(), run.state, run.read.get())).toList();
	}

	@Override
	public void start() {
		this.running = true;
	}

	/**
	 * Ends a run after its current key, so that another instance takes over. Waits at
	 * most a second for that.
	 */
	@Override
	public void stop() {
		this.running = false;
		this.closing.countDown();
		await(this.over, PAUSE);
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	/**
	 * The progress of a warm-up on this instance.
	 *
	 * @param read number of keys that it has read
	 */
	record Progress(String name, String state, long read) {
	}

	/**
	 * One warmer on this instance: runs when it has the lease, waits while another
	 * instance has it, and ends when any instance is done, or when it has failed itself.
	 */
	private final class Run<K> {

		private final CacheWarmer<K> warmer;

		private final AtomicLong read = new AtomicLong();

		private volatile String state = WAITING;

		/** Until when the lease is certain to be held, by the system's nano time. */
		private volatile long held;

		private volatile @Nullable String problem;

		Run(CacheWarmer<K> warmer) {
			this.warmer = warmer;
		}

		void complete(ScheduledExecutorService renewals) {
			while (!isClosing() && this.state.equals(WAITING)) {
				switch (lease()) {
					case "yours" -> work(renewals);
					case DONE -> this.state = DONE;
					default -> await(CacheWarmUp.this.closing, PAUSE);
				}
			}
		}

		private void work(ScheduledExecutorService renewals) {
			this.state = "running";
			this.read.set(0);
			long period = Math.max(1, CacheWarmUp.this.settings.leaseTime().toMillis() / 3);
			Future<?> renewal = renewals.scheduleWithFixedDelay(this::lease, period, period, TimeUnit.MILLISECONDS);
			try {
				this.state = readAll() ? DONE : WAITING;
			}
			catch (Throwable ex) {
				this.problem = "the warm-up '" + this.warmer.name() + "' failed after " + this.read + " keys: " + ex;
				logger.warn(this.problem);
				this.state = "failed";
			}
			renewal.cancel(false);
			if (this.state.equals(DONE)) {
				ask("D", CacheWarmUp.this.settings.validFor());
				logger.info("The warm-up '" + this.warmer.name() + "' has read " + this.read + " keys");
			}
			else {
				// After a renewal that is in flight
				CompletableFuture.runAsync(() -> ask("", PAUSE), renewals).join();
			}
		}

		private boolean readAll() {
			long next = System.nanoTime();
			long nanosOfKey = TimeUnit.SECONDS.toNanos(1) / CacheWarmUp.this.settings.rate();
			try (Stream<? extends K> all = this.warmer.keys()) {
				for (Iterator<? extends K> each = all.iterator(); each.hasNext();) {
					// Time lost by slow keys is not made up for
					next = Math.max(next + nanosOfKey, System.nanoTime());
					await(CacheWarmUp.this.closing, Duration.ofNanos(next - System.nanoTime()));
					if (isLost()) {
						return false;
					}
					this.warmer.warm(each.next());
					this.read.incrementAndGet();
				}
			}
			return !isLost();
		}

		private boolean isLost() {
			return isClosing() || this.held - System.nanoTime() < 0 || CacheWarmUp.this.redis.isUnavailable();
		}

		private String lease() {
			long asked = System.nanoTime();
			String reply = ask("L", CacheWarmUp.this.settings.leaseTime());
			if (!reply.equals("unknown")) {
				this.held = reply.equals("yours") ? asked + CacheWarmUp.this.settings.leaseTime().toNanos() : asked;
			}
			return reply;
		}

		private String ask(String kind, Duration ttl) {
			try {
				return Waiting
					.await(CacheWarmUp.this.redis.warmUp(this.warmer.name(), CacheWarmUp.this.token, kind, ttl));
			}
			catch (RedisUnavailableException ex) {
				return "unknown";
			}
		}

	}

}
