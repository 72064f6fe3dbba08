// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.TokenIdentity;
import io.ge.redis.blacklist.UsedIds;
import io.ge.redis.blacklist.refresh.RefreshTokens;
import io.ge.redis.cache.GeCaches;
import io.ge.redis.idempotency.Idempotency;
import io.ge.redis.lock.DistributedLocks;
import io.ge.redis.lock.LockOptions;
import io.ge.redis.ratelimit.RateLimiter;
import io.ge.redis.session.Sessions;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.StandaloneRedis;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests that methods of the APIs which wait for Redis say so on an event loop, before
 * anything is sent.
 */
class WaitingApisIntegrationTests {

	@Test
	void methodThatWaitsFailsOnAnEventLoopAndNamesItsTwin() {
		StandaloneRedis redis = SharedRedis.standalone();
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
					GeRedisAutoConfiguration.class, RateLimitAutoConfiguration.class, BlacklistAutoConfiguration.class,
					RefreshTokenAutoConfiguration.class, LockAutoConfiguration.class,
					IdempotencyAutoConfiguration.class, CacheAutoConfiguration.class, SessionAutoConfiguration.class))
			.withPropertyValues(redis.properties())
			.withPropertyValues("ge.redis.key-prefix=waiting", "ge.redis.rate-limit.limits.code.limit=100",
					"ge.redis.idempotency.operations.code.ttl=1m", "ge.redis.session.enabled=true")
			.withBean(JsonMapper.class, JsonMapper::new)
			.run((context) -> {
				Scheduler loop = Schedulers.newSingle("event-loop");
				try {
					calls(context).forEach((method, call) -> {
						Throwable thrown = Mono.fromCallable(() -> catchThrowable(call))
							.subscribeOn(loop)
							.block(Duration.ofSeconds(30));
						assertThat(thrown).as(method)
							.isInstanceOf(IllegalStateException.class)
							.hasMessageStartingWith(method + " may wait for Redis, and was called on event-loop-")
							.hasMessageEndingWith("call " + method.substring(method.indexOf('.') + 1) + "Async there");
					});
					assertThat((List<?>) redis.primary().command("KEYS", "waiting:*"))
						// With which instances follow revocations
						.allMatch((key) -> key.toString().startsWith("waiting:blacklist:"));
				}
				finally {
					loop.dispose();
				}
				calls(context).forEach((method, call) -> assertThatCode(call).as(method).doesNotThrowAnyException());
			});
	}

	static Map<String, ThrowingCallable> calls(BeanFactory beans) {
		TokenIdentity token = new TokenIdentity(null, "jti", "anna", null, null, null, null, null);
		Map<String, ThrowingCallable> calls = new LinkedHashMap<>();
		RateLimiter limiter = beans.getBean(RateLimiter.class);
		calls.put("RateLimiter.tryAcquire", () -> limiter.tryAcquire("code", "anna"));
		calls.put("RateLimiter.reset", () -> limiter.reset("code", "anna"));
		DistributedLocks locks = beans.getBean(DistributedLocks.class);
		calls.put("DistributedLocks.tryLock", () -> locks.tryLock("code", "a").orElseThrow().close());
		calls.put("DistributedLocks.lock", () -> locks.lock("code", "a", LockOptions.defaults()).close());
		calls.put("DistributedLocks.lockAll",
				() -> locks.lockAll("code", List.of("a", "b"), LockOptions.defaults()).close());
		calls.put("DistributedLocks.execute",
				() -> locks.execute("code", "a", LockOptions.defaults(), (lock) -> "done"));
		calls.put("DistributedLocks.executeAll",
				() -> locks.executeAll("code", List.of("a", "b"), LockOptions.defaults(), (lock) -> "done"));
		Idempotency idempotency = beans.getBean(Idempotency.class);
		calls.put("Idempotency.execute", () -> idempotency.execute("code", "a", null, String.class, () -> "done"));
		TokenBlacklist blacklist = beans.getBean(TokenBlacklist.class);
		calls.put("TokenBlacklist.revoke", () -> blacklist.revoke(token));
		calls.put("TokenBlacklist.revokeAll", () -> blacklist.revokeAll(null, "anna"));
		calls.put("TokenBlacklist.revokeSession", () -> blacklist.revokeSession(null, "session"));
		calls.put("TokenBlacklist.revokeClient", () -> blacklist.revokeClient(null, "client"));
		calls.put("TokenBlacklist.issueStamp", () -> blacklist.issueStamp(null, "anna"));
		calls.put("TokenBlacklist.block", () -> blacklist.block("accounts", "a", Duration.ofMinutes(1)));
		calls.put("TokenBlacklist.unblock", () -> blacklist.unblock("accounts", "a"));
		RefreshTokens tokens = beans.getBean(RefreshTokens.class);
		calls.put("RefreshTokens.issue", () -> tokens.issue(null, "boris"));
		calls.put("RefreshTokens.rotate", () -> tokens.rotate("unknown"));
		calls.put("RefreshTokens.revoke", () -> tokens.revoke("unknown"));
		GeCaches caches = beans.getBean(GeCaches.class);
		calls.put("GeCaches.get", () -> caches.get("code", "a", String.class, () -> "value"));
		calls.put("GeCaches.getAll", () -> caches.getAll("code", List.of("b"), String.class, (keys) -> Map.of()));
		calls.put("GeCaches.write", () -> caches.write("code", "a", () -> "value"));
		calls.put("GeCaches.put", () -> caches.put("code", "a", "value"));
		calls.put("GeCaches.evict", () -> caches.evict("code", "a"));
		calls.put("GeCaches.invalidateTags", () -> caches.invalidateTags("code", "tag"));
		calls.put("GeCaches.clear", () -> caches.clear("code"));
		Sessions sessions = beans.getBean(Sessions.class);
		calls.put("Sessions.list", () -> sessions.list("anna"));
		calls.put("Sessions.end", () -> sessions.end("a"));
		calls.put("Sessions.endAll", () -> sessions.endAll("clara"));
		UsedIds ids = beans.getBean(UsedIds.class);
		calls.put("UsedIds.use", () -> ids.use("link", "a", Duration.ofMinutes(1)));
		return calls;
	}

}
