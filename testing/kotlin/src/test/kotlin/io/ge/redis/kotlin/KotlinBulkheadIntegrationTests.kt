// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.kotlin

import io.ge.redis.bulkhead.Bulkhead
import io.ge.redis.bulkhead.BulkheadConfiguration
import io.ge.redis.bulkhead.BulkheadFullException
import io.ge.redis.test.SharedRedis
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.async
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatExceptionOfType
import org.junit.jupiter.api.Test
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration
import org.springframework.boot.test.context.runner.ApplicationContextRunner

/**
 * A guard that stands on the frame alone, before suspending functions.
 */
class KotlinBulkheadIntegrationTests {

	private val runner = ApplicationContextRunner()
		.withConfiguration(
			AutoConfigurations.of(
				AopAutoConfiguration::class.java,
				DataRedisAutoConfiguration::class.java,
				Class.forName("io.ge.redis.autoconfigure.GeRedisAutoConfiguration"),
			),
		)
		.withUserConfiguration(BulkheadConfiguration::class.java)
		.withPropertyValues(*SharedRedis.properties())
		.withPropertyValues("ge.redis.outage.command-timeout=5s")

	@Test
	fun suspendingFunctionsAreRefusedWhileOthersAreAtWork() {
		SharedRedis.standalone().flushAll()
		runner.withBean(Workshop::class.java).run { context ->
			val workshop = context.getBean(Workshop::class.java)
			runBlocking {
				val begun = CompletableDeferred<Unit>()
				val end = CompletableDeferred<Unit>()
				val first = async { workshop.work(begun, end) }
				begun.await()
				assertThatExceptionOfType(BulkheadFullException::class.java)
					.isThrownBy { runBlocking { workshop.work(begun, end) } }
				end.complete(Unit)
				assertThat(first.await()).isEqualTo("done")
			}
		}
	}

	open class Workshop {

		@Bulkhead(name = "workshop", limit = "1")
		open suspend fun work(begun: CompletableDeferred<Unit>, end: CompletableDeferred<Unit>): String {
			begun.complete(Unit)
			end.await()
			return "done"
		}

	}

}
