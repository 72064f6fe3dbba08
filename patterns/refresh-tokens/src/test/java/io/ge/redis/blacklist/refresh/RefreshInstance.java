// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist.refresh;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.ge.redis.blacklist.BlacklistProperties;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.internal.BlacklistPattern;
import io.ge.redis.core.endpoint.GuardRequest;
import io.ge.redis.core.event.GuardEvent;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.ExpressionCompiler;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.TestBackend;
import io.ge.redis.test.TestCalls;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * One instance of an application, as far as refresh tokens are concerned.
 */
final class RefreshInstance implements AutoCloseable {

	private static final AtomicInteger NUMBER = new AtomicInteger();

	private final List<GuardEvent> events = new CopyOnWriteArrayList<>();

	private final Map<GuardEvent, Thread> publishers = new ConcurrentHashMap<>();

	private final TestBackend sessions;

	private final TestBackend backend;

	private final BlacklistPattern guard;

	private final RefreshTokens tokens;

	RefreshInstance(RedisFixture redis, Duration grace) {
		this(redis, grace, Duration.ofSeconds(5));
		// Reads only, and follows nothing
		await().atMost(Duration.ofSeconds(30))
			.untilAsserted(() -> assertThat(this.guard.control().read(new GuardRequest(List.of(), Map.of())))
				.extracting("stored")
				.isNotNull());
	}

	RefreshInstance(RedisFixture redis, Duration grace, Duration commandTimeout) {
		this(redis.connectionFactory(), grace, commandTimeout);
	}

	RefreshInstance(RedisConnectionFactory factory, Duration grace, Duration commandTimeout) {
		this(factory, factory, grace, commandTimeout);
	}

	RefreshInstance(RedisConnectionFactory sessions, RedisConnectionFactory blacklist, Duration grace,
			Duration commandTimeout) {
		String id = "refresh-" + NUMBER.incrementAndGet();
		this.backend = TestBackend.on(blacklist, id, commandTimeout);
		this.sessions = (sessions != blacklist) ? TestBackend.on(sessions, id, commandTimeout) : this.backend;
		// A busy machine lets nothing become too old that is remembered
		BlacklistProperties properties = new Binder(
				new MapConfigurationPropertySource(Map.of("ge.redis.blacklist.max-staleness", "5s")))
			.bindOrCreate("ge.redis.blacklist", BlacklistProperties.class);
		GuardEvents events = new GuardEvents(() -> List.of((event) -> {
			this.events.add(event);
			this.publishers.put(event, Thread.currentThread());
		}));
		this.guard = new BlacklistPattern(() -> properties, new AttributeReader((text) -> text),
				new ExpressionCompiler(null), this.backend::get, events, TestCalls.plain(), (form) -> false,
				() -> () -> null, List::of);
		this.guard.resume();
		this.tokens = new DefaultRefreshTokens(
				new RefreshTokenProperties(true, null, properties.maxTokenLifetime(), grace),
				properties.maxTokenLifetime(), this.sessions::get, this.guard::tokenBlacklist, events,
				TestCalls.plain());
	}

	RefreshTokens tokens() {
		return this.tokens;
	}

	TokenBlacklist blacklist() {
		return this.guard.tokenBlacklist();
	}

	boolean isAway() {
		return this.sessions.get().breaker().isOpen();
	}

	/**
	 * Returns what came of the tokens that were presented to this instance.
	 */
	List<RefreshTokenEvent.Outcome> outcomes() {
		return this.events.stream()
			.filter(RefreshTokenEvent.class::isInstance)
			.map((event) -> ((RefreshTokenEvent) event).outcome())
			.toList();
	}

	/**
	 * Returns the threads that have published the events, each the last one of its kind.
	 */
	Map<GuardEvent, Thread> publishers() {
		return this.publishers;
	}

	@Override
	public void close() {
		this.guard.pause();
		this.backend.close();
		if (this.sessions != this.backend) {
			this.sessions.close();
		}
	}

}
