// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.ge.redis.blacklist.UsedIds;
import io.ge.redis.test.OnRedis;
import io.ge.redis.test.RedisEndpoint;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.RedisTarget;
import io.ge.redis.test.TestBackend;
import io.ge.redis.test.TestCalls;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link UsedIds} on every {@link RedisTarget}.
 */
class UsedIdsIntegrationTests {

	@Nested
	@OnRedis(RedisTarget.STANDALONE)
	class OnStandalone extends Contract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.SENTINEL)
	class OnSentinel extends Contract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.CLUSTER)
	class OnCluster extends Contract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.REDIS_7_4)
	class OnRedis74 extends Contract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.REDIS_8)
	class OnRedis8 extends Contract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.VALKEY_8)
	class OnValkey8 extends Contract {

	}

	abstract static class Contract {

		private static final Duration MINUTE = Duration.ofMinutes(1);

		private TestBackend first;

		private TestBackend second;

		@BeforeEach
		void start(RedisFixture redis) {
			this.first = TestBackend.on(redis, "first");
			this.second = TestBackend.on(redis, "second");
		}

		@AfterEach
		void stop() {
			this.first.close();
			this.second.close();
		}

		@Test
		void idIsUsedOnceOnWhateverInstance(RedisFixture redis) throws Exception {
			List<UsedIds> instances = List.of(usedIds(this.first), usedIds(this.second));
			String id = UUID.randomUUID().toString();
			ExecutorService callers = Executors.newFixedThreadPool(8);
			try {
				List<Future<Boolean>> uses = new ArrayList<>();
				for (int i = 0; i < 16; i++) {
					UsedIds instance = instances.get(i % 2);
					uses.add(callers.submit(() -> instance.use("link", id, MINUTE)));
				}
				int first = 0;
				for (Future<Boolean> use : uses) {
					first += use.get() ? 1 : 0;
				}
				assertThat(first).isEqualTo(1);
			}
			finally {
				callers.shutdownNow();
			}
			assertThat(instances.get(0).use("proof", id, MINUTE)).isTrue();
			assertThat(redis.keysWithoutTtl()).isEmpty();
			for (RedisEndpoint endpoint : redis.endpoints()) {
				assertThat(String.valueOf(endpoint.command("KEYS", "*"))).doesNotContain(id);
			}
		}

		@Test
		@Wide
		void twinThatDoesNotBlockDoesTheSame() {
			UsedIds used = usedIds(this.first);
			String id = UUID.randomUUID().toString();
			assertThat(used.useAsync("link", id, MINUTE).toCompletableFuture().join()).isTrue();
			assertThat(used.use("link", id, MINUTE)).isFalse();
			assertThat(used.useAsync("link", id, MINUTE).toCompletableFuture().join()).isFalse();
		}

		@Test
		void idIsForgotten() {
			UsedIds used = usedIds(this.first);
			String id = UUID.randomUUID().toString();
			assertThat(used.use("link", id, Duration.ofMillis(50))).isTrue();
			await().atMost(Duration.ofSeconds(10)).until(() -> used.use("link", id, MINUTE));
			assertThat(used.use("link", id, MINUTE)).isFalse();
			assertThatIllegalArgumentException().isThrownBy(() -> used.use("link", id, Duration.ZERO));
		}

		private static UsedIds usedIds(TestBackend backend) {
			return new RedisUsedIds(backend::get, TestCalls.plain());
		}

	}

}
