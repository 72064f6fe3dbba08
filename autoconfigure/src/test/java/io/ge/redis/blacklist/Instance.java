/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.blacklist;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

import io.ge.redis.core.event.GuardEvent;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.ExpressionCompiler;
import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.TestBackend;

/**
 * One instance of an application, as far as the blacklist is concerned.
 */
final class Instance implements AutoCloseable {

	private final List<GuardEvent> events = new CopyOnWriteArrayList<>();

	private final TestBackend backend;

	private final TokenBlacklist blacklist;

	Instance(RedisFixture redis) {
		this(redis, properties(OutagePolicy.DENY, true), Duration.ofSeconds(5));
	}

	Instance(RedisFixture redis, BlacklistProperties properties, Duration commandTimeout) {
		this.backend = TestBackend.on(redis.connectionFactory(), "instance", commandTimeout);
		this.blacklist = new BlacklistGuard(() -> properties, new AttributeReader((text) -> text),
				new ExpressionCompiler(null), this.backend::get, new GuardEvents(() -> List.of(this.events::add)),
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
		return this.backend.get().breaker().isOpen();
	}

	List<GuardEvent> events() {
		return this.events;
	}

	@Override
	public void close() {
		this.backend.close();
	}

}
