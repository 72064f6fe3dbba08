// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.script;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.ge.redis.RedisUnavailableException;
import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.key.RedisKey;
import io.ge.redis.core.outage.GuardedRedis;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.test.ClusterRedis;
import io.ge.redis.test.OnRedis;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.RedisNode;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.RedisTarget;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.TestBackend;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Scripts on real servers, through both adapters.
 */
class ScriptExecutorIntegrationTests {

	private static final LuaScript SET = LuaScript.load(ScriptExecutorIntegrationTests.class, "set.lua");

	private static final LuaScript COUNT = LuaScript.load(ScriptExecutorIntegrationTests.class, "count.lua");

	private static final KeySpace KEYS = new KeySpace("ge", "test");

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
	@OnRedis(RedisTarget.REDIS_8)
	class OnRedis8 extends Contract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.VALKEY_8)
	class OnValkey8 extends Contract {

	}

	abstract static class Contract {

		@Test
		void runsScriptInOneCommand(RedisFixture redis) {
			try (TestBackend backend = TestBackend.on(redis)) {
				set(backend, "warm");
				redis.configResetStat();
				assertThat(set(backend, "warm").text(0)).isEqualTo("warm");
				assertThat(redis.commandCalls("evalsha")).isEqualTo(1);
				assertThat(redis.commandCalls("eval")).isZero();
			}
		}

		@Test
		void recoversFromFlushedScripts(RedisFixture redis) {
			try (TestBackend backend = TestBackend.on(redis)) {
				set(backend, "before");
				redis.scriptFlush();
				assertThat(set(backend, "after").text(0)).isEqualTo("after");
				assertThat(backend.failures()).isEmpty();
			}
		}

		@Test
		void repliesWithNumbersBytesAndAbsence(RedisFixture redis) {
			try (TestBackend backend = TestBackend.on(redis)) {
				ScriptReply reply = set(backend, "value");
				assertThat(reply.text(0)).isEqualTo("value");
				assertThat(reply.number(1)).isEqualTo(9_007_199_254_740_991L);
				assertThat(reply.has(2)).isFalse();
				assertThat(reply.number(3)).isEqualTo(7);
			}
		}

		@Test
		void flagsOfScriptCostNothingWhetherTheServerKnowsThemOrNot(RedisFixture redis) {
			try (TestBackend backend = TestBackend.on(redis)) {
				GuardedRedis door = backend.get().redis("test");
				RedisKey key = KEYS.entity(KeyPart.of("flags"));
				ScriptCall call = ScriptCall.of(SET.runningWithoutMemory(), key, "stored");
				for (int i = 0; i < 2; i++) {
					assertThat(Waiting.await(door.run(call, door.newBudget())).text(0)).isEqualTo("stored");
				}
				redis.configResetStat();
				assertThat(Waiting.await(door.run(call, door.newBudget())).text(0)).isEqualTo("stored");
				assertThat(redis.commandCalls("evalsha")).isEqualTo(1);
				assertThat(redis.commandCalls("eval")).isZero();
			}
		}

		@Test
		void runsForEachGroupOfKeysAndFailsForThoseAloneForWhichItFails(RedisFixture redis) {
			try (TestBackend backend = TestBackend.on(redis)) {
				GuardedRedis door = backend.get().redis("test");
				RedisKey entity = KEYS.entity(KeyPart.of("each"));
				RedisKey first = entity.with(KeyPart.of("first"));
				RedisKey text = entity.with(KeyPart.of("text"));
				RedisKey last = entity.with(KeyPart.of("last"));
				Waiting.await(door.run(ScriptCall.of(SET, text, "no number"), door.newBudget()));
				ScriptCall some = ScriptCall.of(COUNT.forEach(), List.of(first, text, last), 1, 3, 3, 4, 4, 5, 5);
				List<ScriptReply> replies = Waiting.await(door.run(some, door.newBudget())).parts();
				assertThat(replies).hasSize(3);
				assertThat(replies.get(0).number(0)).isEqualTo(3);
				assertThat(replies.get(0).number(1)).isEqualTo(3);
				assertThat(replies.get(0).has(2)).isFalse();
				assertThat(replies.get(1).text(0)).isEqualTo("failed");
				assertThat(replies.get(2).number(0)).isEqualTo(5);
				ScriptCall none = ScriptCall.of(COUNT.forEach(), List.of(text, text), 1, 3, 3, 4, 4);
				assertThatExceptionOfType(RedisUnavailableException.class)
					.isThrownBy(() -> Waiting.await(door.run(none, door.newBudget())))
					.havingRootCause()
					.withMessageContaining("not an integer");
				redis.flushAll();
			}
		}

		@Test
		void keysOfOneEntityNeedOneSlot(RedisFixture redis) {
			try (TestBackend backend = TestBackend.on(redis)) {
				GuardedRedis door = backend.get().redis("test");
				for (String entity : List.of("a", "{b}", "c}d{", "%", "€")) {
					RedisKey key = KEYS.entity(KeyPart.of(entity));
					List<RedisKey> keys = new ArrayList<>(List.of(key, key.with(KeyPart.of("x{y}z"))));
					ScriptReply reply = Waiting.await(door.run(ScriptCall.of(SET, keys, entity), door.newBudget()));
					assertThat(reply.text(0)).isEqualTo(entity);
				}
			}
		}

	}

	@Test
	void runsWithoutMemoryWhereTheServerCan() {
		try (StandaloneRedis redis = RedisServers.version("7.0").standalone();
				TestBackend backend = TestBackend.on(redis)) {
			redis.primary().exhaustMemory();
			GuardedRedis door = backend.get().redis("test");
			RedisKey key = KEYS.entity(KeyPart.of("full"));
			ScriptCall call = ScriptCall.of(SET.runningWithoutMemory(), key, "stored");
			assertThat(Waiting.await(door.run(call, door.newBudget())).text(0)).isEqualTo("stored");
		}
	}

	@Test
	@Wide
	void learnsScriptsOnPrimaryThatWasPromoted() {
		try (ClusterRedis redis = RedisServers.clusterWithReplicas(1); TestBackend backend = TestBackend.on(redis)) {
			set(backend, "before");
			RedisNode former = redis.primaryFor(KEYS.entity(KeyPart.of("entity")).toString());
			former.kill();
			redis.awaitFailover(former);
			Awaitility.await()
				.atMost(Duration.ofSeconds(20))
				.ignoreExceptions()
				.untilAsserted(() -> assertThat(set(backend, "after").text(0)).isEqualTo("after"));
		}
	}

	private static ScriptReply set(TestBackend backend, String value) {
		GuardedRedis door = backend.get().redis("test");
		return Waiting.await(door.run(ScriptCall.of(SET, KEYS.entity(KeyPart.of("entity")), value), door.newBudget()));
	}

}
