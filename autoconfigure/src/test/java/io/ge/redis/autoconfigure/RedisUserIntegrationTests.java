// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.ge.redis.actuate.Actuate;
import io.ge.redis.cache.Change;
import io.ge.redis.cache.GeCaches;
import io.ge.redis.cache.WriteBehindStore;
import io.ge.redis.core.RedisBackends;
import io.ge.redis.lock.DistributedLocks;
import io.ge.redis.lock.LockOptions;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.Sources;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * The rights that the page on Redis gives to a user are enough, and none is too many.
 */
class RedisUserIntegrationTests {

	private static final Set<String> USED_BY_DRIVERS = Set.of("+ping", "+select", "+client|setname", "+client|id",
			"+client|unblock", "+wait", "+eval", "+evalsha", "+script|load", "+subscribe", "+unsubscribe", "+xread");

	@Test
	void userHasTheRightsThatScriptsNeedAndNoOther() throws IOException {
		Set<String> needed = new TreeSet<>(USED_BY_DRIVERS);
		Pattern commands = Pattern
			.compile("(?:call\\(|read = \\{)'([A-Z]+)'(?:, '(CREATE|DELCONSUMER|CONSUMERS|GROUPS)')?");
		for (Path script : Sources.ofLibrary("src/main/resources", ".lua")) {
			Matcher matcher = commands.matcher(Files.readString(script));
			while (matcher.find()) {
				String subcommand = (matcher.group(2) != null) ? "|" + matcher.group(2) : "";
				needed.add("+" + (matcher.group(1) + subcommand).toLowerCase());
			}
		}
		Pattern alone = Pattern.compile("LuaScript\\.command\\([^\"]+\"\\w+\",\\s+\"([A-Z]+)\"");
		for (Path source : Sources.ofLibrary("src/main/java", ".java")) {
			alone.matcher(Files.readString(source))
				.results()
				.forEach((found) -> needed.add("+" + found.group(1).toLowerCase()));
		}
		Set<String> documented = new TreeSet<>();
		documented(1).forEach((command) -> documented.addAll(List.of(command)));
		documented.removeIf((word) -> !word.startsWith("+"));
		assertThat(documented).isEqualTo(needed);
	}

	@Test
	void userCanUseAllPatterns() throws IOException {
		try (RedisFixture redis = RedisServers.standalone()) {
			useAllPatterns(redis, 1, "spring.data.redis.database=3");
		}
	}

	@Test
	@Wide
	void userCanUseAllPatternsOverJedis() throws IOException {
		try (RedisFixture redis = RedisServers.standalone()) {
			useAllPatterns(redis, 1, "spring.data.redis.client-type=jedis");
		}
	}

	@Test
	@Wide
	void userCanUseAllPatternsOnCluster() throws IOException {
		try (RedisFixture redis = RedisServers.cluster()) {
			useAllPatterns(redis, 2);
		}
		try (RedisFixture redis = RedisServers.cluster()) {
			useAllPatterns(redis, 2, "spring.data.redis.client-type=jedis");
		}
	}

	private static void useAllPatterns(RedisFixture redis, int blocks, String... properties) throws IOException {
		for (String[] rights : documented(blocks)) {
			redis.endpoints().forEach((node) -> node.command(rights));
		}
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
					GeRedisAutoConfiguration.class, RateLimitAutoConfiguration.class, BlacklistAutoConfiguration.class,
					RefreshTokenAutoConfiguration.class, LockAutoConfiguration.class,
					IdempotencyAutoConfiguration.class, CacheAutoConfiguration.class, SessionAutoConfiguration.class))
			.withPropertyValues(redis.properties())
			.withPropertyValues(properties)
			.withPropertyValues("spring.data.redis.username=orders", "spring.data.redis.password=secret",
					"spring.application.name=orders", "ge.redis.outage.command-timeout=5s",
					"ge.redis.session.enabled=true", "ge.redis.rate-limit.limits.code.limit=100",
					"ge.redis.idempotency.operations.code.ttl=1m")
			.withBean(JsonMapper.class, JsonMapper::new)
			.withBean(Notes.class)
			.run((context) -> {
				WaitingApisIntegrationTests.calls(context)
					.forEach((name, call) -> assertThatCode(call).as(name).doesNotThrowAnyException());
				// There is no replica, but it is waited for
				DistributedLocks locks = context.getBean(DistributedLocks.class);
				LockOptions replicated = LockOptions.defaults().replicas(1).syncTimeout(Duration.ofMillis(50));
				assertThat(catchThrowable(() -> locks.lock("code", "r", replicated))).isNotNull();
				context.getBean(GeCaches.class).writeBehind("notes", "a", "text");
				Awaitility.await().until(() -> context.getBean(Notes.class).written.equals(List.of("text")));
				RedisBackends backends = context.getBean(RedisBackends.class);
				// Teaches the scripts, as where there is a connection when the context
				// starts
				backends.start();
				locks.tryLock("code", "after").orElseThrow().close();
				Awaitility.await().until(() -> backends.get(null).bus().isSubscribed());
				assertThat(Actuate.health(backends).health().getStatus()).isEqualTo(Status.UP);
			});
		redis.endpoints().forEach((node) -> assertThat((List<?>) node.command("ACL", "LOG")).as("refused").isEmpty());
	}

	/**
	 * Reads the commands of the first blocks of the page.
	 */
	private static List<String[]> documented(int blocks) throws IOException {
		List<String[]> commands = new ArrayList<>();
		Matcher matcher = Pattern.compile("```acl\n(.*?)```", Pattern.DOTALL)
			.matcher(Files.readString(Sources.ROOT.resolve("docs/operations.md")));
		for (int i = 0; i < blocks && matcher.find(); i++) {
			matcher.group(1).lines().map((line) -> line.strip().split("\\s+")).forEach(commands::add);
		}
		return commands;
	}

	static final class Notes implements WriteBehindStore<String> {

		private final List<String> written = new CopyOnWriteArrayList<>();

		@Override
		public String cache() {
			return "notes";
		}

		@Override
		public void writeAll(List<Change<String>> changes) {
			changes.forEach((change) -> this.written.add(change.value()));
		}

	}

}
