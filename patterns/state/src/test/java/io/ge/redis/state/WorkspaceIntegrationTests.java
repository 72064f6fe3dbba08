// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.state;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import io.ge.redis.core.structure.StructureMismatchException;
import io.ge.redis.test.OnRedis;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.RedisTarget;
import io.ge.redis.test.Wide;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * The promises of workspaces, on each kind of Redis.
 */
class WorkspaceIntegrationTests {

	@Nested
	@OnRedis(RedisTarget.STANDALONE)
	class OnStandalone extends WorkspaceContract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.CLUSTER)
	class OnCluster extends WorkspaceContract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.REDIS_6_2)
	class OnRedis62 extends WorkspaceContract {

	}

	/**
	 * On a server that has {@code JSON.SET}.
	 */
	@Nested
	@Wide
	@OnRedis(RedisTarget.STANDALONE)
	class InDocuments extends WorkspaceContract {

		@Override
		String storage() {
			return "json";
		}

		@BeforeAll
		static void needsDocuments(RedisFixture redis) {
			assumeTrue(hasDocuments(redis));
		}

		@Test
		@Override
		void keysAreThoseOfTheDocuments() throws Exception {
			Workspace workspace = start().open("101");
			workspace.put("plan", Map.of("name", "go"));
			workspace.append("history", "a");
			workspace.append("history", "b");
			direct((template) -> assertThat(json(template, "."))
				.isEqualTo("{\"plan\":{\"name\":\"go\"},\"history\":[\"a\",\"b\"]}"));
		}

		@Test
		@Override
		void keepsValuesByteForByte() {
			Workspace workspace = start().open("101");
			JsonNode value = JsonMapper.shared()
				.readTree("{\"long\":9223372036854775807,\"decimal\":0.1,\"empty\":[],\"none\":{},\"null\":null,"
						+ "\"text\":\"\u00e4\ud83d\ude00 \\\"\"}");
			workspace.put("value", value);
			workspace.append("values", value);
			workspace.put("null", null);
			WorkspaceSnapshot snapshot = workspace.snapshot();
			assertThat(snapshot.get("value", JsonNode.class)).isEqualTo(value);
			assertThat(snapshot.list("values", JsonNode.class)).containsExactly(value);
			assertThat(snapshot.json("null")).isEqualTo("null");
			assertThat(workspace.snapshot("value").get("value", JsonNode.class)).isEqualTo(value);
		}

		@Test
		@Override
		void goesOnWhereOtherProgramsHaveBeenAtWork() throws Exception {
			Workspace workspace = start().open("101");
			workspace.put("removed", 1);
			direct((template) -> change(template, "JSON.SET", "theirs", "[1]"));
			direct((template) -> change(template, "JSON.DEL", "removed"));
			assertThat(workspace.snapshot().fields()).containsOnlyKeys("theirs");
			assertThat(workspace.putIfAbsent("theirs", 1)).isEqualTo(new WriteResult(false, 0));
			assertThat(workspace.append("theirs", 2)).isEqualTo(2);
			assertThat(workspace.snapshot("theirs").list("theirs", Integer.class)).containsExactly(1, 2);
			assertThat(workspace.putIfAbsent("removed", 2)).isEqualTo(new WriteResult(true, 3));
		}

		@Test
		@Override
		void holdsListsOfThousands() throws Exception {
			Workspace workspace = start("max-list-length", "700").open("101");
			workspace.append("list", 0);
			List<Integer> all = IntStream.range(0, 10_000).boxed().toList();
			direct((template) -> change(template, "JSON.SET", "list", all.toString()));
			assertThat(workspace.snapshot("list").list("list", Integer.class)).isEqualTo(all);
			workspace.append("list", -1);
			assertThat(workspace.snapshot().list("list", Integer.class)).hasSize(700).endsWith(9999, -1);
		}

		@Test
		void leavesNothingBesideAnIncrement() throws Exception {
			Workspace workspace = start().open("101");
			workspace.put("text", "a");
			workspace.increment("tokens", Long.MAX_VALUE);
			for (String field : List.of("text", "tokens")) {
				assertThatExceptionOfType(StructureMismatchException.class)
					.isThrownBy(() -> workspace.increment(field, 1));
			}
			assertThat(workspace.snapshot().get("tokens", Long.class)).isEqualTo(Long.MAX_VALUE);
			direct((template) -> assertThat(template.opsForHash().keys("{session:101}:workspace:meta"))
				.containsExactlyInAnyOrder("v", "b", "f:text", "f:tokens"));
		}

		@Test
		void refusesADocumentThatIsNoObject() throws Exception {
			Workspace workspace = start().open("101");
			direct((template) -> change(template, "JSON.SET", null, "[1]"));
			assertThatExceptionOfType(StructureMismatchException.class).isThrownBy(() -> workspace.put("plan", 1));
			assertThatExceptionOfType(StructureMismatchException.class).isThrownBy(workspace::snapshot);
			direct((template) -> template.delete("{session:101}:workspace"));
		}

		private static void change(StringRedisTemplate template, String command, @Nullable String field,
				String... value) {
			List<String> arguments = new ArrayList<>(List.of((field != null) ? "[\"" + field + "\"]" : "."));
			arguments.addAll(List.of(value));
			template.execute(RedisScript.of("redis.call('%s', KEYS[1], unpack(ARGV))".formatted(command)),
					List.of("{session:101}:workspace"), arguments.toArray());
		}

	}

}
