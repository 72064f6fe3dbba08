/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.blacklist;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;

import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.connection.GuardConnections;
import io.ge.redis.core.event.GuardEvent;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.ExpressionCompiler;
import io.ge.redis.core.outage.OutageCause;
import io.ge.redis.core.outage.OutageListener;
import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.core.outage.OutageSettings;
import io.ge.redis.test.RedisFixture;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * One instance of an application, as far as the blacklist is concerned.
 */
final class Instance implements AutoCloseable {

	private final RedisConnectionFactory factory;

	private final ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(2);

	private final AtomicInteger scripts = new AtomicInteger();

	private final List<GuardEvent> events = new CopyOnWriteArrayList<>();

	private final RedisBackend backend;

	private final TokenBlacklist blacklist;

	Instance(RedisFixture redis) {
		this(redis, properties(OutagePolicy.DENY, true), Duration.ofSeconds(5));
	}

	Instance(RedisFixture redis, BlacklistProperties properties, Duration commandTimeout) {
		this.factory = redis.connectionFactory();
		this.backend = new RedisBackend("test", "ge", "instance", GuardConnections.from(this.factory),
				new OutageSettings(commandTimeout, 3, Duration.ofMillis(100)), this.scheduler,
				(script, nanos, failure) -> this.scripts.incrementAndGet(), new Silent());
		this.backend.start();
		this.blacklist = new BlacklistGuard(() -> properties, new AttributeReader((text) -> text),
				new ExpressionCompiler(null), () -> this.backend, new GuardEvents(() -> List.of(this.events::add)),
				() -> false, () -> () -> null, List::of)
			.tokenBlacklist();
	}

	static BlacklistProperties properties(OutagePolicy onOutage, boolean requireJti) {
		return new BlacklistProperties(true, null, onOutage, Duration.ofSeconds(60), Duration.ofSeconds(1),
				Duration.ofDays(30), requireJti, true, Map.of());
	}

	TokenBlacklist blacklist() {
		return this.blacklist;
	}

	boolean isAway() {
		return this.backend.breaker().isOpen();
	}

	int scriptsOf(Runnable action) {
		int before = this.scripts.get();
		action.run();
		return this.scripts.get() - before;
	}

	List<GuardEvent> events() {
		return this.events;
	}

	@Override
	public void close() throws Exception {
		this.backend.stop();
		this.scheduler.shutdownNow();
		((DisposableBean) this.factory).destroy();
	}

	private static final class Silent implements OutageListener {

		@Override
		public void onFailure(String pattern, OutageCause cause) {
		}

		@Override
		public void onTransition(String breaker, boolean open) {
		}

	}

}
