// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.Map;
import java.util.stream.Stream;

import io.ge.redis.lock.DistributedLock;
import io.ge.redis.lock.DistributedLocks;
import io.ge.redis.ratelimit.RateLimiter;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Tests for {@link PatternUse}, as the page on configuration has it.
 */
class PatternUseTests {

	@ParameterizedTest
	@CsvSource(nullValues = "unused",
			value = { "ge.redis.lock.lease-time=1s, lock, ge.redis.lock.lease-time is set",
					"ge.redis.lock.locks.a.wait-time=1s, lock, ge.redis.lock.locks.a.wait-time is set",
					"ge.redis.lock.enabled=true, lock, ge.redis.lock.enabled is set",
					"ge.redis.lock.enabled=false, lock, unused", "ge.redis.lock.lease-time=1s, cache, unused",
					"ge.redis.lock.lease-time=1s, '', ge.redis.lock.lease-time is set",
					"ge.redis.enabled=false, '', unused", "ge.redis.key-prefix=a, '', ge.redis.key-prefix is set" })
	void propertiesAreUse(String property, String pattern, @Nullable String reason) {
		assertThat(find(pattern, Plain.class, property)).isEqualTo(reason);
	}

	@Test
	void variablesMayHaveAnUnderscoreForEachDash() {
		StandardEnvironment environment = new StandardEnvironment();
		environment.getPropertySources()
			.replace(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
					new SystemEnvironmentPropertySource(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
							Map.of("GE_REDIS_RATE_LIMIT_RULES_0_PATH", "/login")));
		ConfigurationPropertySources.attach(environment);
		assertThat(PatternUse.findProperty(environment, "ge.redis.rate-limit")).isEqualTo("ge.redis.rate-limit is set");
		assertThat(PatternUse.findProperty(environment, "ge.redis.lock")).isNull();
	}

	@ParameterizedTest
	@MethodSource("beans")
	void annotationsAndTypesOfBeansAreUse(Class<?> bean, String pattern, @Nullable String reason) {
		assertThat(find(pattern, bean)).isEqualTo(reason);
	}

	static Stream<Arguments> beans() {
		return Stream.of(arguments(Plain.class, "", null),
				arguments(Annotated.class, "lock", "bean 'bean' has @DistributedLock"),
				arguments(Annotated.class, "", "bean 'bean' has @DistributedLock"),
				arguments(Annotated.class, "rate-limit", null),
				arguments(Inherited.class, "lock", "bean 'bean' has @DistributedLock"),
				arguments(MetaAnnotated.class, "lock", "bean 'bean' has @DistributedLock"),
				arguments(InConstructor.class, "lock", "bean 'bean' names " + DistributedLocks.class.getName()),
				arguments(InSetter.class, "rate-limit",
						"bean 'bean' names " + ObjectProvider.class.getName() + "<" + RateLimiter.class.getName()
								+ ">"),
				arguments(InBeanMethod.class, "lock", "bean 'bean' names " + DistributedLocks.class.getName()),
				arguments(Hidden.class, "lock", null));
	}

	@Test
	void beansOfTheLibraryAreNoUse() {
		assertThat(PatternUse.isOurs("geRedisCaches")).isTrue();
		assertThat(PatternUse.isOurs("ge.redis.lock-io.ge.redis.lock.LockProperties")).isTrue();
		assertThat(PatternUse.isOurs("io.ge.redis.autoconfigure.LockAutoConfiguration$Nested")).isTrue();
		assertThat(PatternUse.isOurs("io.ge.redis.actuate.ServletConsoleConfiguration")).isTrue();
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.registerBean("geRedisShop", Thread.class);
			assertThat(PatternUse.isOurs(context.getBeanFactory(), "geRedisShop")).isFalse();
		}
		assertThat(PatternUse.isOurs("geCaches")).isFalse();
		assertThat(PatternUse.isOurs("patternUseTests.InBeanMethod")).isFalse();
	}

	private static @Nullable String find(String pattern, Class<?> bean, String... properties) {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			TestPropertyValues.of(properties).applyTo(context);
			ConfigurationPropertySources.attach(context.getEnvironment());
			context.registerBean("bean", bean);
			return PatternUse.find(context.getEnvironment(), context.getBeanFactory(), pattern);
		}
	}

	static class Plain {

		private final String name = "plain";

		public String name() {
			return this.name;
		}

	}

	static class Annotated {

		@DistributedLock
		public void run() {
		}

	}

	static class Inherited extends Annotated {

	}

	@DistributedLock
	@Retention(RetentionPolicy.RUNTIME)
	@interface Alone {

	}

	static class MetaAnnotated {

		@Alone
		public void run() {
		}

	}

	record InConstructor(DistributedLocks locks) {
	}

	static class InSetter {

		void setLimiters(ObjectProvider<RateLimiter> limiters) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class InBeanMethod {

		@Bean
		String first(DistributedLocks locks) {
			return "first";
		}

	}

	/** What a method returns as an interface is not known. */
	@Configuration(proxyBeanMethods = false)
	static class Hidden {

		@Bean
		Runnable runnable() {
			return new Job();
		}

	}

	static class Job extends Annotated implements Runnable {

	}

}
