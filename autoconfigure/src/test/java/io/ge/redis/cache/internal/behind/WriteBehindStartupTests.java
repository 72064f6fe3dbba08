// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.behind;

import java.net.ConnectException;
import java.sql.SQLTransientConnectionException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import io.ge.redis.RedisUnavailableException;
import io.ge.redis.autoconfigure.CacheAutoConfiguration;
import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.cache.CacheAside;
import io.ge.redis.cache.CacheWriteBehind;
import io.ge.redis.cache.CacheWriteThrough;
import io.ge.redis.cache.Change;
import io.ge.redis.cache.GeCaches;
import io.ge.redis.cache.WriteBehindStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.DuplicateKeyException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * What is refused, with Redis down.
 */
class WriteBehindStartupTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(PropertyPlaceholderAutoConfiguration.class, JacksonAutoConfiguration.class,
						DataRedisAutoConfiguration.class, GeRedisAutoConfiguration.class, CacheAutoConfiguration.class))
		.withPropertyValues("spring.data.redis.port=1", "ge.redis.cache.write-behind.drain-timeout=0s");

	static Stream<Arguments> mistakes() {
		return Stream.of(arguments(List.of(BehindWriter.class), "nothing writes the changes of cache 'numbers'",
				"Define a WriteBehindStore bean for it, or set ge.redis.cache.caches.numbers.write-behind=true"),
				arguments(List.of(VoidWriter.class), "the method returns nothing that could be written",
						"value = \"#argument\""),
				arguments(List.of(Store.class, ThroughWriter.class), "'numbers' is written behind",
						"Use @CacheWriteBehind"),
				arguments(List.of(Store.class, BehindWriter.class, ThroughWriter.class),
						"'numbers' is used with other settings", "write-through"),
				arguments(List.of(Store.class, OtherStore.class), "has two stores", "Leave one"),
				arguments(List.of(GenericStore.class), "does not say which values it writes",
						"implements WriteBehindStore<TheType>"),
				arguments(List.of(Store.class, TextReader.class), "holds java.lang.String", "writes"));
	}

	@Test
	void refusesToWriteThroughWhatAnotherApplicationWritesBehind() {
		this.runner.withBean(ThroughWriter.class)
			.withPropertyValues("ge.redis.cache.caches.numbers.write-behind=true")
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("ThroughWriter.writeThrough")
				.hasMessageContaining("caches.numbers.write-behind"));
	}

	@Test
	void refusesToKeepInMemoryWhatIsWrittenBehind() {
		String enabled = "ge.redis.cache.caches.numbers.near.enabled=";
		for (ApplicationContextRunner refused : List.of(
				this.runner.withBean(Store.class).withPropertyValues(enabled + "true"),
				this.runner.withBean(Store.class).withPropertyValues("ge.redis.cache.near.enabled=true"),
				this.runner.withPropertyValues(enabled + "true", "ge.redis.cache.caches.numbers.write-behind=true"))) {
			refused.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("ge.redis.cache.caches.numbers.near.enabled")
				.hasMessageContaining("'numbers' is written behind")
				.hasMessageContaining("Set it to false"));
		}
		this.runner.withBean(Store.class)
			.withPropertyValues("ge.redis.cache.near.enabled=true", enabled + "false")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@ParameterizedTest
	@MethodSource("mistakes")
	void refusesWhatCannotWorkAndNamesTheRemedy(List<Class<?>> beans, String problem, String remedy) {
		ApplicationContextRunner all = this.runner;
		for (Class<?> bean : beans) {
			all = all.withBean(bean);
		}
		all.run((context) -> {
			StringBuilder messages = new StringBuilder();
			for (Throwable cause = context.getStartupFailure(); cause != null; cause = cause.getCause()) {
				messages.append(cause.getMessage()).append('\n');
			}
			assertThat(messages.toString()).contains(problem, remedy);
		});
	}

	static Stream<Arguments> badProperties() {
		return Stream.of(arguments("batch-size=0", "batch-size must be from 1 to 1000"),
				arguments("batch-size=1001", "batch-size must be from 1 to 1000"),
				arguments("linger=-1s", "linger must not be negative"),
				arguments("lease-time=99ms", "lease-time must be at least 100ms"),
				arguments("max-attempts=0", "max-attempts must be at least 1"),
				arguments("retry-delay=0s", "retry-delay must be at least 1ms"),
				arguments("max-retry-delay=999ms", "max-retry-delay must not be below retry-delay"),
				arguments("max-pending=15", "max-pending must be at least 16"),
				arguments("threads=0", "threads must be at least 1"),
				arguments("drain-timeout=-1s", "drain-timeout must not be negative"),
				arguments("dead-letter-ttl=0s", "dead-letter-ttl must be at least 1ms"));
	}

	@ParameterizedTest
	@MethodSource("badProperties")
	void refusesPropertiesThatCannotWork(String property, String message) {
		this.runner.withPropertyValues("ge.redis.cache.write-behind." + property)
			.withBean(Store.class)
			.run((context) -> assertThat(context).getFailure().rootCause().hasMessageContaining(message));
	}

	@Test
	void writesThatCannotBeTakenFailLoudly() {
		this.runner.withBean(Store.class).withBean(BehindWriter.class).run((context) -> {
			GeCaches caches = context.getBean(GeCaches.class);
			assertThatExceptionOfType(RedisUnavailableException.class)
				.isThrownBy(() -> caches.writeBehind("numbers", "a", 1));
			assertThatExceptionOfType(RedisUnavailableException.class)
				.isThrownBy(() -> context.getBean(BehindWriter.class).write("a"));
			assertThatIllegalArgumentException().isThrownBy(() -> caches.writeBehind("others", "a", 1))
				.withMessageContaining("is not written behind");
			assertThatIllegalArgumentException().isThrownBy(() -> caches.writeBehind("numbers", "a", "one"))
				.withMessageContaining("holds java.lang.Integer, not java.lang.String");
			assertThatIllegalArgumentException().isThrownBy(() -> caches.write("numbers", "a", () -> 1))
				.withMessageContaining("written behind");
			assertThatIllegalArgumentException().isThrownBy(() -> caches.put("numbers", "a", 1))
				.withMessageContaining("written behind");
		});
	}

	@Test
	void readersInCodeAskForWhatTheStoreHas() {
		this.runner.withBean(Store.class).run((context) -> {
			GeCaches caches = context.getBean(GeCaches.class);
			assertThatIllegalArgumentException().isThrownBy(() -> caches.get("numbers", "a", String.class, () -> "one"))
				.withMessageContaining("holds java.lang.Integer, not java.lang.String");
			assertThatIllegalArgumentException()
				.isThrownBy(() -> caches.getAll("numbers", List.of("a"), String.class, (keys) -> Map.of("a", "one")))
				.withMessageContaining("holds java.lang.Integer, not java.lang.String");
			assertThat(caches.get("numbers", "a", Integer.class, () -> 1)).isEqualTo(1);
		});
	}

	@Test
	void largerChangesThanAreStoredAreRefused() {
		this.runner.withPropertyValues("ge.redis.cache.max-value-size=3B").withBean(Store.class).run((context) -> {
			GeCaches caches = context.getBean(GeCaches.class);
			assertThatIllegalArgumentException().isThrownBy(() -> caches.writeBehind("numbers", "a", 1000))
				.withMessageContaining("4 bytes")
				.withMessageContaining("ge.redis.cache.max-value-size");
			assertThatExceptionOfType(RedisUnavailableException.class)
				.isThrownBy(() -> caches.writeBehind("numbers", "a", 100));
		});
	}

	@Test
	void changesThatTheStoreWouldNotGetWholeAreRefused() {
		this.runner.withPropertyValues("ge.redis.cache.caches.others.write-behind=true").run((context) -> {
			GeCaches caches = context.getBean(GeCaches.class);
			Hidden hidden = new Hidden();
			hidden.text = "a";
			assertThatIllegalArgumentException().isThrownBy(() -> caches.writeBehind("others", "a", hidden))
				.withMessageContaining(Hidden.class.getName())
				.withMessageContaining("'text'");
		});
	}

	static class Hidden {

		String text = "";

	}

	@Test
	void nothingIsStartedWithoutAStore() {
		// Those of contexts that were closed end a moment later
		Set<Thread> before = Thread.getAllStackTraces().keySet();
		this.runner.run((context) -> {
			assertThat(context).hasNotFailed().doesNotHaveBean(WriteBehind.class);
			assertThat(Thread.getAllStackTraces().keySet()).filteredOn((thread) -> !before.contains(thread))
				.extracting(Thread::getName)
				.noneMatch((name) -> name.startsWith("ge-redis-consumer"));
		});
	}

	@Test
	void failuresOfConnectionsSayNothingAboutChanges() {
		Store store = new Store();
		assertThat(store.isTransient(new DataAccessResourceFailureException("refused"))).isTrue();
		assertThat(store.isTransient(new IllegalStateException(new ConnectException("refused")))).isTrue();
		assertThat(store.isTransient(new SQLTransientConnectionException("pool"))).isTrue();
		assertThat(store.isTransient(new DuplicateKeyException("twice"))).isFalse();
		assertThat(store.isTransient(new IllegalArgumentException())).isFalse();
	}

	static class Store implements WriteBehindStore<Integer> {

		@Override
		public String cache() {
			return "numbers";
		}

		@Override
		public void writeAll(List<Change<Integer>> changes) {
		}

	}

	static class OtherStore extends Store {

	}

	static class GenericStore<T> implements WriteBehindStore<T> {

		@Override
		public String cache() {
			return "numbers";
		}

		@Override
		public void writeAll(List<Change<T>> changes) {
		}

	}

	static class BehindWriter {

		@CacheWriteBehind(cache = "numbers", key = "#id")
		public Integer write(String id) {
			return 1;
		}

	}

	static class VoidWriter {

		@CacheWriteBehind(cache = "numbers", key = "#id")
		public void write(String id) {
		}

	}

	static class ThroughWriter {

		@CacheWriteThrough(cache = "numbers", key = "#id")
		public Integer writeThrough(String id) {
			return 1;
		}

	}

	static class TextReader {

		@CacheAside(cache = "numbers", key = "#id")
		public String read(String id) {
			return "one";
		}

	}

}
