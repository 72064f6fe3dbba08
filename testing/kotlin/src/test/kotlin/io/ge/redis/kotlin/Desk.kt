// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.kotlin

import io.ge.redis.blacklist.BlacklistCheck
import io.ge.redis.breaker.CircuitBreaker
import io.ge.redis.cache.CacheAside
import io.ge.redis.cache.CacheWriteThrough
import io.ge.redis.idempotency.Idempotent
import io.ge.redis.lock.DistributedLock
import io.ge.redis.lock.FencingToken
import io.ge.redis.ratelimit.RateLimitExceededException
import io.ge.redis.ratelimit.RateLimited
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.atomic.AtomicInteger
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineName
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.flow.flowOn
import org.springframework.stereotype.Service

@JvmInline
value class Account(val id: String)

@JvmInline
value class OrderNumber(val value: Long)

data class Order(val account: Account, val symbol: String?)

/**
 * What an application guards, in each way that Kotlin has.
 */
@Service
class Desk {

	val runs = AtomicInteger()

	val started = CompletableDeferred<Unit>()

	val cancelled = CompletableDeferred<Unit>()

	val names = CopyOnWriteArrayList<String?>()

	private suspend fun work(user: String): String {
		delay(1)
		runs.incrementAndGet()
		names += currentCoroutineContext()[CoroutineName]?.name
		return "done for $user on ${Thread.currentThread().name.substringBefore(" @")}"
	}

	private fun numbers(): Flow<Int> = flow {
		runs.incrementAndGet()
		emit(1)
		delay(1)
		emit(2)
	}

	// Each pattern in each form

	@RateLimited(name = "plain", key = "#user", limit = 1, window = "1h")
	fun limited(user: String): String {
		runs.incrementAndGet()
		return "done for $user"
	}

	@RateLimited(name = "suspended", key = "#user", limit = 1, window = "1h")
	suspend fun limitedSuspending(user: String): String = work(user)

	@RateLimited(name = "flow", key = "#user", limit = 1, window = "1h")
	fun limitedFlow(user: String): Flow<Int> = numbers()

	@RateLimited(name = "suspendedFlow", key = "#user", limit = 1, window = "1h")
	suspend fun limitedSuspendingFlow(user: String): Flow<Int> {
		delay(1)
		return numbers()
	}

	@BlacklistCheck(name = "accounts", subject = "#user")
	fun checked(user: String): String {
		runs.incrementAndGet()
		return "done for $user"
	}

	@BlacklistCheck(name = "accounts", subject = "#user")
	suspend fun checkedSuspending(user: String): String = work(user)

	@BlacklistCheck(name = "accounts", subject = "#user")
	fun checkedFlow(user: String): Flow<Int> = numbers()

	@BlacklistCheck(name = "accounts", subject = "#user")
	suspend fun checkedSuspendingFlow(user: String): Flow<Int> {
		delay(1)
		return numbers()
	}

	@CircuitBreaker(name = "quotes", key = "#user")
	fun breaking(user: String): String {
		runs.incrementAndGet()
		return "done for $user"
	}

	@CircuitBreaker(name = "quotes", key = "#user")
	suspend fun breakingSuspending(user: String): String = work(user)

	@CircuitBreaker(name = "quotes", key = "#user")
	fun breakingFlow(user: String): Flow<Int> = numbers()

	@CircuitBreaker(name = "quotes", key = "#user")
	suspend fun breakingSuspendingFlow(user: String): Flow<Int> {
		delay(1)
		return numbers()
	}

	@DistributedLock(name = "accounts", key = "#user", waitTime = "0s")
	fun locked(user: String): String {
		runs.incrementAndGet()
		return "done for $user"
	}

	@DistributedLock(name = "accounts", key = "#user", waitTime = "0s")
	suspend fun lockedSuspending(user: String): String = work(user)

	@DistributedLock(name = "accounts", key = "#user", waitTime = "0s")
	fun lockedFlow(user: String): Flow<Int> = numbers()

	@DistributedLock(name = "accounts", key = "#user", waitTime = "0s")
	suspend fun lockedSuspendingFlow(user: String): Flow<Int> {
		delay(1)
		return numbers()
	}

	@DistributedLock(name = "accounts", key = "#user")
	suspend fun token(user: String, @FencingToken token: Long = 0): Long {
		delay(1)
		return token
	}

	@Idempotent(name = "orders", key = "#id")
	suspend fun order(id: String, symbol: String? = "SOL"): List<Long> {
		delay(1)
		return listOf(runs.incrementAndGet().toLong(), symbol?.length?.toLong() ?: 0)
	}

	@Idempotent(name = "orderFlow", key = "#id")
	fun orderFlow(id: String): Flow<Int> = numbers()

	@CacheAside(cache = "prices", key = "#user", ttl = "1m")
	suspend fun prices(user: String): List<Long> {
		delay(1)
		return listOf(runs.incrementAndGet().toLong())
	}

	@CacheAside(cache = "prices", keys = "#users", ttl = "1m")
	suspend fun pricesOf(users: Collection<String>): Map<String, List<Long>> {
		delay(1)
		runs.incrementAndGet()
		return users.associateWith { listOf(it.length.toLong()) }
	}

	@CacheWriteThrough(cache = "prices", key = "#user", ttl = "1m")
	suspend fun changePrices(user: String, price: Long): List<Long> {
		delay(1)
		return listOf(price)
	}

	@CacheAside(cache = "numbers", key = "#user", ttl = "1m")
	fun cachedNumbers(user: String): Flow<Int> = numbers()

	// Results

	@RateLimited(name = "results", key = "#user", limit = 100)
	suspend fun nothing(user: String): String? {
		delay(1)
		return null
	}

	@RateLimited(name = "results", key = "#user", limit = 100)
	suspend fun unit(user: String) {
		delay(1)
		runs.incrementAndGet()
	}

	@RateLimited(name = "results", key = "#user", limit = 100)
	suspend fun number(user: String): Int {
		delay(1)
		return user.length
	}

	@RateLimited(name = "results", key = "#user", limit = 100, refundOn = [IllegalStateException::class])
	suspend fun fails(user: String): String {
		delay(1)
		error("failed for $user")
	}

	@RateLimited(name = "named", key = "#user", limit = 100)
	fun named(user: String): Flow<String?> = flow { emit(currentCoroutineContext()[CoroutineName]?.name) }
		.flowOn(CoroutineName("of the flow for $user"))

	// Fallbacks

	@RateLimited(name = "quotes", key = "#user", limit = 1, window = "1h", fallback = "lastKnown")
	suspend fun quote(user: String, symbol: String? = "SOL"): String = "$symbol, ${work(user)}"

	@Suppress("unused")
	private suspend fun lastKnown(user: String, symbol: String?, refusal: RateLimitExceededException): String =
		"old $symbol after ${refusal.violated()}, ${work(user)}"

	@RateLimited(name = "quoteFlow", key = "#user", limit = 1, window = "1h", fallback = "lastKnownFlow")
	fun quoteFlow(user: String): Flow<Int> = numbers()

	@Suppress("unused")
	private fun lastKnownFlow(user: String): Flow<Int> = flowOf(user.length)

	// Cancelled

	@RateLimited(name = "paced", key = "#user", limit = 1, window = "10m", waitTime = "1h")
	suspend fun paced(user: String): String = work(user)

	@RateLimited(name = "cancelled", key = "#user", limit = 100)
	suspend fun waitsForever(user: String): String {
		started.complete(Unit)
		try {
			awaitCancellation()
		} finally {
			cancelled.complete(Unit)
		}
	}

	// Parameters

	@RateLimited(name = "defaults", key = "#account + #quantity", limit = 1, window = "1h")
	fun withDefaults(account: String, quantity: Int = 7): String = "$account $quantity"

	@RateLimited(name = "defaults", key = "#account + #quantity", limit = 1, window = "1h")
	suspend fun suspendingWithDefaults(account: String, quantity: Int = 7): String = "$account $quantity"

	@RateLimited(name = "nullable", key = "#account", limit = 1, window = "1h")
	fun nullable(account: String?): String? = account

	@RateLimited(name = "nullable", key = "#account ?: 'nobody'", limit = 1, window = "1h")
	suspend fun suspendingNullable(account: String?): String? = account

	@RateLimited(name = "orders", key = "#order", limit = 1, window = "1h")
	fun place(order: OrderNumber): Long = order.value

	@RateLimited(name = "orders", key = "#order", limit = 1, window = "1h")
	fun placeMaybe(order: OrderNumber?): Long? = order?.value

	@RateLimited(name = "orders", key = "#order", limit = 1, window = "1h")
	suspend fun placeSuspending(order: OrderNumber): Long = order.value

	@RateLimited(name = "orders", key = "#orders", limit = 1, window = "1h")
	fun placeAll(orders: List<OrderNumber>): Int = orders.size

	@RateLimited(key = "#account", limit = 1, window = "1h", fallback = "laterOf")
	fun of(account: Account): String = "now ${account.id}"

	@Suppress("unused")
	private fun laterOf(account: Account, refusal: RateLimitExceededException): String =
		"later ${account.id} after ${refusal.violated()}"

	@RateLimited(key = "#account", limit = 1, window = "1h", fallback = "laterSuspending")
	suspend fun ofSuspending(account: Account): Account = Account("now ${account.id}")

	@Suppress("unused")
	private suspend fun laterSuspending(account: Account): Account = Account("later ${account.id}")

	@RateLimited(name = "compound", key = "{#order.symbol, #user}", limit = 1, window = "1h")
	suspend fun compound(order: Order, user: String): String = "${order.symbol} $user"

	@RateLimited(name = "arguments", key = "#root.args.length", limit = 1, window = "1h")
	suspend fun arguments(first: String, second: String): String = "$first $second"

	@RateLimited(key = "#user", limit = 1, window = "1h")
	internal suspend fun inside(user: String): String = user

}
