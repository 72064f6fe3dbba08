// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.io.IOException;
import java.lang.StackWalker.Option;
import java.lang.StackWalker.StackFrame;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import io.ge.redis.OutageCause;
import io.ge.redis.cache.CacheApplication.Balances;
import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.RedisBackends;
import io.ge.redis.core.connection.GuardConnection;
import io.ge.redis.core.connection.GuardConnections;
import io.ge.redis.core.outage.OutageListener;
import io.ge.redis.core.outage.OutageSettings;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Sources;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The way of a hit is the one that CONTRIBUTING lists.
 */
class CacheWayIntegrationTests {

	private static final Pattern CLASS = Pattern.compile("`([A-Z]\\w+)`");

	private static final ThreadLocal<List<String>> WAY = new ThreadLocal<>();

	@Test
	void hitPassesNineClassesDownToTheCommand() throws IOException {
		String line = Files.readString(Sources.ROOT.resolve("CONTRIBUTING.md"))
			.lines()
			.filter((text) -> text.startsWith("- A `@CacheAside` method with a plain result, 9: "))
			.findFirst()
			.orElseThrow();
		List<String> listed = CLASS.matcher(line.substring(line.indexOf(':'), line.indexOf(". ")))
			.results()
			.map((MatchResult found) -> found.group(1))
			.toList();
		try (CacheApplication application = CacheApplication.start(Configuration.class,
				SharedRedis.standalone().properties(), "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1")) {
			Balances balances = application.balances();
			Awaitility.await().until(() -> {
				int before = balances.loads().get();
				balances.find("way");
				return balances.loads().get() == before;
			});
			WAY.set(new ArrayList<>());
			balances.find("way");
			assertThat(WAY.get()).containsExactlyElementsOf(listed).hasSize(9);
		}
		finally {
			WAY.remove();
		}
	}

	private static List<String> classes(List<StackFrame> stack) {
		List<StackFrame> outermostFirst = new ArrayList<>(stack);
		Collections.reverse(outermostFirst);
		LinkedHashSet<String> names = new LinkedHashSet<>();
		for (StackFrame frame : outermostFirst) {
			Class<?> type = frame.getDeclaringClass();
			if (type.getName().startsWith("io.ge.redis.") && !isTest(type)) {
				names.add(type.getNestHost().getSimpleName());
			}
		}
		return List.copyOf(names);
	}

	private static boolean isTest(Class<?> type) {
		return type.getName().contains("$$") || String.valueOf(type.getProtectionDomain().getCodeSource().getLocation())
			.matches(".*(test-classes|-tests\\.jar).*");
	}

	private static GuardConnection watched(GuardConnection connection) {
		return (GuardConnection) Proxy.newProxyInstance(CacheWayIntegrationTests.class.getClassLoader(),
				new Class<?>[] { GuardConnection.class }, (proxy, method, arguments) -> {
					List<String> way = WAY.get();
					if (way != null && way.isEmpty() && method.getName().equals("send")) {
						way.addAll(StackWalker.getInstance(Option.RETAIN_CLASS_REFERENCE)
							.walk((frames) -> classes(frames.toList())));
					}
					return method.invoke(connection, arguments);
				});
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@Import(CacheApplication.Configuration.class)
	static class Configuration {

		@Bean
		ScheduledExecutorService wayScheduler() {
			return new ScheduledThreadPoolExecutor(1);
		}

		@Bean
		RedisBackends redisBackends(RedisConnectionFactory factory, OutageSettings outage,
				ScheduledExecutorService scheduler) {
			return new RedisBackends((property,
					name) -> () -> new RedisBackend("default", "ge", null, "way",
							watched(GuardConnections.from(factory, () -> null)), outage, scheduler,
							(script, nanos, failure) -> {
							}, new Unheard()),
					false);
		}

	}

	private static final class Unheard implements OutageListener {

		@Override
		public void onFailure(String pattern, OutageCause cause) {
		}

		@Override
		public void onTransition(String breaker, boolean open) {
		}

	}

}
