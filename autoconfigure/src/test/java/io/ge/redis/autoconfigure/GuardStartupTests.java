// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.core.guard.GuardedMethods;
import io.ge.redis.lock.DistributedLock;
import io.ge.redis.lock.FencingToken;
import io.ge.redis.ratelimit.RateLimited;
import io.ge.redis.test.OneMethod;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.PriorityOrdered;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * What is guarded and what is refused when the application starts, with Redis down.
 */
@ExtendWith(OutputCaptureExtension.class)
class GuardStartupTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(PropertyPlaceholderAutoConfiguration.class, AopAutoConfiguration.class,
				DataRedisAutoConfiguration.class, GeRedisAutoConfiguration.class, RateLimitAutoConfiguration.class))
		.withPropertyValues("spring.data.redis.port=1");

	static Stream<Arguments> mistakes() {
		return Stream.of(
				arguments(only("noExpression"), "NoExpression.noExpression(String)", "is no SpEL expression",
						"constant text"),
				arguments(only("unknownVariable"), "UnknownVariable.unknownVariable(String)",
						"uses #userId, which is no parameter", "Its parameters are #user."),
				arguments(only("noFallback"), "NoFallback.noFallback(String)", "no fallback method 'missing'",
						"Add to NoFallback: String missing"),
				arguments(UnfitFallback.class, "UnfitFallback.call(String)", "no fallback method 'other'",
						"with the same parameters"),
				arguments(only("future"), "Future.future()", "FutureTask cannot be guarded", "Return the plain value"),
				arguments(PrivateMethod.class, "PrivateMethod.call()", "private and static methods", "public method"),
				arguments(FinalClass.class, "FinalClass.call()", "a final class", "Remove the final modifier"),
				arguments(FinalMethod.class, "FinalMethod.call()", "a final method", "Remove the final modifier"),
				arguments(only("noLimit"), "NoLimit.noLimit()", "no limit anywhere",
						"ge.redis.rate-limit.limits[NoLimit.noLimit].limit"),
				arguments(only("twoLimits"), "TwoLimits.twoLimits(", "is used with other settings", "Use another name"),
				arguments(only("negativeLimit"), "NegativeLimit.negativeLimit()", "must be above zero", "such as 100"),
				arguments(only("burstOfWindow"), "BurstOfWindow.burstOfWindow()", "TOKEN_BUCKET only", "Remove it"),
				arguments(only("badDuration"), "BadDuration.badDuration()", "\"soon\" is no duration", "\"10s\""),
				arguments(only("noUnit"), "NoUnit.noUnit()", "window = \"60\" has no unit", "\"60s\""),
				arguments(only("forgottenHash"), "ForgottenHash.forgottenHash(String)",
						"key = \"user\" uses user, which #root does not have",
						"Did you mean #user, or 'user' as constant text?"),
				arguments(only("forgottenBean"), "ForgottenBean.forgottenBean(String)", "uses of(#user)",
						"#root.target.of(#user), or @bean.of(#user)"),
				arguments(only("placeholder"), "Placeholder.placeholder()", "cannot be resolved",
						"Define the property"),
				arguments(only("overloads"), "Overloads.overloads(", "its default name 'Overloads.overloads' is also",
						"name = \"...\""),
				arguments(only("sameNameTwice"), "SameNameTwice.sameNameTwice()", "is used on it twice",
						"name of its own"),
				arguments(PostProcessor.class, "PostProcessor.call()", "the bean is no proxy", "BeanPostProcessor"));
	}

	private static Class<?> only(String method) {
		return OneMethod.of(Mistakes.class, method);
	}

	@ParameterizedTest
	@MethodSource("mistakes")
	void refusesWhatCannotWorkAndNamesTheRemedy(Class<?> bean, String place, String problem, String remedy) {
		this.runner.withClassLoader(bean.getClassLoader()).withBean("desk", bean).run((context) -> {
			assertThat(context).hasFailed();
			FailureAnalysis analysis = new GuardConfigurationFailureAnalyzer().analyze(context.getStartupFailure());
			assertThat(analysis).isNotNull();
			assertThat(analysis.getDescription()).contains("Bean 'desk'", "@RateLimited", place, problem);
			assertThat(analysis.getAction()).contains(remedy);
		});
	}

	@Test
	void refusesMethodThatNobodyCanCallThroughItsProxy() {
		this.runner.withBean("desk", NotOnInterface.class)
			.withPropertyValues("spring.aop.proxy-target-class=false")
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(GuardConfigurationException.class)
				.hasMessageContaining("spring.aop.proxy-target-class=true"));
	}

	@Test
	void refusesDefaultNameOfTwoClasses() {
		this.runner.withBean("desk", Meta.Desk.class)
			.withBean("other", Generic.Desk.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(GuardConfigurationException.class)
				.hasMessageContainingAll("Bean 'other'", "Generic$Desk.call(long)", "its default name 'Desk.call'",
						"Meta$Desk.call(String)", "Give one of them a name of its own"));
		this.runner.withBean("desk", Meta.Desk.class)
			.withBean("same", Meta.Desk.class)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void refusesFencingTokenThatNoLockSets() {
		this.runner.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
			.withBean("desk", UnlockedToken.class)
			.run((context) -> {
				assertThat(context).hasFailed();
				FailureAnalysis analysis = new GuardConfigurationFailureAnalyzer().analyze(context.getStartupFailure());
				assertThat(analysis.getDescription()).contains("Bean 'desk'", "@FencingToken",
						"UnlockedToken.call(long)", "the method has no @DistributedLock");
				assertThat(analysis.getAction()).contains("Add @DistributedLock");
			});
		this.runner.withBean("desk", UnlockedToken.class).run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void namesUnusableConnectionFactory() {
		this.runner.withBean(Meta.class)
			.withPropertyValues("ge.redis.rate-limit.connection-factory=other")
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("ge.redis.rate-limit.connection-factory = other: there is no"));
		this.runner.withBean("desk", Meta.class)
			.withPropertyValues("ge.redis.rate-limit.connection-factory=desk")
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("ge.redis.rate-limit.connection-factory = desk: the bean of that name is a ")
				.hasStackTraceContaining("Such beans are: redisConnectionFactory"));
	}

	@Test
	void leavesSimpleBeanNamesToTheApplication() {
		this.runner
			.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class, IdempotencyAutoConfiguration.class,
					CacheAutoConfiguration.class, BlacklistAutoConfiguration.class,
					RefreshTokenAutoConfiguration.class))
			.withUserConfiguration(NamedLikeOurs.class)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void findsAnnotationsWhereverSpringAllowsThem() {
		this.runner.withBean(OnInterface.class)
			.withBean(OnClass.class)
			.withBean(Meta.class)
			.withBean(Generic.class)
			.run((context) -> assertThat(context.getBean(GuardedMethods.class).all())
				.extracting(GuardedMethods.Entry::method)
				.map((method) -> method.substring(method.indexOf('$') + 1))
				.containsExactlyInAnyOrder("OnInterface.call(String)", "OnClass.one()", "OnClass.two()", "Meta.call()",
						"Generic.call(String)"));
	}

	@Test
	void makesNoBeanTooEarlyForThePostProcessors(CapturedOutput output) {
		this.runner.withBean(Meta.class).run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("not eligible for getting processed");
	}

	static class UnfitFallback {

		@RateLimited(limit = 1, fallback = "other")
		public String call(String user) {
			return user;
		}

		int other(String user) {
			return 0;
		}

	}

	static class PrivateMethod {

		@RateLimited(limit = 1)
		private void call() {
		}

		@RateLimited(limit = 1)
		public void other() {
			call();
		}

	}

	static final class FinalClass {

		@RateLimited(limit = 1)
		public void call() {
		}

	}

	static class FinalMethod {

		@RateLimited(limit = 1)
		public final void call() {
		}

	}

	static class UnlockedToken {

		@DistributedLock
		public void locked(@FencingToken long token) {
		}

		public void call(@FencingToken long token) {
		}

	}

	static class PostProcessor implements BeanPostProcessor, PriorityOrdered {

		@Override
		public int getOrder() {
			return 0;
		}

		@RateLimited(limit = 1)
		public void call() {
		}

	}

	interface Other {

		void other();

	}

	static class NotOnInterface implements Other {

		@RateLimited(limit = 1)
		public void call() {
		}

		@Override
		public void other() {
		}

	}

	interface Desk {

		@RateLimited(key = "#name", limit = 1)
		String call(String name);

	}

	static class OnInterface implements Desk {

		@Override
		public String call(String name) {
			return name;
		}

	}

	@RateLimited(name = "class", limit = 1)
	static class OnClass {

		public void one() {
		}

		public void two() {
		}

		void hidden() {
		}

	}

	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@RateLimited(name = "careful", limit = 1)
	@interface Careful {

	}

	static class Meta {

		@Careful
		public void call() {
		}

		static class Desk {

			@RateLimited(limit = 1)
			public void call(String user) {
			}

		}

	}

	interface Handler<T> {

		void call(T value);

	}

	static class Generic implements Handler<String> {

		@Override
		@RateLimited(name = "generic", key = "#value", limit = 1)
		public void call(String value) {
		}

		static class Desk {

			@RateLimited(limit = 1)
			public void call(long user) {
			}

		}

	}

	@Configuration(proxyBeanMethods = false)
	static class NamedLikeOurs {

		@Bean({ "rateLimiter", "distributedLocks", "idempotency", "caches", "tokenBlacklist", "usedIds",
				"refreshTokens" })
		String own() {
			return "another library's";
		}

	}

	interface Mistakes {

		@RateLimited(key = "#user +", limit = 1)
		String noExpression(String user);

		@RateLimited(key = "#userId", limit = 1)
		String unknownVariable(String user);

		@RateLimited(limit = 1, fallback = "missing")
		String noFallback(String user);

		@RateLimited(limit = 1)
		FutureTask<String> future();

		@RateLimited
		void noLimit();

		@RateLimited(name = "same", limit = 1)
		void twoLimits();

		@RateLimited(name = "same", limit = 2)
		void twoLimits(String user);

		@RateLimited(limit = -1)
		void negativeLimit();

		@RateLimited(limit = 1, burst = 2)
		void burstOfWindow();

		@RateLimited(limit = 1, window = "soon")
		void badDuration();

		@RateLimited(limit = 1, window = "${no.such.property:60}")
		void noUnit();

		@RateLimited(limit = 1, key = "user")
		String forgottenHash(String user);

		@RateLimited(limit = 1, key = "of(#user)")
		String forgottenBean(String user);

		@RateLimited(limit = 1, window = "${no.such.property}")
		void placeholder();

		@RateLimited(limit = 1)
		void overloads(String user);

		@RateLimited(limit = 1)
		void overloads(long user);

		@RateLimited(name = "a", limit = 1)
		@RateLimited(name = "a", limit = 1)
		void sameNameTwice();

	}

}
