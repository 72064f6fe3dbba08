// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.kotlin

import io.ge.redis.core.guard.GuardAdvisor
import io.ge.redis.GuardConfigurationException
import io.ge.redis.ratelimit.RateLimited
import java.util.stream.Stream
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Deferred
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.Arguments
import org.junit.jupiter.params.provider.Arguments.arguments
import org.junit.jupiter.params.provider.MethodSource
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration
import org.springframework.boot.test.context.runner.ApplicationContextRunner
import org.springframework.stereotype.Service

/**
 * What is refused when the application starts, with Redis down.
 */
class KotlinStartupIntegrationTests {

	private val runner = ApplicationContextRunner()
		.withConfiguration(
			AutoConfigurations.of(
				AopAutoConfiguration::class.java,
				DataRedisAutoConfiguration::class.java,
				Class.forName("io.ge.redis.autoconfigure.GeRedisAutoConfiguration"),
				Class.forName("io.ge.redis.autoconfigure.RateLimitAutoConfiguration"),
			),
		)
		.withPropertyValues("spring.data.redis.port=1")

	@ParameterizedTest
	@MethodSource("mistakes")
	fun refusesWhatCannotWorkAndNamesTheRemedy(bean: Class<*>, method: String, problem: String, remedy: String) {
		runner.withBean("desk", bean).run { context ->
			assertThat(context).hasFailed()
			val failure = generateSequence(context.startupFailure) { it.cause }
				.filterIsInstance<GuardConfigurationException>()
				.first()
			assertThat(failure).hasMessageContaining("@RateLimited on ${bean.name}.$method")
				.hasMessageContaining(problem)
				.hasMessageContaining(remedy)
		}
	}

	@Test
	fun methodsThatTheCompilerAddsAreNotGuarded() {
		runner.run { context ->
			val source = context.getBean(GuardAdvisor::class.java).source()
			val added = Desk::class.java.declaredMethods
				.filter { it.isSynthetic && it.isAnnotationPresent(RateLimited::class.java) }
			assertThat(added).isNotEmpty().allMatch { source.get(it, Desk::class.java) == null }
		}
	}

	class FinalClass {

		@RateLimited(limit = 1)
		fun call(user: String): String = user

	}

	open class FinalFunction {

		@RateLimited(limit = 1)
		fun call(user: String): String = user

	}

	@Service
	class PrivateFunction {

		@RateLimited(limit = 1)
		private fun call(user: String): String = user

		@RateLimited(limit = 1)
		fun other(): String = call("anna")

	}

	@Service
	class ContinuationAsParameter {

		@RateLimited(key = "#p1", limit = 1)
		suspend fun call(user: String): String = user

	}

	@Service
	class UnknownParameter {

		@RateLimited(key = "#account", limit = 1)
		suspend fun call(user: String): String = user

	}

	@Service
	class PlainFallback {

		@RateLimited(limit = 1, fallback = "plain")
		suspend fun call(user: String): String = user

		@Suppress("unused")
		fun plain(user: String): String = user

	}

	@Service
	class SuspendingFallback {

		@RateLimited(limit = 1, fallback = "suspending")
		fun call(user: String): String = user

		@Suppress("unused")
		suspend fun suspending(user: String): String = user

	}

	@Service
	class FallbackOfAnotherType {

		@RateLimited(limit = 1, fallback = "number")
		suspend fun call(user: String): String = user

		@Suppress("unused")
		suspend fun number(user: String): Int = user.length

	}

	@Service
	class DeferredResult {

		@RateLimited(limit = 1)
		fun call(user: String): Deferred<String> = CompletableDeferred(user)

	}

	companion object {

		@JvmStatic
		fun mistakes(): Stream<Arguments> = Stream.of(
			arguments(FinalClass::class.java, "call(String)", "final", "kotlin-spring"),
			arguments(FinalFunction::class.java, "call(String)", "a final method", "open"),
			arguments(PrivateFunction::class.java, "call(String)", "private and static methods", "public method"),
			arguments(ContinuationAsParameter::class.java, "call(String)", "#p1, which is no parameter", "#user."),
			arguments(UnknownParameter::class.java, "call(String)", "#account, which is no parameter", "#user."),
			arguments(PlainFallback::class.java, "call(String)", "no fallback method 'plain'", "suspend String plain"),
			arguments(SuspendingFallback::class.java, "call(String)", "no fallback method 'suspending'", "String suspending"),
			arguments(FallbackOfAnotherType::class.java, "call(String)", "no fallback method 'number'", "suspend String"),
			arguments(DeferredResult::class.java, "call(String)", "Deferred cannot be guarded", "Return the plain value"),
		)

	}

}
