// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.kotlin

import io.ge.redis.idempotency.Idempotent
import io.ge.redis.test.SharedRedis
import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicInteger
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.BeforeEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestInstance
import org.springframework.boot.SpringApplication
import org.springframework.boot.autoconfigure.EnableAutoConfiguration
import org.springframework.context.ConfigurableApplicationContext
import org.springframework.context.annotation.Configuration
import org.springframework.context.annotation.Import
import org.springframework.http.ResponseEntity
import org.springframework.web.bind.annotation.PostMapping
import org.springframework.web.bind.annotation.RequestBody
import org.springframework.web.bind.annotation.RestController
import org.springframework.web.context.request.RequestContextHolder

/**
 * Suspending handlers on Spring MVC, whose responses are kept as those of plain ones.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class KotlinMvcIntegrationTests {

	private val application: ConfigurableApplicationContext = SpringApplication(MvcApplication::class.java).run(
		*(SharedRedis.standalone().properties().toList() + listOf(
			"server.port=0", "server.address=127.0.0.1", "spring.main.banner-mode=off",
			"ge.redis.outage.command-timeout=5s",
			"logging.level.org.apache.catalina.core.ContainerBase=OFF")).map { "--$it" }.toTypedArray())

	private val counter: Counter = application.getBean(Counter::class.java)

	@BeforeEach
	fun reset() {
		SharedRedis.standalone().flushAll()
		counter.reset()
	}

	@AfterAll
	fun stop() = application.close()

	@Test
	fun suspendingHandlerIsRepeatedByteByByte() {
		val first = post("/created", "k")
		assertThat(first.statusCode()).isEqualTo(201)
		assertThat(first.body()).isEqualTo("""{"id":1,"body":"order"}""")
		val again = post("/created", "k")
		assertThat(again.statusCode()).isEqualTo(201)
		assertThat(again.body()).isEqualTo(first.body())
		assertThat(again.headers().firstValue("Location")).contains("/sales/1")
		assertThat(again.headers().firstValue("Idempotent-Replayed")).contains("true")
		assertThat(post("/created", "k", "another").statusCode()).isEqualTo(422)
		assertThat(counter.effects.get()).isEqualTo(1)
	}

	@Test
	fun suspendedHandlerIsInFlight() {
		val first = CompletableFuture.supplyAsync({ post("/suspended", "k") }, { Thread(it).start() })
		await().until { counter.effects.get() == 1 }
		assertThat(post("/suspended", "k").statusCode()).isEqualTo(409)
		counter.leave.complete(Unit)
		assertThat(first.get(10, TimeUnit.SECONDS).body()).isEqualTo("1")
		assertThat(post("/suspended", "k").headers().firstValue("Idempotent-Replayed")).contains("true")
	}

	@Test
	fun flowIsCollectedAndRepeated() {
		val first = post("/flow", "k")
		assertThat(first.body()).isEqualTo("""[{"id":1,"body":"first"},{"id":2,"body":"second"}]""")
		val again = post("/flow", "k")
		assertThat(again.body()).isEqualTo(first.body())
		assertThat(again.headers().firstValue("Idempotent-Replayed")).contains("true")
	}

	@Test
	fun failureClosesTheKey() {
		assertThat(post("/failing", "k").statusCode()).isEqualTo(500)
		assertThat(post("/failing", "k").body()).contains("outcome-unknown")
		assertThat(counter.effects.get()).isEqualTo(1)
	}

	private fun post(path: String, key: String, body: String = "order"): HttpResponse<String> =
		HttpClient.newHttpClient().send(
			HttpRequest.newBuilder(
				URI.create("http://127.0.0.1:${application.environment.getProperty("local.server.port")}$path"))
				.header("Idempotency-Key", key)
				.header("Content-Type", "text/plain")
				.POST(HttpRequest.BodyPublishers.ofString(body))
				.build(),
			HttpResponse.BodyHandlers.ofString())

	class Counter {

		val effects = AtomicInteger()

		@Volatile
		var leave = CompletableDeferred<Unit>()

		fun reset() {
			effects.set(0)
			leave = CompletableDeferred()
		}
	}

	data class Sale(val id: Int, val body: String)

	@RestController
	class Sales(private val counter: Counter) {

		@PostMapping("/created")
		@Idempotent
		suspend fun created(@RequestBody body: String): ResponseEntity<Sale> {
			checkNotNull(RequestContextHolder.getRequestAttributes())
			delay(1)
			val id = counter.effects.incrementAndGet()
			return ResponseEntity.created(URI.create("/sales/$id")).body(Sale(id, body))
		}

		@PostMapping("/suspended")
		@Idempotent
		suspend fun suspended(): String {
			val id = counter.effects.incrementAndGet()
			counter.leave.await()
			return id.toString()
		}

		@PostMapping("/flow")
		@Idempotent
		fun flow(): Flow<Sale> = flow {
			emit(Sale(counter.effects.incrementAndGet(), "first"))
			delay(1)
			emit(Sale(counter.effects.incrementAndGet(), "second"))
		}

		@PostMapping("/failing")
		@Idempotent
		suspend fun failing(): String {
			counter.effects.incrementAndGet()
			delay(1)
			error("failed")
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Counter::class, Sales::class)
	class MvcApplication
}
