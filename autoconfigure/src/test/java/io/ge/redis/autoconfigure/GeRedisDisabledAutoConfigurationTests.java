// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.UsedIds;
import io.ge.redis.blacklist.refresh.RefreshTokens;
import io.ge.redis.cache.CacheWriteBehind;
import io.ge.redis.cache.Change;
import io.ge.redis.cache.GeCaches;
import io.ge.redis.cache.SpringCaches;
import io.ge.redis.cache.WriteBehindStore;
import io.ge.redis.core.guard.GuardedMethods;
import io.ge.redis.idempotency.Idempotency;
import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.lock.DistributedLock;
import io.ge.redis.lock.DistributedLocks;
import io.ge.redis.lock.FencingToken;
import io.ge.redis.lock.LockAssert;
import io.ge.redis.lock.LockContext;
import io.ge.redis.lock.LockHandle;
import io.ge.redis.lock.MultiLockHandle;
import io.ge.redis.ratelimit.RateLimited;
import io.ge.redis.ratelimit.RateLimiter;
import io.ge.redis.security.BackChannelLogoutHandler;
import io.ge.redis.security.BlacklistTokenValidator;
import io.ge.redis.security.OpaqueTokens;
import io.ge.redis.web.lock.FencingTokens;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.Mockito.mock;

/**
 * Applications start and run with guards that are switched off, all or one of them, and
 * nothing asks Redis.
 */
@ExtendWith(OutputCaptureExtension.class)
class GeRedisDisabledAutoConfigurationTests {

	private static final String ALL_OFF = "ge.redis.enabled=false";

	private static final Map<String, List<Class<?>>> APIS = Map.of("rate-limit", List.of(RateLimiter.class), "lock",
			List.of(DistributedLocks.class), "idempotency", List.of(Idempotency.class), "cache",
			List.of(GeCaches.class, SpringCaches.class), "blacklist",
			List.of(TokenBlacklist.class, UsedIds.class, RefreshTokens.class), "refresh-tokens",
			List.of(RefreshTokens.class));

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, JacksonAutoConfiguration.class,
				AopAutoConfiguration.class))
		.withConfiguration(AutoConfigurations.of(ours()))
		.withPropertyValues("ge.redis.embedded.enabled=false", "spring.data.redis.port=1");

	private static Class<?>[] ours() {
		return ImportCandidates
			.load(AutoConfiguration.class, GeRedisDisabledAutoConfigurationTests.class.getClassLoader())
			.getCandidates()
			.stream()
			.filter((name) -> name.startsWith("io.ge.redis."))
			.map((name) -> ClassUtils.resolveClassName(name, null))
			.toArray(Class<?>[]::new);
	}

	@Test
	void whatIsInjectedHasAStandIn() {
		this.runner.withPropertyValues(ALL_OFF).withBean(Injected.class).run((context) -> {
			Injected injected = context.getBean(Injected.class);
			for (int i = 0; i < 3; i++) {
				assertThat(injected.limiter().tryAcquire("sales", "anna").isAllowed()).isTrue();
				assertThat(injected.idempotency().execute("pay", "key", null, Integer.class, () -> 1)).isEqualTo(1);
			}
			injected.blacklist().block("users", "anna", Duration.ofHours(1));
			assertThat(injected.blacklist().isBlocked("users", "anna")).isFalse();
			assertThat(injected.caches().get("prices", "tea", String.class, () -> "loaded")).isEqualTo("loaded");
			assertThat(injected.usedIds().use("links", "a", Duration.ofHours(1))).isTrue();
			assertThat(injected.validator()
				.validate(Jwt.withTokenValue("a").header("alg", "none").claim("b", 1).build())
				.hasErrors()).isFalse();
			try (LockHandle lock = injected.locks().tryLock("orders", 1).orElseThrow()) {
				assertThat(injected.locks().tryLock("orders", 1).orElseThrow().token()).isGreaterThan(lock.token());
			}
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "rate-limit", "lock", "idempotency", "cache", "blacklist", "refresh-tokens" })
	void onePatternAloneCanBeSwitchedOff(String off) {
		this.runner.withPropertyValues("ge.redis." + off + ".enabled=false").run((context) -> {
			assertThat(context).hasNotFailed();
			APIS.forEach((pattern, apis) -> apis.forEach((api) -> {
				String name = context.getBeanNamesForType(api)[0];
				BeanDefinition definition = context.getBeanFactory().getBeanDefinition(name);
				boolean standIn = "unguarded".equals(definition.getFactoryMethodName())
						|| String.valueOf(definition.getFactoryBeanName()).contains("GeRedisDisabledAutoConfiguration");
				assertThat(standIn).as(pattern).isEqualTo(APIS.get(off).contains(api));
			}));
		});
	}

	@Test
	void beansOfTheApplicationAreUsedInstead() {
		RateLimiter limiter = mock(RateLimiter.class);
		TokenBlacklist blacklist = mock(TokenBlacklist.class);
		CacheManager manager = new ConcurrentMapCacheManager();
		this.runner.withPropertyValues(ALL_OFF)
			.withBean(RateLimiter.class, () -> limiter)
			.withBean(TokenBlacklist.class, () -> blacklist)
			.withBean("theirs", CacheManager.class, () -> manager)
			.run((context) -> {
				assertThat(context.getBean(RateLimiter.class)).isSameAs(limiter);
				assertThat(context.getBean(TokenBlacklist.class)).isSameAs(blacklist);
				assertThat(context.getBean(CacheManager.class)).isSameAs(manager);
			});
	}

	@Test
	void thereAreNoStandInsForWhatIsMissingForAnotherReason() {
		this.runner.withClassLoader(new FilteredClassLoader("org.springframework.data.redis")).run((context) -> {
			assertThat(context).hasNotFailed();
			APIS.values().forEach((apis) -> apis.forEach((api) -> assertThat(context.getBeansOfType(api)).isEmpty()));
		});
	}

	@Test
	void saysOnceWhatIsOff(CapturedOutput output) {
		this.runner.withPropertyValues("ge.redis.cache.enabled=false", "ge.redis.lock.enabled=off")
			.run((context) -> assertThat(output.getOut()
				.split("ge.redis.lock.enabled=false, ge.redis.cache.enabled=false: annotated methods run unguarded"))
				.hasSize(2));
	}

	@ParameterizedTest
	@ValueSource(strings = { "ge.redis.enabled", "ge.redis.lock.enabled" })
	void methodsRunUnderLocksThatAreGranted(String property) {
		this.runner
			.withPropertyValues(property + "=false", "ge.redis.rate-limit.enabled=false",
					"ge.redis.idempotency.enabled=false")
			.withBean(Desk.class)
			.run((context) -> {
				Desk desk = context.getBean(Desk.class);
				long first = desk.run(null, 0);
				assertThat(desk.run(null, 0)).isGreaterThan(first);
				assertThat(desk.runLater(0).get(1, TimeUnit.SECONDS)).isGreaterThan(first);
				assertThat(desk.runWhenSubscribed(0).block()).isGreaterThan(first);
				assertThat(desk.runForSeveral(List.of("a", "b"))).isGreaterThan(first);
				assertThatIllegalStateException().isThrownBy(LockContext::current);
				assertThat(context.getBeansOfType(GuardedMethods.class).values())
					.allSatisfy((methods) -> assertThat(methods.all()).extracting(GuardedMethods.Entry::guard)
						.noneMatch((guard) -> guard.pattern().equals("lock")));
			});
	}

	@Test
	void tokensAreNotBelowThoseOfRedis() {
		long yesterday = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis() - TimeUnit.DAYS.toMillis(1));
		assertThat(DistributedLocks.unguarded().tryLock("orders", 1).orElseThrow().token()).isGreaterThan(yesterday);
	}

	@Test
	void tokensAreNotReadFromRequests() {
		AutoConfigurations disabled = AutoConfigurations.of(GeRedisDisabledAutoConfiguration.class);
		new WebApplicationContextRunner().withConfiguration(disabled)
			.withPropertyValues(ALL_OFF)
			.run((context) -> assertThat(context).hasSingleBean(FencingTokens.OnServlets.class));
		new ReactiveWebApplicationContextRunner().withConfiguration(disabled)
			.withPropertyValues(ALL_OFF)
			.run((context) -> assertThat(context).hasSingleBean(FencingTokens.OnWebFlux.class));
	}

	@Test
	void cachesOfSpringNeverHit() {
		this.runner.withPropertyValues(ALL_OFF, "ge.redis.cache.ttl=1m")
			.withConfiguration(
					AutoConfigurations.of(org.springframework.boot.cache.autoconfigure.CacheAutoConfiguration.class))
			.withUserConfiguration(Caching.class)
			.withBean(Prices.class)
			.run((context) -> {
				Prices prices = context.getBean(Prices.class);
				assertThat(prices.price("tea")).isNotEqualTo(prices.price("tea"));
			});
	}

	@Test
	void whatIsWrittenBehindIsWrittenAtOnce() {
		this.runner.withPropertyValues("ge.redis.cache.enabled=false")
			.withBean(Store.class)
			.withBean(Scores.class)
			.run((context) -> {
				List<Change<String>> changes = context.getBean(Store.class).changes;
				context.getBean(Scores.class).award("anna");
				assertThat(changes).extracting(Change::key).containsExactly("anna");
				long version = context.getBean(GeCaches.class).writeBehind("scores", "boris", "2");
				assertThat(changes).extracting(Change::value).containsExactly("1", "2");
				assertThat(changes.get(1).version()).isEqualTo(version).isGreaterThan(changes.get(0).version());
			});
	}

	record Injected(RateLimiter limiter, DistributedLocks locks, Idempotency idempotency, GeCaches caches,
			TokenBlacklist blacklist, UsedIds usedIds, RefreshTokens refreshTokens, BlacklistTokenValidator validator,
			BackChannelLogoutHandler handler, OpaqueTokens opaqueTokens) {
	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching
	static class Caching {

	}

	static class Prices {

		@Cacheable("prices")
		Object price(String item) {
			return new Object();
		}

	}

	static class Store implements WriteBehindStore<String> {

		private final List<Change<String>> changes = new ArrayList<>();

		@Override
		public String cache() {
			return "scores";
		}

		@Override
		public void writeAll(List<Change<String>> written) {
			this.changes.addAll(written);
		}

	}

	static class Desk {

		@Idempotent(key = "'same'")
		@RateLimited(limit = 1, window = "1h")
		@DistributedLock(name = "orders", key = "#missing")
		public long run(@Nullable Object missing, @FencingToken long token) {
			LockAssert.assertHeld("orders");
			assertThat(LockContext.current().token()).isEqualTo(token);
			assertThat(LockContext.current().isValid()).isTrue();
			return token;
		}

		@DistributedLock(name = "orders")
		public CompletableFuture<Long> runLater(@FencingToken long token) {
			LockAssert.assertHeld("orders");
			return CompletableFuture.completedFuture(token);
		}

		@DistributedLock(name = "orders")
		public Mono<Long> runWhenSubscribed(@FencingToken long token) {
			return Mono.deferContextual((context) -> {
				LockAssert.assertHeld("orders");
				return Mono.just(LockContext.current(context).token());
			});
		}

		@DistributedLock(name = "orders", keys = "#ids")
		public long runForSeveral(List<String> ids) {
			return ((MultiLockHandle) LockContext.current()).token(ids.get(1));
		}

	}

	static class Scores {

		@CacheWriteBehind(cache = "scores", key = "#player")
		public String award(String player) {
			return "1";
		}

	}

}
