// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;

import io.ge.redis.GeRedisException;
import io.ge.redis.RedisUnavailableException;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.UsedIds;
import io.ge.redis.blacklist.refresh.RefreshTokens;
import io.ge.redis.cache.GeCaches;
import io.ge.redis.core.endpoint.GuardRequest;
import io.ge.redis.core.event.GuardFigures;
import io.ge.redis.core.guard.GuardedMethods;
import io.ge.redis.idempotency.Idempotency;
import io.ge.redis.idempotency.IdempotencyInFlightException;
import io.ge.redis.lock.DistributedLocks;
import io.ge.redis.lock.LockHandle;
import io.ge.redis.lock.LockMode;
import io.ge.redis.lock.LockOptions;
import io.ge.redis.lock.LockReleaseEvent;
import io.ge.redis.lock.internal.LockPattern;
import io.ge.redis.ratelimit.RateLimiter;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.fail;

/**
 * What others have written where the guards keep their state: each number and each word
 * of it is replaced in turn. A call is decided, or ends with an exception of ours, and
 * calls on other keys go on as if nothing was.
 */
class ForeignStateIntegrationTests {

	private static final List<String> FOREIGN = List.of("nan", "inf", "-inf", "-1", "9007199254740993",
			"99999999999999999999", "x");

	/**
	 * Replaces one place in the state of a pattern, and replies 0 if there are not so
	 * many.
	 */
	private static final String REPLACE = """
			local place, foreign = tonumber(ARGV[2]), ARGV[3]
			local function here()
			  place = place - 1
			  return place == 0
			end
			local function replaced(text)
			  if here() then
			    return foreign
			  end
			  for from, to in string.gmatch(text, '()%w+()') do
			    if here() then
			      return string.sub(text, 1, from - 1) .. foreign .. string.sub(text, to)
			    end
			  end
			end
			local keys = redis.call('KEYS', ARGV[1])
			table.sort(keys)
			for _, key in ipairs(keys) do
			  local type = redis.call('TYPE', key).ok
			  if type == 'string' then
			    local text = redis.call('GET', key)
			    if #text >= 16 and string.find(text, '%z') then
			      for at = 0, 8, 8 do
			        if here() then
			          redis.call('SETRANGE', key, at, struct.pack('>d', tonumber(foreign) or 0))
			          return 1
			        end
			      end
			    end
			    text = replaced(text)
			    if text then
			      redis.call('SET', key, text, 'KEEPTTL')
			      return 1
			    end
			  elseif type == 'hash' then
			    local fields = redis.call('HGETALL', key)
			    for i = 1, #fields, 2 do
			      local text = replaced(fields[i + 1])
			      if text then
			        redis.call('HSET', key, fields[i], text)
			        return 1
			      end
			    end
			  elseif type == 'list' then
			    if here() then
			      redis.call('LSET', key, -1, foreign)
			      return 1
			    end
			  elseif type == 'zset' then
			    for _, member in ipairs(redis.call('ZRANGE', key, 0, -1)) do
			      if here() then
			        redis.pcall('ZADD', key, foreign, member)
			        return 1
			      end
			    end
			  end
			  if type ~= 'stream' and here() then
			    redis.call('DEL', key)
			    redis.call(type == 'list' and 'SADD' or 'RPUSH', key, foreign)
			    return 1
			  end
			end
			return 0
			""";

	private static final AtomicInteger CALLS = new AtomicInteger();

	private static AnnotationConfigApplicationContext application;

	@BeforeAll
	static void start() {
		SharedRedis.standalone().flushAll();
		application = new AnnotationConfigApplicationContext();
		TestPropertyValues.of(SharedRedis.properties())
			.and("ge.redis.rate-limit.limits.window.limit=2", "ge.redis.rate-limit.limits.window.window=1m",
					"ge.redis.rate-limit.limits.bucket.limit=2", "ge.redis.rate-limit.limits.bucket.window=1m",
					"ge.redis.rate-limit.limits.bucket.algorithm=token-bucket",
					"ge.redis.rate-limit.limits.counter.limit=2", "ge.redis.rate-limit.limits.counter.window=1m",
					"ge.redis.rate-limit.limits.counter.algorithm=sliding-window-counter",
					"ge.redis.rate-limit.limits.fixed.limit=2", "ge.redis.rate-limit.limits.fixed.window=1m",
					"ge.redis.rate-limit.limits.fixed.algorithm=fixed-window")
			.applyTo(application);
		application.register(Guards.class);
		application.refresh();
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@ParameterizedTest
	@EnumSource
	@Wide
	void foreignStateIsDecidedOrRefused(State state) {
		for (String foreign : FOREIGN) {
			int place = 0;
			boolean replaced = true;
			while (replaced) {
				place++;
				run("EVAL", "for _, key in ipairs(redis.call('KEYS', ARGV[1])) do redis.call('DEL', key) end", "0",
						state.keys);
				Runnable call = state.prepared.apply(application, "key-" + CALLS.incrementAndGet());
				replaced = (Long) run("EVAL", REPLACE, "0", state.keys, String.valueOf(place), foreign) == 1;
				try {
					call.run();
				}
				catch (GeRedisException ex) {
					assertThat(replaced).as("refused for good reason").isTrue();
				}
				catch (RuntimeException ex) {
					fail("place %d with '%s'".formatted(place, foreign), ex);
				}
			}
			assertThat(place).isGreaterThan(2);
		}
	}

	private static Object run(String... command) {
		return SharedRedis.standalone().primary().command(command);
	}

	@Test
	void refusalNamesTheKeyAndWhatWasFound() {
		bean(DistributedLocks.class).lock("orders", "b", LockOptions.defaults()).close();
		run("SET", "ge:lock:{orders:b}:f1", "nan");
		assertThatExceptionOfType(RedisUnavailableException.class)
			.isThrownBy(() -> bean(DistributedLocks.class).tryLock("orders", "b"))
			.withMessageContaining("ge:lock:{orders:b}:f1 holds nan")
			.withMessageContaining("delete this key");
		run("DEL", "ge:lock:{orders:b}:f1");
		bean(DistributedLocks.class).tryLock("orders", "b").orElseThrow().close();
	}

	@Test
	void countsOfWhichHalfOneIsMissingAreNotLookedForWithoutEnd() {
		RateLimiter limiter = bean(RateLimiter.class);
		limiter.tryAcquire("counter", "half");
		assertThat(run("EVAL", """
				local key = redis.call('KEYS', 'ge:ratelimit:{half}*')[1]
				local head = string.sub(redis.call('GET', key), 1, 16)
				redis.call('SET', key, head .. string.rep('\\0', 6), 'KEEPTTL')
				return 1
				""", "0")).isEqualTo(1L);
		limiter.tryAcquire("counter", "half");
		assertThat(run("PING")).isEqualTo("PONG");
	}

	@Test
	void rowWithoutEndHindersNoRevocation() {
		TokenBlacklist blacklist = bean(TokenBlacklist.class);
		blacklist.revokeAll(null, "anna");
		List<?> ended = (List<?>) run("EVAL", """
				for _, key in ipairs(redis.call('KEYS', 'ge:blacklist:*')) do
				  if redis.call('TYPE', key).ok == 'zset' then
				    local members = redis.call('ZRANGE', key, 0, -1)
				    redis.call('ZADD', key, 'inf', members[1], 'inf', 'of another program')
				    return members
				  end
				end
				""", "0");
		assertThat(ended).isNotEmpty();
		assertThat(blacklist.revokeAll(null, "anna").timeToLive()).isPositive();
		assertThat(blacklist.revokeAll(null, "boris").timeToLive()).isPositive();
	}

	private static <T> T bean(Class<T> type) {
		return application.getBean(type);
	}

	/**
	 * State that is there when a call comes that finds it.
	 */
	enum State {

		SLIDING_WINDOW("ge:ratelimit:*", (beans, key) -> limited(beans, "window", key)),

		TOKEN_BUCKET("ge:ratelimit:*", (beans, key) -> limited(beans, "bucket", key)),

		COUNTER("ge:ratelimit:*", (beans, key) -> limited(beans, "counter", key)),

		FIXED_WINDOW("ge:ratelimit:*", (beans, key) -> limited(beans, "fixed", key)),

		LOCK("ge:lock:*", (beans, key) -> {
			beans.getBean(DistributedLocks.class).lock("orders", key, LockOptions.defaults()).close();
			return () -> beans.getBean(DistributedLocks.class).lock("orders", key, LockOptions.defaults()).close();
		}),

		HELD_LOCK("ge:lock:*", (beans, key) -> held(beans, key, LockMode.EXCLUSIVE)),

		SHARED_LOCK("ge:lock:*", (beans, key) -> held(beans, key, LockMode.READ)),

		IDEMPOTENT("ge:idempotency:*", (beans, key) -> {
			Runnable call = () -> beans.getBean(Idempotency.class)
				.execute("pay", key, "payload", String.class, () -> "done");
			call.run();
			return call;
		}),

		IDEMPOTENT_IN_PROGRESS("ge:idempotency:*", (beans, key) -> {
			Idempotency idempotency = beans.getBean(Idempotency.class);
			CompletableFuture<String> work = new CompletableFuture<>();
			CompletableFuture<Boolean> begun = new CompletableFuture<>();
			CompletionStage<String> first = idempotency.executeAsync("pay", key, "payload", String.class, () -> {
				begun.complete(true);
				return work;
			});
			begun.orTimeout(5, TimeUnit.SECONDS).join();
			return () -> {
				try {
					idempotency.execute("pay", key, "payload", String.class, () -> "done");
				}
				catch (IdempotencyInFlightException ex) {
					// as it should be
				}
				finally {
					work.complete("done");
					first.toCompletableFuture().handle((result, failure) -> failure).join();
				}
			};
		}),

		CACHE("ge:cache:*", (beans, key) -> {
			GeCaches caches = beans.getBean(GeCaches.class);
			caches.put("items", key, "value");
			caches.invalidateTags("items", "tag");
			return () -> {
				caches.get("items", key, String.class, () -> "value");
				caches.write("items", key, () -> "other");
				caches.evict("items", key);
				caches.invalidateTags("items", "tag");
				caches.get("items", key, String.class, () -> "value");
			};
		}),

		BLACKLIST("ge:blacklist:*", (beans, key) -> {
			TokenBlacklist blacklist = beans.getBean(TokenBlacklist.class);
			Runnable call = () -> {
				blacklist.revoke(null, key, Instant.now().plusSeconds(60));
				blacklist.revokeAll(null, key);
				blacklist.block("accounts", key, Duration.ofMinutes(1));
				blacklist.isBlocked("accounts", key);
				blacklist.issueStamp(null, key);
			};
			call.run();
			return call;
		}),

		REFRESH_TOKEN("ge:refresh:*", (beans, key) -> {
			RefreshTokens tokens = beans.getBean(RefreshTokens.class);
			String token = tokens.issue(null, key).value();
			tokens.rotate(token);
			return () -> tokens.rotate(token);
		}),

		ENDED_REFRESH_TOKEN("ge:refresh:*", (beans, key) -> {
			RefreshTokens tokens = beans.getBean(RefreshTokens.class);
			String token = tokens.issue(null, key).value();
			tokens.revoke(token);
			return () -> tokens.rotate(token);
		}),

		USED_ID("ge:replay:*", (beans, key) -> {
			beans.getBean(UsedIds.class).use("proof", key, Duration.ofMinutes(1));
			return () -> beans.getBean(UsedIds.class).use("proof", key, Duration.ofMinutes(1));
		});

		private final String keys;

		private final BiFunction<BeanFactory, String, Runnable> prepared;

		/**
		 * Creates it.
		 * @param keys where it is
		 * @param prepared writes it and returns the call
		 */
		State(String keys, BiFunction<BeanFactory, String, Runnable> prepared) {
			this.keys = keys;
			this.prepared = prepared;
		}

		private static Runnable limited(BeanFactory beans, String limit, String key) {
			RateLimiter limiter = beans.getBean(RateLimiter.class);
			limiter.tryAcquire(limit, key);
			return () -> {
				limiter.tryAcquire(limit, key);
				limiter.tryAcquire(limit, key);
			};
		}

		private static Runnable held(BeanFactory beans, String key, LockMode mode) {
			DistributedLocks locks = beans.getBean(DistributedLocks.class);
			LockOptions options = LockOptions.defaults().mode(mode);
			LockHandle held = locks.lock("orders", key, options);
			return () -> {
				try (held) {
					locks.tryLock("orders", key, options).ifPresent(LockHandle::close);
					GuardFigures used = new GuardFigures();
					used.onEvent(new LockReleaseEvent("orders", Duration.ZERO));
					beans.getBean(LockPattern.class)
						.control(new GuardedMethods(), used)
						.read(new GuardRequest(List.of("orders"), Map.of("key", key)));
				}
			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ AopAutoConfiguration.class, JacksonAutoConfiguration.class,
			DataRedisAutoConfiguration.class, GeRedisAutoConfiguration.class, BlacklistAutoConfiguration.class,
			RefreshTokenAutoConfiguration.class, RateLimitAutoConfiguration.class, IdempotencyAutoConfiguration.class,
			LockAutoConfiguration.class, CacheAutoConfiguration.class })
	static class Guards {

	}

}
