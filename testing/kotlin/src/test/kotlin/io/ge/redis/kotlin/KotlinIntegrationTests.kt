// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.kotlin

import io.ge.redis.blacklist.SubjectBlockedException
import io.ge.redis.blacklist.TokenBlacklist
import io.ge.redis.breaker.CircuitBreakers
import io.ge.redis.breaker.CircuitOpenException
import io.ge.redis.breaker.CircuitState
import io.ge.redis.breaker.internal.BreakerPattern
import io.ge.redis.core.endpoint.GuardRequest
import io.ge.redis.core.guard.GuardedMethods
import io.ge.redis.InvalidKeyException
import io.ge.redis.idempotency.IdempotencyMismatchException
import io.ge.redis.lock.DistributedLocks
import io.ge.redis.lock.LockHandle
import io.ge.redis.lock.LockNotAcquiredException
import io.ge.redis.lock.LockOptions
import io.ge.redis.ratelimit.RateLimitExceededException
import io.ge.redis.ratelimit.RateLimiter
import io.ge.redis.test.SharedRedis
import java.time.Duration
import java.util.concurrent.Executors
import kotlin.reflect.KClass
import kotlinx.coroutines.CoroutineName
import kotlinx.coroutines.ExecutorCoroutineDispatcher
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatExceptionOfType
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.BeforeEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestInstance
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.MethodSource
import org.springframework.boot.test.context.SpringBootTest
import org.springframework.test.context.DynamicPropertyRegistry
import org.springframework.test.context.DynamicPropertySource
import org.springframework.test.context.TestConstructor

/**
 * Guards on what is written in Kotlin, called from one thread that must never wait.
 */
// Nobody looks for what was invalidated between what a test empties and what it asks
@SpringBootTest(
	properties = [
		"ge.redis.outage.command-timeout=1m",
		"ge.redis.cache.max-staleness=10m",
		"spring.main.banner-mode=off",
	],
)
@TestConstructor(autowireMode = TestConstructor.AutowireMode.ALL)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class KotlinIntegrationTests(
	private val desk: Desk,
	private val limiter: RateLimiter,
	private val blacklist: TokenBlacklist,
	private val locks: DistributedLocks,
	private val breakers: BreakerPattern,
	private val circuits: CircuitBreakers,
	private val methods: GuardedMethods,
) {

	private val loop: ExecutorCoroutineDispatcher =
		Executors.newSingleThreadExecutor { Thread(it, "loop") }.asCoroutineDispatcher()

	private val redis = SharedRedis.standalone()

	private val held = mutableListOf<LockHandle>()

	@BeforeEach
	fun begin() {
		redis.flushAll()
		desk.runs.set(0)
		desk.names.clear()
	}

	@AfterEach
	fun release() {
		held.forEach { it.close() }
		held.clear()
	}

	@AfterAll
	fun end() {
		loop.close()
	}

	/**
	 * A pattern in each form.
	 *
	 * @param refuse lets it refuse somebody
	 */
	class Guarded(
		private val name: String,
		val refusal: KClass<out Throwable>,
		val refuse: (String) -> Unit,
		val plain: (String) -> String,
		val suspending: suspend (String) -> String,
		val flow: (String) -> Flow<Int>,
		val suspendingFlow: suspend (String) -> Flow<Int>,
	) {

		override fun toString(): String = name

	}

	// A pattern more is an entry more
	fun guarded(): List<Guarded> = listOf(
		Guarded(
			"@RateLimited",
			RateLimitExceededException::class,
			{ user -> listOf("plain", "suspended", "flow", "suspendedFlow").forEach { limiter.tryAcquire(it, user) } },
			desk::limited,
			desk::limitedSuspending,
			desk::limitedFlow,
			desk::limitedSuspendingFlow,
		),
		Guarded(
			"@BlacklistCheck",
			SubjectBlockedException::class,
			{ user -> blacklist.block("accounts", user, Duration.ofMinutes(1)) },
			desk::checked,
			desk::checkedSuspending,
			desk::checkedFlow,
			desk::checkedSuspendingFlow,
		),
		Guarded(
			"@DistributedLock",
			LockNotAcquiredException::class,
			{ user -> held += locks.lock("accounts", user, LockOptions.defaults()) },
			desk::locked,
			desk::lockedSuspending,
			desk::lockedFlow,
			desk::lockedSuspendingFlow,
		),
		Guarded(
			"@CircuitBreaker",
			CircuitOpenException::class,
			{ user ->
				breakers.control()
					.write(
						GuardRequest(
							listOf("quotes"),
							mapOf("key" to user, "state" to "FORCED_OPEN", "duration" to "1m", "reason" to "test"),
						),
					)
				await().until { circuits.state("quotes", user) == CircuitState.FORCED_OPEN }
			},
			desk::breaking,
			desk::breakingSuspending,
			desk::breakingFlow,
			desk::breakingSuspendingFlow,
		),
	)

	private fun <T> onLoop(block: suspend () -> T): T = runBlocking {
		withTimeout(30_000) { withContext(loop) { block() } }
	}

	private inline fun <reified T : Throwable> refused(noinline block: suspend () -> Any?): T =
		assertThatExceptionOfType(T::class.java).isThrownBy { onLoop(block) }.actual()

	@ParameterizedTest
	@MethodSource("guarded")
	fun allowsInEachForm(guarded: Guarded) {
		assertThat(guarded.plain("allowed")).isEqualTo("done for allowed")
		assertThat(onLoop { guarded.suspending("allowed") }).isEqualTo("done for allowed on loop")
		assertThat(onLoop { guarded.flow("allowed").toList() }).containsExactly(1, 2)
		assertThat(onLoop { guarded.suspendingFlow("allowed").toList() }).containsExactly(1, 2)
		assertThat(desk.runs).hasValue(4)
	}

	@ParameterizedTest
	@MethodSource("guarded")
	fun refusesInEachFormAndTheBodyHasNotRun(guarded: Guarded) {
		guarded.refuse("refused")
		val refusal = guarded.refusal.java
		assertThatExceptionOfType(refusal).isThrownBy { guarded.plain("refused") }
		assertThatExceptionOfType(refusal).isThrownBy { onLoop { guarded.suspending("refused") } }
		// Decided when it is collected, not when it is made
		val flow = guarded.flow("refused")
		assertThatExceptionOfType(refusal).isThrownBy { onLoop { flow.toList() } }
		assertThatExceptionOfType(refusal).isThrownBy { onLoop { guarded.suspendingFlow("refused").toList() } }
		assertThat(desk.runs).hasValue(0)
	}

	@ParameterizedTest
	@MethodSource("guarded")
	fun neverBlocksTheThreadThatAsks(guarded: Guarded) {
		runBlocking {
			// Whatever has to be known first
			withContext(loop) { guarded.suspending("warm") }
			redis.primary().pause()
			val calls = try {
				val calls = (1..100).map { async(loop) { guarded.suspending("user $it") } }
				withTimeout(30_000) { withContext(loop) { assertThat(calls.size).isEqualTo(100) } }
				calls
			} finally {
				redis.primary().resume()
			}
			assertThat(withTimeout(30_000) { calls.awaitAll() }).hasSize(100).allMatch { it.endsWith("on loop") }
		}
	}

	@Test
	fun resultsAreThoseOfTheFunction() {
		assertThat(onLoop { desk.nothing("anna") }).isNull()
		onLoop { desk.unit("anna") }
		assertThat(desk.runs).hasValue(1)
		assertThat(onLoop { desk.number("anna") }).isEqualTo(4)
		assertThat(refused<IllegalStateException> { desk.fails("anna") }).hasMessage("failed for anna")
		await().until { remaining("results", "anna") == 97L }
	}

	private fun remaining(name: String, key: String): Long =
		limiter.tryAcquire(name, key, 0).quotas()[0].remaining()

	@Test
	fun fencingTokenIsPassedToASuspendingFunction() {
		val first = onLoop { desk.token("anna") }
		assertThat(first).isPositive
		assertThat(onLoop { desk.token("anna", 1) }).isGreaterThan(first)
	}

	@Test
	fun suspendingFunctionRunsOnceForAKeyAndIsReplayed() {
		assertThat(onLoop { desk.order("a") }).containsExactly(1L, 3L)
		assertThat(onLoop { desk.order("a") }).containsExactly(1L, 3L)
		assertThat(refused<IdempotencyMismatchException> { desk.order("a", "USDC") }).isNotNull
		assertThat(onLoop { desk.orderFlow("a").toList() }).containsExactly(1, 2)
		assertThat(onLoop { desk.orderFlow("a").toList() }).containsExactly(1, 2)
		assertThat(desk.runs).hasValue(2)
	}

	@Test
	fun suspendingReaderIsAnsweredFromTheCacheAndSeesWhatASuspendingWriterHasWritten() {
		assertThat(onLoop { desk.prices("anna") }).containsExactly(1L)
		assertThat(onLoop { desk.prices("anna") }).containsExactly(1L)
		assertThat(onLoop { desk.changePrices("anna", 7) }).containsExactly(7L)
		assertThat(onLoop { desk.prices("anna") }).containsExactly(7L)
		assertThat(desk.runs).hasValue(1)
	}

	@Test
	fun suspendingReaderOfSeveralLoadsWhatIsMissingInOneGo() {
		assertThat(onLoop { desk.changePrices("anna", 7) }).containsExactly(7L)
		val prices = mapOf("bob" to listOf(3L), "anna" to listOf(7L), "carl" to listOf(4L))
		assertThat(onLoop { desk.pricesOf(listOf("bob", "anna", "carl")) }).isEqualTo(prices)
		assertThat(onLoop { desk.pricesOf(prices.keys) }).isEqualTo(prices)
		assertThat(onLoop { desk.prices("carl") }).containsExactly(4L)
		assertThat(desk.runs).hasValue(1)
	}

	@Test
	fun flowIsCachedAsAWhole() {
		assertThat(onLoop { desk.cachedNumbers("anna").toList() }).containsExactly(1, 2)
		assertThat(onLoop { desk.cachedNumbers("anna").toList() }).containsExactly(1, 2)
		assertThat(desk.runs).hasValue(1)
	}

	@Test
	fun fallbackRunsInTheContextOfItsCaller() {
		val named = CoroutineName("caller")
		assertThat(onLoop { withContext(named) { desk.quote("anna") } }).isEqualTo("SOL, done for anna on loop")
		assertThat(onLoop { withContext(named) { desk.quote("anna") } })
			.isEqualTo("old SOL after [quotes], done for anna on loop")
		assertThat(desk.names).containsExactly("caller", "caller")
		assertThat(onLoop { desk.quoteFlow("anna").toList() }).containsExactly(1, 2)
		assertThat(onLoop { desk.quoteFlow("anna").toList() }).containsExactly(4)
	}

	@Test
	fun flowRunsWhereItSays() {
		assertThat(onLoop { desk.named("anna").toList() }).containsExactly("of the flow for anna")
	}

	@Test
	fun whoGoesWhileWaitingGetsWhatWasTakenBack(): Unit = runBlocking {
		withContext(loop) { desk.paced("anna") }
		val waiting = launch(loop) { desk.paced("anna") }
		await().until { admissions("anna") == 2L }
		waiting.cancelAndJoin()
		await().until { admissions("anna") == 1L }
		assertThat(desk.runs).hasValue(1)
	}

	private fun admissions(user: String): Long {
		val keys = redis.primary().command("KEYS", "*{$user}*paced*") as List<*>
		if (keys.isEmpty()) {
			return 0
		}
		return redis.primary().command("LLEN", keys[0].toString()) as Long
	}

	@Test
	fun cancellingTheCallCancelsTheFunction(): Unit = runBlocking {
		val call = launch(loop) { desk.waitsForever("anna") }
		withTimeout(30_000) {
			desk.started.await()
			call.cancelAndJoin()
			desk.cancelled.await()
		}
	}

	@Test
	fun whoTakesOnlyTheFirstOfAFlowCancelsTheRest() {
		assertThat(onLoop { desk.limitedFlow("first").first() }).isEqualTo(1)
		assertThat(onLoop { desk.limitedSuspendingFlow("first").first() }).isEqualTo(1)
	}

	@Test
	fun defaultArgumentsAreKnownToTheKey() {
		assertThat(desk.withDefaults("anna")).isEqualTo("anna 7")
		assertThat(refused<RateLimitExceededException> { desk.withDefaults("anna", 7) }).isNotNull
		assertThat(refused<RateLimitExceededException> { desk.suspendingWithDefaults("anna") }).isNotNull
		assertThat(onLoop { desk.suspendingWithDefaults("anna", 8) }).isEqualTo("anna 8")
	}

	@Test
	fun nullIsNoKey() {
		assertThat(refused<InvalidKeyException> { desk.nullable(null) }.isCausedByArguments).isTrue()
		assertThat(onLoop { desk.suspendingNullable(null) }).isNull()
		assertThat(refused<RateLimitExceededException> { desk.nullable("nobody") }).isNotNull
	}

	@Test
	fun valueClassIsTheKeyThatItWraps() {
		assertThat(desk.place(OrderNumber(1))).isEqualTo(1)
		// Boxed, and so on
		assertThat(refused<RateLimitExceededException> { desk.placeMaybe(OrderNumber(1)) }).isNotNull
		assertThat(refused<RateLimitExceededException> { desk.placeSuspending(OrderNumber(1)) }).isNotNull
		assertThat(refused<RateLimitExceededException> { desk.placeAll(listOf(OrderNumber(1))) }).isNotNull
		assertThat(onLoop { desk.placeSuspending(OrderNumber(2)) }).isEqualTo(2)
	}

	@Test
	fun mangledFunctionsHaveTheNamesOfTheSource() {
		assertThat(desk.of(Account("anna"))).isEqualTo("now anna")
		assertThat(desk.of(Account("anna"))).isEqualTo("later anna after [Desk.of]")
		assertThat(onLoop { desk.ofSuspending(Account("anna")) }).isEqualTo(Account("now anna"))
		assertThat(onLoop { desk.ofSuspending(Account("anna")) }).isEqualTo(Account("later anna"))
		assertThat(onLoop { desk.inside("anna") }).isEqualTo("anna")
		val names = methods.all().associate { it.method().substringAfterLast("Desk.") to it.guard().name() }
		assertThat(names).containsEntry("of(String)", "Desk.of")
			.containsEntry("ofSuspending(String)", "Desk.ofSuspending")
			.containsEntry("inside(String)", "Desk.inside")
	}

	@Test
	fun continuationIsNoArgument() {
		assertThat(onLoop { desk.compound(Order(Account("anna"), "SOL"), "anna") }).isEqualTo("SOL anna")
		assertThat(refused<RateLimitExceededException> { desk.compound(Order(Account("boris"), "SOL"), "anna") })
			.isNotNull
		assertThat(onLoop { desk.arguments("one", "two") }).isEqualTo("one two")
		assertThat(remaining("arguments", "2")).isZero()
	}

	companion object {

		@JvmStatic
		@DynamicPropertySource
		fun properties(registry: DynamicPropertyRegistry) {
			SharedRedis.properties().forEach { property ->
				val (name, value) = property.split("=", limit = 2)
				registry.add(name) { value }
			}
		}

	}

}
