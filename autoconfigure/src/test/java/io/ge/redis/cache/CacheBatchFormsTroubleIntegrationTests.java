// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.ge.redis.cache.AsyncApplication.Account;
import io.ge.redis.cache.AsyncBatches.Form;
import io.ge.redis.test.OnRedis;
import io.ge.redis.test.ReactiveDatabase;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.RedisTarget;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Mono;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of readers of several values that come later, where Redis or other callers do not
 * do as usual, or there are many servers.
 */
@Wide
class CacheBatchFormsTroubleIntegrationTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private static final List<String> IDS = List.of("a", "b", "c");

	private static final ReactiveDatabase DATABASE = ReactiveDatabase.create();

	private static void run(String[] redis, Consumer<AsyncApplication> use, String... properties) {
		IDS.forEach((id) -> DATABASE.put(id, 1).block(LONG));
		try (AsyncApplication application = AsyncApplication.start(DATABASE, redis, properties)) {
			use.accept(application);
		}
	}

	@Test
	void loadsEverythingInOneGoWhileRedisIsAway() {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			run(redis.properties(), (application) -> {
				AsyncBatches batches = application.batches();
				batches.findAll(IDS).block(LONG);
				redis.primary().kill();
				for (Form form : Form.values()) {
					batches.reset();
					application.events().takeResults();
					assertThat(form.find(batches, IDS)).hasSize(3);
					assertThat(batches.loaded()).containsExactly(IDS);
					assertThat(application.events().takeResults()).containsExactly("bypass", "bypass", "bypass",
							"loaded");
				}
				redis.primary().start();
				Awaitility.await().atMost(LONG).until(() -> {
					batches.reset();
					batches.findAll(IDS).block(LONG);
					return batches.loaded().isEmpty();
				});
			}, "ge.redis.outage.command-timeout=1s");
		}
	}

	@ParameterizedTest
	@EnumSource
	void loadsWhatOthersLoadForEver(Form form) {
		SharedRedis.standalone().flushAll();
		run(SharedRedis.standalone().properties(), (application) -> {
			AsyncBatches batches = application.batches();
			application.accounts().afterRead((read) -> Mono.never());
			CompletableFuture<Account> one = application.accounts().find("b").toFuture();
			Awaitility.await().until(() -> application.accounts().loads().get() == 1);
			assertThat(form.find(batches, IDS)).hasSize(3);
			assertThat(batches.loaded()).flatMap((ids) -> ids).containsExactlyInAnyOrderElementsOf(IDS);
			one.cancel(true);
		});
	}

	@ParameterizedTest
	@EnumSource
	void promiseThatIsNeverKeptHoldsNobodyForLongerThanItsLease(Form form) {
		SharedRedis.standalone().flushAll();
		run(SharedRedis.standalone().properties(), (application) -> {
			AsyncBatches batches = application.batches();
			AtomicBoolean hanging = new AtomicBoolean();
			batches.afterRead((ids) -> Mono.never().doOnSubscribe((subscription) -> hanging.set(true)));
			CompletableFuture<Map<String, Account>> never = form.begin(batches, IDS);
			Awaitility.await().untilTrue(hanging);
			batches.reset();
			assertThat(form.find(batches, IDS)).hasSize(3);
			assertThat(batches.loaded()).flatMap((ids) -> ids).containsExactlyInAnyOrderElementsOf(IDS);
			assertThat(never).isNotDone();
			never.cancel(true);
		}, "ge.redis.cache.lease-time=1s");
	}

	/**
	 * Entries are in many slots.
	 */
	@Nested
	@Wide
	@OnRedis(RedisTarget.CLUSTER)
	class OnCluster {

		@Test
		void missesCostTwoCallsForEachSlotAndHitsOne(RedisFixture redis) {
			List<String> ids = IntStream.range(0, 20).mapToObj((number) -> "slot" + number).toList();
			long slots = ids.stream()
				.map((id) -> ClusterSlotHashUtil
					.calculateSlot(("ge:cache:{accounts:" + id + "}:e1").getBytes(StandardCharsets.UTF_8)))
				.distinct()
				.count();
			ids.forEach((id) -> DATABASE.put(id, 1).block(LONG));
			run(redis.properties(), (application) -> {
				AsyncBatches batches = application.batches();
				// So that the counts are free of repetitions, on each node
				batches.findAll(ids).block(LONG);
				for (Form form : Form.values()) {
					application.caches().clear("accounts");
					redis.flushAll();
					application.caches().clear("accounts");
					batches.reset();
					assertThat(calls(redis, () -> assertThat(form.find(batches, ids)).hasSize(20)))
						.isEqualTo(2 * slots);
					assertThat(calls(redis, () -> assertThat(form.find(batches, ids)).hasSize(20))).isEqualTo(slots);
					assertThat(batches.loaded()).containsExactly(ids);
				}
			});
		}

		private static long calls(RedisFixture redis, Runnable work) {
			redis.configResetStat();
			work.run();
			return redis.commandCalls("evalsha") + redis.commandCalls("eval");
		}

	}

}
