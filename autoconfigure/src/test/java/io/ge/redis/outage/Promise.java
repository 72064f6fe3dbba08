// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.outage;

import java.time.Duration;
import java.time.Instant;

import io.ge.redis.RedisUnavailableException;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.TokenIdentity;
import io.ge.redis.blacklist.TokenStatus;
import io.ge.redis.cache.GeCaches;
import io.ge.redis.idempotency.IdempotencyInFlightException;
import io.ge.redis.lock.DistributedLocks;
import io.ge.redis.lock.LockHandle;
import io.ge.redis.lock.LockNotAcquiredException;
import io.ge.redis.lock.LockOptions;
import io.ge.redis.outage.ServerFault.Answer;
import io.ge.redis.ratelimit.RateLimitEvent;
import io.ge.redis.ratelimit.RateLimitExceededException;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What a pattern promises over a fault. Every assertion that fails is a violation.
 */
abstract class Promise {

	/** Far below the leases, which would end whatever a lost call has left. */
	private static final Duration SOON = Duration.ofSeconds(8);

	private Duration patience = SOON;

	final Shop shop;

	Promise(ApplicationContext application) {
		this.shop = application.getBean(Shop.class);
	}

	abstract String pattern();

	/**
	 * What happened before the fault.
	 */
	abstract void before();

	/**
	 * One guarded call while the fault lasts.
	 */
	abstract void during(Answer answer);

	/**
	 * What succeeds also without memory.
	 */
	void withoutMemory() {
	}

	/**
	 * What stands when the fault is over.
	 */
	abstract void after();

	/**
	 * Makes the rest of a run shorter that has to fail, and yet not so short that what
	 * holds is taken for a failure on a busy machine.
	 */
	final void expectViolations() {
		this.patience = SOON.dividedBy(3);
	}

	/** A busy machine may need longer than the budget. */
	final ConditionFactory await() {
		return Awaitility.await()
			.atMost(this.patience)
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(20))
			.ignoreExceptionsInstanceOf(RedisUnavailableException.class);
	}

	static void assertDenied(Answer answer, Runnable call) {
		if (answer == Answer.POLICY) {
			assertThatExceptionOfType(RedisUnavailableException.class).isThrownBy(call::run);
			return;
		}
		try {
			call.run();
		}
		catch (RedisUnavailableException ex) {
			assertThat(answer).as(ex.getMessage()).isEqualTo(Answer.EITHER);
		}
	}

	/**
	 * Redis admits no more than the limit; without Redis this instance does so itself.
	 */
	static final class RateLimitPromise extends Promise {

		RateLimitPromise(ApplicationContext application) {
			super(application);
		}

		@Override
		String pattern() {
			return "ratelimit";
		}

		@Override
		void before() {
			await().until(() -> {
				this.shop.visit("anna");
				return admitted(RateLimitEvent.Source.REDIS) >= 2;
			});
		}

		@Override
		void during(Answer answer) {
			int decided = this.shop.events(RateLimitEvent.class).size();
			visit();
			RateLimitEvent event = this.shop.events(RateLimitEvent.class).get(decided);
			if (answer != Answer.EITHER) {
				assertThat(event.source())
					.isEqualTo((answer == Answer.REDIS) ? RateLimitEvent.Source.REDIS : RateLimitEvent.Source.LOCAL);
			}
		}

		@Override
		void after() {
			await().until(() -> !visit() && last().source() == RateLimitEvent.Source.REDIS);
			assertThat(admitted(RateLimitEvent.Source.REDIS)).as("admitted by Redis").isLessThanOrEqualTo(Shop.LIMIT);
			assertThat(admitted(RateLimitEvent.Source.LOCAL)).as("admitted meanwhile").isLessThanOrEqualTo(Shop.LIMIT);
		}

		private boolean visit() {
			try {
				this.shop.visit("anna");
				return true;
			}
			catch (RateLimitExceededException ex) {
				return false;
			}
		}

		private RateLimitEvent last() {
			return this.shop.events(RateLimitEvent.class).get(this.shop.events(RateLimitEvent.class).size() - 1);
		}

		private long admitted(RateLimitEvent.Source source) {
			return this.shop.events(RateLimitEvent.class)
				.stream()
				.filter((event) -> event.source() == source && event.outcome() == RateLimitEvent.Outcome.ALLOWED)
				.count();
		}

	}

	/** What is held stays held, what was not acquired is free, and tokens rise. */
	static final class LockPromise extends Promise {

		private final DistributedLocks locks;

		private LockHandle held;

		private LockHandle released;

		LockPromise(ApplicationContext application) {
			super(application);
			this.locks = application.getBean(DistributedLocks.class);
		}

		@Override
		String pattern() {
			return "lock";
		}

		@Override
		void before() {
			this.held = lock("held");
			this.released = lock("released");
		}

		private LockHandle lock(String number) {
			return await().until(() -> this.locks.lock("till", number, LockOptions.defaults()), (handle) -> true);
		}

		@Override
		void during(Answer answer) {
			assertDenied(answer, () -> this.shop.count("free", 0));
		}

		@Override
		void withoutMemory() {
			this.released.close();
			// Were it held still, that would be the answer, which needs no memory
			assertThatExceptionOfType(RedisUnavailableException.class)
				.isThrownBy(() -> this.locks.tryLock("till", "released"));
			assertThat(this.locks.tryLock("till", "held")).isEmpty();
		}

		@Override
		void after() {
			await().ignoreExceptionsInstanceOf(LockNotAcquiredException.class)
				.until(() -> this.shop.count("free", 0) > 0);
			assertThat(this.held.isValid()).as("lock is still held").isTrue();
			assertThat(this.locks.tryLock("till", "held")).as("second holder").isEmpty();
			long token = this.held.token();
			this.held.close();
			await().untilAsserted(() -> {
				try (LockHandle next = this.locks.tryLock("till", "held").orElseThrow(AssertionError::new)) {
					assertThat(next.token()).isGreaterThan(token);
				}
			});
			this.released.close();
		}

	}

	/** What is done is given again, and what was refused was not done. */
	static final class IdempotencyPromise extends Promise {

		IdempotencyPromise(ApplicationContext application) {
			super(application);
		}

		@Override
		String pattern() {
			return "idempotency";
		}

		@Override
		void before() {
			await().until(() -> this.shop.order("done").equals("done 1"));
		}

		@Override
		void during(Answer answer) {
			assertDenied(answer, () -> this.shop.order("refused"));
			if (answer == Answer.POLICY) {
				assertThat(this.shop.executions("refused")).as("executions of a refused call").isZero();
			}
		}

		@Override
		void after() {
			await().ignoreExceptionsInstanceOf(IdempotencyInFlightException.class)
				.until(() -> this.shop.order("refused").equals("refused 1"));
			assertThat(this.shop.order("refused")).isEqualTo("refused 1");
			assertThat(this.shop.order("done")).isEqualTo("done 1");
		}

	}

	/** What is read is what was written, before, during and after. */
	static final class CachePromise extends Promise {

		private final GeCaches caches;

		private int price;

		CachePromise(ApplicationContext application) {
			super(application);
			this.caches = application.getBean(GeCaches.class);
		}

		@Override
		String pattern() {
			return "cache";
		}

		@Override
		void before() {
			this.shop.setPrice("tea", "0");
			awaitCached();
		}

		@Override
		void during(Answer answer) {
			assertThat(this.shop.price("tea")).isEqualTo(this.shop.storedPrice("tea"));
			this.price++;
			this.shop.setPrice("tea", String.valueOf(this.price));
			assertThat(this.shop.price("tea")).isEqualTo(String.valueOf(this.price));
		}

		@Override
		void withoutMemory() {
			this.caches.evict("prices", "tea");
			int loads = this.shop.loads();
			assertThat(this.shop.price("tea")).isEqualTo(this.shop.storedPrice("tea"));
			assertThat(this.shop.loads()).as("loads of what was invalidated").isEqualTo(loads + 1);
		}

		@Override
		void after() {
			awaitCached();
		}

		private void awaitCached() {
			await().until(() -> {
				int loads = this.shop.loads();
				assertThat(this.shop.price("tea")).isEqualTo(this.shop.storedPrice("tea"));
				return this.shop.loads() == loads;
			});
		}

	}

	/** Who was revoked is never clear. */
	static final class BlacklistPromise extends Promise {

		private final TokenBlacklist blacklist;

		private final TokenIdentity revoked = token("revoked");

		private final TokenIdentity late = token("late");

		BlacklistPromise(ApplicationContext application) {
			super(application);
			this.blacklist = application.getBean(TokenBlacklist.class);
		}

		private static TokenIdentity token(String id) {
			return TokenIdentity.of("issuer", id, Instant.now().plusSeconds(600));
		}

		@Override
		String pattern() {
			return "blacklist";
		}

		@Override
		void before() {
			await().until(() -> this.blacklist.revoke(this.revoked).isStored());
		}

		@Override
		void during(Answer answer) {
			assertDenied(answer, () -> assertThat(this.blacklist.check(this.revoked)).isEqualTo(TokenStatus.REVOKED));
		}

		@Override
		void withoutMemory() {
			assertThat(this.blacklist.revoke(this.late).isStored()).isTrue();
			assertThat(this.blacklist.check(this.late)).isEqualTo(TokenStatus.REVOKED);
		}

		@Override
		void after() {
			await().until(() -> this.blacklist.check(token("other")) == TokenStatus.CLEAR);
			assertThat(this.blacklist.check(this.revoked)).isEqualTo(TokenStatus.REVOKED);
			await().until(() -> this.blacklist.revoke(this.late).isStored());
			assertThat(this.blacklist.check(this.late)).isEqualTo(TokenStatus.REVOKED);
		}

	}

}
