/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.warmup;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

import io.ge.redis.cache.CacheProperties;
import io.ge.redis.cache.CacheWarmUpException;
import io.ge.redis.cache.CacheWarmer;
import io.ge.redis.core.connection.DaemonThreads;
import io.ge.redis.core.invocation.GuardConfigurationException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Runs the {@link CacheWarmer warmers} of the application, one after the other, in the
 * background. All instances go through them in the same order, so that the rate is one
 * for the fleet.
 */
public final class CacheWarmUp implements AutoCloseable {

	/** For giving up the lease, after which another instance need not wait for it. */
	private static final Duration GRACE = Duration.ofSeconds(1);

	private static final Log logger = LogFactory.getLog(CacheWarmUp.class);

	private final List<WarmUpRun<?>> runs = new ArrayList<>();

	private final CountDownLatch closing = new CountDownLatch(1);

	private final CompletableFuture<Void> over = new CompletableFuture<>();

	private final CacheProperties.WarmUp settings;

	private volatile boolean started;

	public CacheWarmUp(List<? extends CacheWarmer<?>> warmers, RedisWarmUps redis, CacheProperties.WarmUp settings,
			Supplier<String> tokens) {
		this.settings = settings;
		Set<String> names = new HashSet<>();
		for (CacheWarmer<?> warmer : warmers) {
			if (!names.add(warmer.name())) {
				throw new GuardConfigurationException("CacheWarmer '" + warmer.name() + "'",
						"there are two warm-ups of that name, and only one of them would run.",
						"Give each a name of its own.");
			}
			this.runs.add(new WarmUpRun<>(warmer, redis, settings, tokens.get(), this.closing));
		}
	}

	/**
	 * Starts, once, and waits as far as {@code ge.redis.cache.warm-up.readiness} says.
	 * @throws CacheWarmUpException if a warm-up is required and has failed, or is not
	 * over in time
	 */
	public void start() {
		this.started = true;
		DaemonThreads.named("ge-redis-warm-up").newThread(this::run).start();
		if (this.settings.readiness() == CacheProperties.Readiness.IGNORE) {
			return;
		}
		boolean inTime = await(this.settings.timeout());
		if (!inTime) {
			logger.warn("The warm-up is not over after " + this.settings.timeout()
					+ " (ge.redis.cache.warm-up.timeout): " + progress());
		}
		if (this.settings.readiness() == CacheProperties.Readiness.REQUIRE && this.closing.getCount() > 0) {
			require(inTime);
		}
	}

	private void require(boolean inTime) {
		for (WarmUpRun<?> run : this.runs) {
			if (run.problem() != null) {
				close();
				throw new CacheWarmUpException(Objects.requireNonNull(run.problem()));
			}
		}
		if (!inTime) {
			close();
			throw new CacheWarmUpException("A warm-up that is required is not over after " + this.settings.timeout()
					+ " (ge.redis.cache.warm-up.timeout): " + progress());
		}
	}

	private void run() {
		ScheduledExecutorService renewals = Executors
			.newSingleThreadScheduledExecutor(DaemonThreads.named("ge-redis-warm-up-lease"));
		try {
			for (WarmUpRun<?> run : this.runs) {
				run.go(renewals);
			}
		}
		finally {
			renewals.shutdownNow();
			this.over.complete(null);
		}
	}

	private boolean await(Duration timeout) {
		try {
			this.over.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
			return true;
		}
		catch (TimeoutException ex) {
			return false;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException("It never fails", ex);
		}
	}

	public List<WarmUpRun.Progress> progress() {
		List<WarmUpRun.Progress> all = new ArrayList<>();
		this.runs.forEach((run) -> all.add(run.progress()));
		return all;
	}

	/**
	 * Ends a run after the key that it is at, so that another instance takes over. Waits
	 * for that a second at most.
	 */
	@Override
	public void close() {
		this.closing.countDown();
		if (this.started) {
			await(GRACE);
		}
	}

}
