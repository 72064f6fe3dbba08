// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.kotlin

import io.ge.redis.core.consume.Delivery
import io.ge.redis.DeliveryAttempt
import io.ge.redis.core.consume.ListenerMethod
import io.ge.redis.core.consume.MessageReader
import io.ge.redis.core.consume.WorkHandler
import io.ge.redis.core.invocation.GuardedMethod
import java.time.Duration
import java.util.concurrent.CompletableFuture
import kotlinx.coroutines.CompletableDeferred
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

/**
 * Listeners of messages that are suspending functions.
 */
class KotlinListenerTests {

	private val bean = Listeners()

	private val reader = MessageReader<String>({ delivery, _ -> delivery.message() }, { _, _ -> Envelope<String>() }, { emptyMap() })

	@Test
	fun suspendingListenerIsDoneWhenItsWorkIs() {
		val handled = call("work")
		assertThat(handled.isDone).isFalse()
		bean.end.complete(Unit)
		assertThat(handled.get()).isEqualTo("one 3")
	}

	@Test
	fun suspendingListenerFailsWithWhatItThrows() {
		assertThat(call("fail")).failsWithin(Duration.ofSeconds(5)).withThrowableThat().withMessageContaining("test")
	}

	private fun call(name: String): CompletableFuture<Any?> {
		val method = Listeners::class.java.declaredMethods.first { it.name == name }
		val guarded = GuardedMethod(method, Listeners::class.java, DeliveryAttempt::class.java)
		val handler = ListenerMethod(bean, guarded, Envelope::class.java, false).handler(reader)
		val result = CompletableFuture<Any?>()
		handler.handle(listOf(Delivery("1", "test", 3, "", "one")), Untouched()).whenComplete { value, failure ->
			if (failure != null) result.completeExceptionally(failure) else result.complete(value)
		}
		return result
	}

	class Envelope<T>

	class Listeners {

		val end = CompletableDeferred<Unit>()

		suspend fun work(payload: String, @DeliveryAttempt attempt: Int): String {
			end.await()
			return "$payload $attempt"
		}

		suspend fun fail(payload: String): String {
			throw IllegalStateException("test $payload")
		}

	}

	private class Untouched : WorkHandler.BatchAcknowledgment<String> {

		override fun acknowledge() = Unit

		override fun retry() = Unit

		override fun reject(reason: String) = Unit

		override fun reject(delivery: Delivery<String>, failure: Throwable) = Unit

		override fun isLeased() = true

	}

}
