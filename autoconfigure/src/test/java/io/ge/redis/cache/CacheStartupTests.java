// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.autoconfigure.CacheAutoConfiguration;
import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.cache.internal.CachePattern;
import io.ge.redis.core.guard.GuardedMethods;
import io.ge.redis.core.invocation.Setting;
import io.ge.redis.core.invocation.Setting.Origin;
import io.ge.redis.test.OneMethod;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecutionListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;
import static org.mockito.Mockito.mock;

/**
 * What happens when the application starts, with Redis down.
 */
class CacheStartupTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(PropertyPlaceholderAutoConfiguration.class, JacksonAutoConfiguration.class,
						DataRedisAutoConfiguration.class, GeRedisAutoConfiguration.class, CacheAutoConfiguration.class))
		.withPropertyValues("spring.data.redis.port=1");

	static Stream<Arguments> mistakes() {
		return Stream.of(
				arguments("voidReader", "@CacheAside", "returns nothing that could be cached", "return the value"),
				arguments("futureReader", "@CacheAside", "Future cannot be guarded", "Return the plain value"),
				arguments("objectReader", "@CacheAside", "java.lang.Object cannot be read back", "a record"),
				arguments("abstractReader", "@CacheAside", "Function<java.lang.String,java.lang.String> cannot be",
						"a record"),
				arguments("badKey", "@CacheAside", "is no SpEL expression", "constant text"),
				arguments("foreignVariable", "@CacheAside", "uses #name, which is no parameter", "#id"),
				arguments("noKey", "@CacheAside", "it has no key", "key = "),
				arguments("keyAndKeys", "@CacheAside", "key and keys are both there", "Leave key out"),
				arguments("keysAndTags", "@CacheAside", "it has keys and tags", "Leave one of them out"),
				arguments("keysOfTwo", "@CacheAside", "takes the ids and nothing else", "keys = \"#ids\""),
				arguments("keysOfText", "@CacheAside", "takes the ids and nothing else", "keys = \"#ids\""),
				arguments("keysToList", "@CacheAside", "returns a Map from the ids", "Map<java.lang.String, ...>"),
				arguments("keysToFlux", "@CacheAside", "not several values one by one, as Flux does",
						"Mono<Map<java.lang.String, ...>>"),
				arguments("keysToFluxOfMaps", "@CacheAside", "not several values one by one, as Flux does",
						"Mono<Map<java.lang.String, ...>>"),
				arguments("keysToMonoOfList", "@CacheAside", "returns a Map from the ids",
						"Map<java.lang.String, ...>, or a Mono"),
				arguments("keysToFuture", "@CacheAside", "Future cannot be guarded", "Return the plain value"),
				arguments("keysToOthers", "@CacheAside", "returns a Map from the ids", "Map<java.lang.String, ...>"),
				arguments("keysToAnything", "@CacheAside", "java.lang.Object cannot be read back", "a record"),
				arguments("noCache", "@CacheAside", "it has no cache", "cache = "),
				arguments("negativeTtl", "@CacheAside", "is negative", "0s"),
				arguments("zeroTtl", "@CacheAside", "is too short", "a millisecond"),
				arguments("resultInKey", "@CacheWriteThrough",
						"uses #result, but the key must be known before the method has run", "from the arguments"),
				arguments("voidWriter", "@CacheWriteThrough", "returns nothing that could be published",
						"value = \"#argument\""),
				arguments("futureWriter", "@CacheWriteThrough", "Future cannot be guarded", "Return the plain value"),
				arguments("abstractWithin", "@CacheAside", "cannot be read back", "a record"),
				arguments("unreadable", "@CacheAside", "although it has the field 'id'", "a record"),
				arguments("permanentWithTtl", "@CacheAside", "both a ttl and permanent = true",
						"Leave one of them out"),
				arguments("permanentBesideTtl", "", "both a ttl and permanent = true", "Leave one of them out"),
				arguments("nothingToInvalidate", "@CacheInvalidate", "must say either which entry is meant",
						"exactly one of"),
				arguments("twoThingsToInvalidate", "@CacheInvalidate", "must say either which entry is meant",
						"exactly one of"),
				arguments("blankTags", "@CacheInvalidate", "its tags are empty", "all = true"),
				arguments("resultInInvalidatedKey", "@CacheInvalidate",
						"uses #result, but the key must be known before the method has run", "from the arguments"),
				arguments("resultInReadersTags", "@CacheAside", "uses #result", "#id"),
				arguments("twoTypes", "", "'numbers' is used with other settings", "Use another name"),
				arguments("twoTtls", "", "'numbers' is used with other settings", "Use another name"));
	}

	@ParameterizedTest
	@MethodSource("mistakes")
	void refusesWhatCannotWorkAndNamesTheRemedy(String method, String annotation, String problem, String remedy) {
		Class<?> bean = OneMethod.of(Mistakes.class, method);
		this.runner.withClassLoader(bean.getClassLoader()).withBean("desk", bean).run((context) -> {
			Throwable failure = context.getStartupFailure();
			while (!(failure instanceof GuardConfigurationException) && failure.getCause() != null) {
				failure = failure.getCause();
			}
			assertThat(failure).isInstanceOf(GuardConfigurationException.class)
				.hasMessageContaining(annotation)
				.hasMessageContaining(bean.getSimpleName() + "." + method + "(")
				.hasMessageContaining(problem)
				.hasMessageContaining(remedy);
		});
	}

	@ParameterizedTest
	@MethodSource("badProperties")
	void refusesPropertiesThatCannotWork(String property, String message) {
		this.runner.withPropertyValues(property)
			.withBean(Desk.class)
			.run((context) -> assertThat(context).getFailure().rootCause().hasMessageContaining(message));
	}

	static Stream<Arguments> badProperties() {
		return Stream.of(
				arguments("ge.redis.cache.max-staleness=0s", "ge.redis.cache.max-staleness must be at least 1ms"),
				arguments("ge.redis.verify-round-trip=1.1", "ge.redis.verify-round-trip must be from 0 to 1"),
				arguments("ge.redis.cache.ttl=0s", "ge.redis.cache.ttl must be at least 1ms"),
				arguments("ge.redis.cache.intent-timeout=0s", "intent-timeout must be at least 1ms"),
				arguments("ge.redis.cache.caches.numbers.lease-time=-1s", "caches.numbers.lease-time must be"),
				arguments("ge.redis.cache.negative-ttl=-1s", "negative-ttl must be at least 0ms"),
				arguments("ge.redis.cache.load-wait=-1s", "load-wait must be at least 0ms"),
				arguments("ge.redis.cache.warm-up.rate=0", "warm-up.rate must be at least 1"),
				arguments("ge.redis.cache.warm-up.lease-time=0s", "warm-up.lease-time must be at least 1ms"),
				arguments("ge.redis.cache.stale-if-error=-1s", "stale-if-error must be at least 0ms"),
				arguments("ge.redis.cache.caches.numbers.stale-if-error=31d", "stale-if-error must be at most 30 days"),
				arguments("ge.redis.cache.ttl-jitter=1", "ttl-jitter must be at least 0 and less than 1"),
				arguments("ge.redis.cache.caches.numbers.ttl-jitter=-0.1", "numbers.ttl-jitter must be at least 0"),
				arguments("ge.redis.cache.early-refresh.beta=0", "early-refresh.beta must be above zero"),
				arguments("ge.redis.cache.max-value-size=0", "max-value-size must be at least 1"),
				arguments("ge.redis.cache.compress-above=-1B", "compress-above must be at least 0"),
				arguments("ge.redis.cache.on-load-timeout=stale", "ge.redis.cache.stale-if-error"),
				arguments("ge.redis.cache.caches.numbers.on-load-timeout=stale", "caches.numbers.stale-if-error"));
	}

	@Test
	void refusesACacheThatIsPermanentAndHasATtl() {
		this.runner.withBean(Desk.class)
			.withPropertyValues("ge.redis.cache.caches.numbers.permanent=true", "ge.redis.cache.caches.numbers.ttl=1m")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("numbers.permanent and ge.redis.cache.caches.numbers.ttl exclude each other"));
	}

	@Test
	void permanentByAnnotationUnlessThePropertiesHaveATtl() {
		this.runner.withBean(PermanentDesk.class)
			.run((context) -> assertThat(permanent(context)).isEqualTo(new Setting(true, Origin.ANNOTATION)));
		this.runner.withBean(PermanentDesk.class)
			.withPropertyValues("ge.redis.cache.caches.words.ttl=1m")
			.run((context) -> assertThat(permanent(context)).isEqualTo(new Setting(false, Origin.PROPERTIES)));
		this.runner.withBean(PermanentDesk.class)
			.withPropertyValues("ge.redis.cache.caches.words.permanent=false")
			.run((context) -> assertThat(permanent(context)).isEqualTo(new Setting(false, Origin.PROPERTIES)));
	}

	private static @Nullable Setting permanent(ApplicationContext context) {
		return context.getBean(GuardedMethods.class).all().get(0).guard().settings().get("permanent");
	}

	@Test
	void settingsComeFromPropertiesAnnotationsOrDefaults() {
		this.runner.withBean(Desk.class)
			.withPropertyValues("ge.redis.cache.caches.numbers.ttl=7s",
					"ge.redis.cache.caches.numbers.early-refresh.mode=off",
					"ge.redis.cache.caches.numbers.stale-if-error=1h")
			.run((context) -> {
				List<GuardedMethods.Entry> all = context.getBean(GuardedMethods.class).all();
				assertThat(all).hasSize(2).allSatisfy((entry) -> {
					assertThat(entry.guard().name()).isEqualTo("numbers");
					assertThat(entry.guard().pattern()).isEqualTo("cache");
					assertThat(entry.guard().settings()).containsEntry("ttl", new Setting("PT7S", Origin.PROPERTIES))
						.containsEntry("negativeTtl", new Setting("PT1S", Origin.ANNOTATION))
						.containsEntry("onLoadTimeout", new Setting("LOAD", Origin.DEFAULT))
						.containsEntry("earlyRefresh", new Setting("OFF", Origin.PROPERTIES))
						.containsEntry("staleIfError", new Setting("PT1H", Origin.PROPERTIES))
						.containsEntry("ttlJitter", new Setting(0.1, Origin.DEFAULT))
						.containsEntry("permanent", new Setting(false, Origin.PROPERTIES))
						.containsEntry("loadWait", new Setting("PT3S", Origin.DEFAULT))
						.containsEntry("key", new Setting("#id", Origin.ANNOTATION));
				});
			});
	}

	@Test
	void offByProperty() {
		this.runner.withBean(Desk.class)
			.withPropertyValues("ge.redis.cache.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(GeCaches.class)
				.doesNotHaveBean(CachePattern.class)
				.getBean(Desk.class)
				.matches((desk) -> desk.getClass() == Desk.class));
	}

	@Test
	void offWithAllGuards() {
		this.runner.withPropertyValues("ge.redis.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(GeCaches.class));
	}

	@Test
	void offWithoutSpringDataRedis() {
		this.runner.withClassLoader(new FilteredClassLoader("org.springframework.data.redis"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(CachePattern.class));
	}

	@Test
	void backsOffToTheApplicationsOwnCaches() {
		GeCaches own = mock(GeCaches.class);
		this.runner.withBean(GeCaches.class, () -> own)
			.run((context) -> assertThat(context.getBean(GeCaches.class)).isSameAs(own));
	}

	@Test
	void everyTransactionManagerIsListenedToOnce() {
		TransactionExecutionListener others = new TransactionExecutionListener() {
		};
		this.runner.withBean("first", JdbcTransactionManager.class, () -> {
			JdbcTransactionManager manager = new JdbcTransactionManager(mock(DataSource.class));
			manager.setTransactionExecutionListeners(List.of(others));
			return manager;
		})
			.withBean("second", JdbcTransactionManager.class, JdbcTransactionManager::new,
					(definition) -> definition.setLazyInit(true))
			.run((context) -> {
				TransactionExecutionListener ours = context.getBean(CachePattern.class).transactionListener();
				assertThat(context.getBean("first", ConfigurableTransactionManager.class)
					.getTransactionExecutionListeners()).containsExactly(others, ours);
			});
	}

	static class Desk {

		@CacheAside(cache = "numbers", key = "#id", ttl = "5s", negativeTtl = "1s")
		public @Nullable Integer read(String id) {
			return null;
		}

		@CacheWriteThrough(cache = "numbers", key = "#id")
		public int write(String id) {
			return 1;
		}

	}

	static class PermanentDesk {

		@CacheAside(cache = "words", key = "#id", permanent = true)
		public String read(String id) {
			return id;
		}

	}

	static class Hidden {

		String id = "";

	}

	@Test
	void valuesInMemoryNeedCaffeine() {
		ApplicationContextRunner without = this.runner
			.withClassLoader(new FilteredClassLoader("com.github.benmanes.caffeine"));
		String near = "ge.redis.cache.caches.prices.near.";
		without.run((context) -> assertThat(context).hasNotFailed());
		this.runner.withPropertyValues(near + "enabled=true").run((context) -> assertThat(context).hasNotFailed());
		without.withPropertyValues(near + "enabled=true").run((context) -> {
			GuardConfigurationException mistake = (GuardConfigurationException) NestedExceptionUtils
				.getMostSpecificCause(context.getStartupFailure());
			assertThat(mistake.problem()).contains("ge.redis.cache.near", "Caffeine is not on the class path");
			assertThat(mistake.remedy()).contains("com.github.ben-manes.caffeine:caffeine", "max-entries to 0");
		});
		without.withPropertyValues("ge.redis.cache.near.enabled=true")
			.run((context) -> assertThat(context).hasFailed());
		without.withPropertyValues(near + "enabled=true", near + "max-entries=0")
			.run((context) -> assertThat(context).hasNotFailed());
		without.withPropertyValues("ge.redis.cache.near.max-entries=0", near + "enabled=true")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void missingCaffeineIsNamedAlsoWhereABeanUsesACacheEarly() {
		this.runner.withClassLoader(new FilteredClassLoader("com.github.benmanes.caffeine"))
			.withPropertyValues("ge.redis.cache.near.enabled=true")
			.withBean(EarlyUser.class)
			.run((context) -> assertThat(context.getStartupFailure()).isInstanceOf(BeanCreationException.class)
				.rootCause()
				.isInstanceOf(GuardConfigurationException.class)
				.hasMessageContaining("Caffeine is not on the class path"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "ge.redis.cache.near.max-entries=-1", "ge.redis.cache.near.ttl=0s",
			"ge.redis.cache.near.ttl=999ms", "ge.redis.cache.near.ttl=36525d",
			"ge.redis.cache.caches.c.near.max-entries=-1", "ge.redis.cache.caches.c.near.ttl=-1s",
			"ge.redis.cache.caches.c.near.ttl=366d" })
	void valuesInMemoryNeedSettingsThatMakeSense(String property) {
		this.runner.withPropertyValues(property, "ge.redis.cache.near.enabled=true")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.hasMessageContaining(property.substring(0, property.indexOf('=')))
				.hasMessageContaining("was " + (property.contains("ttl") ? "PT" : "-1")));
	}

	@ParameterizedTest
	@ValueSource(strings = { "ge.redis.cache.near.enabled", "ge.redis.cache.caches.c.near.enabled" })
	void valuesInMemoryNeedTimeForMessages(String property) {
		this.runner.withPropertyValues(property + "=true", "ge.redis.cache.max-staleness=999ms")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.hasMessageContaining(
						property + "=true needs ge.redis.cache.max-staleness of at least 1s, was PT0.999S"));
		this.runner.withPropertyValues(property + "=true", "ge.redis.cache.max-staleness=1s")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	static class EarlyUser {

		EarlyUser(GeCaches caches) {
			caches.get("c", "a", String.class, () -> "one");
		}

	}

	interface Mistakes {

		@CacheAside(cache = "c", key = "#id")
		void voidReader(String id);

		@CacheAside(cache = "c", key = "#id")
		Future<String> futureReader(String id);

		@CacheAside(cache = "c", key = "#id")
		Object objectReader(String id);

		@CacheAside(cache = "c", key = "#id")
		Function<String, String> abstractReader(String id);

		@CacheAside(cache = "c", key = "#id +")
		String badKey(String id);

		@CacheAside(cache = "c", key = "#name")
		String foreignVariable(String id);

		@CacheAside(cache = "c", key = "")
		String noKey(String id);

		@CacheAside(cache = "c", key = "#ids", keys = "#ids")
		Map<String, String> keyAndKeys(List<String> ids);

		@CacheAside(cache = "c", keys = "#ids", tags = "#ids")
		Map<String, String> keysAndTags(List<String> ids);

		@CacheAside(cache = "c", keys = "#ids")
		Map<String, String> keysOfTwo(List<String> ids, String other);

		@CacheAside(cache = "c", keys = "#ids")
		Map<String, String> keysOfText(String ids);

		@CacheAside(cache = "c", keys = "#ids")
		List<String> keysToList(List<String> ids);

		@CacheAside(cache = "c", keys = "#ids")
		Flux<String> keysToFlux(List<String> ids);

		@CacheAside(cache = "c", keys = "#ids")
		Flux<Map<String, String>> keysToFluxOfMaps(List<String> ids);

		@CacheAside(cache = "c", keys = "#ids")
		Mono<List<String>> keysToMonoOfList(List<String> ids);

		@CacheAside(cache = "c", keys = "#ids")
		Future<Map<String, String>> keysToFuture(List<String> ids);

		@CacheAside(cache = "c", keys = "#ids")
		Map<Integer, String> keysToOthers(List<String> ids);

		@CacheAside(cache = "c", keys = "#ids")
		Map<String, Object> keysToAnything(List<String> ids);

		@CacheAside(cache = "", key = "#id")
		String noCache(String id);

		@CacheAside(cache = "c", key = "#id", negativeTtl = "-1s")
		String negativeTtl(String id);

		@CacheAside(cache = "c", key = "#id", ttl = "0s")
		String zeroTtl(String id);

		@CacheWriteThrough(cache = "c", key = "#result.length()")
		String resultInKey(String id);

		@CacheWriteThrough(cache = "c", key = "#id")
		void voidWriter(String id);

		@CacheWriteThrough(cache = "c", key = "#id")
		Future<String> futureWriter(String id);

		@CacheAside(cache = "c", key = "#id")
		List<ApplicationContext> abstractWithin(String id);

		@CacheAside(cache = "c", key = "#id")
		Optional<Hidden> unreadable(String id);

		@CacheAside(cache = "c", key = "#id", ttl = "1m", permanent = true)
		String permanentWithTtl(String id);

		@CacheAside(cache = "c", key = "#id", permanent = true)
		String permanentBesideTtl(String id);

		@CacheWriteThrough(cache = "c", key = "#id", ttl = "1m")
		String permanentBesideTtl(String id, String other);

		@CacheInvalidate(cache = "c")
		void nothingToInvalidate(String id);

		@CacheInvalidate(cache = "c", key = "#id", all = true)
		void twoThingsToInvalidate(String id);

		@CacheInvalidate(cache = "c", tags = "${nowhere:}")
		void blankTags();

		@CacheInvalidate(cache = "c", key = "#result")
		String resultInInvalidatedKey(String id);

		@CacheAside(cache = "c", key = "#id", tags = "#result")
		String resultInReadersTags(String id);

		@CacheAside(cache = "numbers", key = "#id")
		String twoTypes(String id);

		@CacheWriteThrough(cache = "numbers", key = "#id")
		long twoTypes(String id, String other);

		@CacheAside(cache = "numbers", key = "#id", ttl = "1s")
		long twoTtls(String id);

		@CacheWriteThrough(cache = "numbers", key = "#id", ttl = "2s")
		long twoTtls(String id, String other);

	}

}
