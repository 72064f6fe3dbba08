// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import io.ge.redis.lock.LockHandle;
import io.ge.redis.lock.LockLostException;
import io.ge.redis.lock.LockNotAcquiredException;
import io.ge.redis.lock.LockOptions;
import io.ge.redis.test.SharedRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Several keys are held together or not at all.
 */
class SeveralLocksIntegrationTests {

	private LockApplication first;

	private LockApplication second;

	@BeforeEach
	void start() {
		this.first = LockApplication.start(SharedRedis.properties());
		this.second = LockApplication.start(SharedRedis.properties());
	}

	@AfterEach
	void close() {
		this.first.close();
		this.second.close();
	}

	@Test
	void keyThatWasTakenForNothingIsNotKeptForItsShortestHold() {
		LockOptions minute = LockOptions.defaults().atLeastFor(Duration.ofMinutes(1));
		LockHandle other = this.second.locks().lock("several", "b", LockOptions.defaults());
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.first.locks().lockAll("several", List.of("a", "b"), minute));
		assertThat(this.second.locks().tryLock("several", "a")).hasValueSatisfying(LockHandle::close);
		other.close();
	}

	@Test
	void workDoesNotBeginIfOneKeyIsLostWhileAnotherIsWaitedFor() {
		LockOptions shorterThanTheWait = LockOptions.defaults()
			.leaseTime(Duration.ofMillis(200))
			.renew(false)
			.waitTime(Duration.ofSeconds(20));
		AtomicBoolean begun = new AtomicBoolean();
		LockHandle other = this.second.locks().lock("lost", "b", LockOptions.defaults());
		CompletableFuture<Void> work = this.first.async(() -> this.first.locks()
			.<Void, RuntimeException>executeAll("lost", List.of("a", "b"), shorterThanTheWait, (locks) -> {
				begun.set(true);
				return null;
			}));
		RedisLocks locks = new RedisLocks(this.second.backend());
		// So it has the first key, which it does not extend
		Awaitility.await().until(() -> locks.look(locks.key("lost", List.of("b"))).join().waiters() == 1);
		LockHandle taken = this.second.locks().lock("lost", "a", shorterThanTheWait.renew(true));
		other.close();
		assertThat(work.handle((done, failure) -> failure).join()).hasRootCauseInstanceOf(LockLostException.class);
		assertThat(begun).isFalse();
		assertThat(this.second.locks().tryLock("lost", "b")).as("is given back").hasValueSatisfying(LockHandle::close);
		taken.close();
	}

}
