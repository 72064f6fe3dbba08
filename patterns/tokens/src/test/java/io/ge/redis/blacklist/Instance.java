// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.ge.redis.blacklist.BlacklistEvent.Source;
import io.ge.redis.blacklist.internal.BlacklistPattern;
import io.ge.redis.core.endpoint.GuardRequest;
import io.ge.redis.core.event.GuardEvent;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.ExpressionCompiler;
import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.TestBackend;
import io.ge.redis.test.TestCalls;
import org.assertj.core.api.AbstractObjectAssert;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * One instance of an application, as far as the blacklist is concerned.
 */
final class Instance implements AutoCloseable {

	/** A busy machine lets nothing become too old that is remembered. */
	private static final Duration PATIENT = Duration.ofSeconds(2);

	private static final AtomicInteger NUMBER = new AtomicInteger();

	private final List<GuardEvent> events = new CopyOnWriteArrayList<>();

	private final TestBackend backend;

	private final BlacklistPattern guard;

	private final TokenBlacklist blacklist;

	Instance(RedisFixture redis) {
		this(redis, properties(OutagePolicy.DENY, true, PATIENT), Duration.ofSeconds(5));
		// Reads only, and follows nothing
		await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertState("stored").isNotNull());
	}

	Instance(RedisFixture redis, BlacklistProperties properties, Duration commandTimeout) {
		this(redis.connectionFactory(), properties, commandTimeout);
	}

	Instance(RedisConnectionFactory factory, BlacklistProperties properties, Duration commandTimeout) {
		this(factory, properties, commandTimeout, true);
	}

	private Instance(RedisConnectionFactory factory, BlacklistProperties properties, Duration commandTimeout,
			boolean recording) {
		this.backend = TestBackend.on(factory, "instance-" + NUMBER.incrementAndGet(), commandTimeout);
		this.guard = new BlacklistPattern(() -> properties, new AttributeReader((text) -> text),
				new ExpressionCompiler(null), this.backend::get,
				new GuardEvents(() -> recording ? List.of(this.events::add) : List.of()), TestCalls.plain(),
				(form) -> false, () -> () -> null, List::of);
		this.guard.resume();
		this.blacklist = this.guard.tokenBlacklist();
	}

	static BlacklistProperties properties(OutagePolicy onOutage, boolean requireJti) {
		return properties(onOutage, requireJti, Duration.ofSeconds(2));
	}

	static BlacklistProperties properties(OutagePolicy onOutage, boolean requireJti, Duration maxStaleness) {
		return properties(onOutage, requireJti, maxStaleness, 1_000_000);
	}

	static BlacklistProperties properties(OutagePolicy onOutage, boolean requireJti, Duration maxStaleness,
			int maxExactIds) {
		return new BlacklistProperties(true, null, onOutage, maxStaleness, maxExactIds, Duration.ofSeconds(30),
				Duration.ofSeconds(60), Duration.ofSeconds(1), Duration.ofDays(30), requireJti, true, null,
				UncheckedDecoder.FAIL, Map.of());
	}

	/**
	 * Returns an instance that remembers no token or session one by one.
	 */
	static Instance filtering(RedisFixture redis, OutagePolicy onOutage, Duration commandTimeout) {
		return new Instance(redis, properties(onOutage, true, PATIENT, 0), commandTimeout);
	}

	/**
	 * Returns an instance that tells nobody of its checks.
	 */
	static Instance quiet(RedisFixture redis) {
		return new Instance(redis.connectionFactory(), properties(OutagePolicy.DENY, true, PATIENT),
				Duration.ofSeconds(5), false);
	}

	/**
	 * Returns an instance that asks Redis each time.
	 */
	static Instance withoutMemory(RedisFixture redis) {
		Instance instance = new Instance(redis);
		instance.guard.pause();
		return instance;
	}

	/**
	 * Returns whether a check that was made for this purpose was answered from memory.
	 */
	boolean answersFromMemory() {
		this.blacklist.check(TokenIdentity.of("issuer", UUID.randomUUID().toString(), Instant.now().plusSeconds(60)));
		return lastEvent().source() == Source.LOCAL;
	}

	TokenBlacklist blacklist() {
		return this.blacklist;
	}

	/**
	 * Asserts something about a part of what operators see.
	 */
	AbstractObjectAssert<?, ?> assertState(String path) {
		return assertThat(this.guard.control().read(new GuardRequest(List.of(), Map.of()))).extracting(path);
	}

	BlacklistEvent lastEvent() {
		return (BlacklistEvent) this.events.get(this.events.size() - 1);
	}

	/**
	 * Returns whether checks are answered from memory, without checking anything.
	 */
	boolean isFresh() {
		return this.guard.isFresh();
	}

	boolean isAway() {
		return this.backend.get().breaker().isOpen();
	}

	List<GuardEvent> events() {
		return this.events;
	}

	@Override
	public void close() {
		this.guard.pause();
		this.backend.close();
	}

}
