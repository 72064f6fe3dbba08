// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;

import io.ge.redis.lock.DistributedLocks.LockedWork;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link LockAssert} and for the locks that are there for unit tests.
 */
class LockAssertTests {

	private final DistributedLocks locks = DistributedLocks.unguarded();

	@Test
	void refusesToGoOnWithoutTheLock() {
		assertThatIllegalStateException().isThrownBy(() -> LockAssert.assertHeld("orders"))
			.withMessageContaining("'orders'");
		this.locks.<Void, RuntimeException>execute("invoices", 1, LockOptions.defaults(), (lock) -> {
			assertThatIllegalStateException().isThrownBy(() -> LockAssert.assertHeld("orders"));
			return null;
		});
	}

	@Test
	void goesOnUnderTheLockAndUnderThoseAroundIt() {
		this.locks.<Void, RuntimeException>execute("orders", 1, LockOptions.defaults(), (outer) -> {
			this.locks.<Void, RuntimeException>executeAll("items", List.of("a", "b"), LockOptions.defaults(),
					(inner) -> {
						assertThat(LockContext.current()).isSameAs(inner);
						LockAssert.assertHeld("items");
						LockAssert.assertHeld("orders");
						return null;
					});
			assertThatIllegalStateException().isThrownBy(() -> LockAssert.assertHeld("items"));
			return null;
		});
	}

	@Test
	void anotherThreadRunsUnderTheLocksThatAreCarriedThereAndNoOthers() throws Exception {
		ExecutorService other = Executors.newSingleThreadExecutor();
		try {
			this.locks.<Void, Exception>execute("orders", 1, LockOptions.defaults(), (lock) -> {
				assertThat(other.submit(LockAssertTests::isUnderLock).get()).isFalse();
				LockContext.Carrier carrier = LockContext.capture();
				other.submit(carrier.wrap(() -> {
					LockAssert.assertHeld("orders");
					assertThat(LockContext.current()).isSameAs(lock);
				})).get();
				assertThat(other.submit(LockAssertTests::isUnderLock).get()).isFalse();
				this.locks.<Void, Exception>execute("items", 1, LockOptions.defaults(), (inner) -> {
					try (LockContext.Scope scope = carrier.open()) {
						assertThat(LockContext.current()).isSameAs(lock);
					}
					assertThat(LockContext.current()).isSameAs(inner);
					return null;
				});
				return null;
			});
		}
		finally {
			other.shutdownNow();
		}
	}

	@Test
	void workWhoseResultComesLaterIsDoneUnderTheLock() {
		CompletableFuture<String> work = new CompletableFuture<>();
		AtomicReference<LockHandle> handle = new AtomicReference<>();
		CompletableFuture<String> result = this.locks.executeAsync("orders", 1, LockOptions.defaults(), (lock) -> {
			LockAssert.assertHeld("orders");
			handle.set(lock);
			return work;
		}).toCompletableFuture();
		assertThat(isUnderLock()).isFalse();
		assertThat(handle.get().isValid()).isTrue();
		assertThat(result).isNotDone();
		work.complete("done");
		assertThat(result).isCompletedWithValue("done");
		assertThat(handle.get().isValid()).isFalse();
		assertThat(
				this.locks
					.executeAllAsync("orders", List.of(1, 2), LockOptions.defaults(),
							(lock) -> CompletableFuture
								.failedFuture(new IllegalStateException(LockContext.current().name())))
					.toCompletableFuture())
			.isCompletedExceptionally()
			.failsWithin(Duration.ZERO)
			.withThrowableThat()
			.withMessageEndingWith("IllegalStateException: orders");
		assertThat(this.locks.tryLockAsync("orders", 1).toCompletableFuture().join()).isPresent();
	}

	@Test
	void blockingCallsReleaseAtTheirReturnAlsoIfTheirResultIsAStage() {
		CompletableFuture<LockHandle> begun = new CompletableFuture<>();
		List<LockHandle> handles = new ArrayList<>();
		assertThat(this.locks.<CompletableFuture<LockHandle>, RuntimeException>execute("orders", 1,
				LockOptions.defaults(), (lock) -> {
					handles.add(lock);
					return begun;
				}))
			.isSameAs(begun);
		assertThat(this.locks.<CompletableFuture<LockHandle>, RuntimeException>executeAll("orders", List.of(1, 2),
				LockOptions.defaults(), (lock) -> {
					handles.add(lock);
					return begun;
				}))
			.isSameAs(begun);
		assertThat(handles).hasSize(2).noneMatch(LockHandle::isValid);
	}

	@Test
	void workThatReturnsNullInsteadOfAStageFailsTheStage() {
		List<LockHandle> handles = new ArrayList<>();
		LockedWork<CompletionStage<String>, RuntimeException> work = (lock) -> {
			handles.add(lock);
			return null;
		};
		for (CompletionStage<String> stage : List.of(this.locks.executeAsync("orders", 1, LockOptions.defaults(), work),
				this.locks.executeAllAsync("orders", List.of(1, 2), LockOptions.defaults(), work))) {
			assertThat(stage).failsWithin(Duration.ZERO)
				.withThrowableThat()
				.withMessageContaining("The work has returned null instead of a stage");
		}
		assertThat(handles).hasSize(2).noneMatch(LockHandle::isValid);
	}

	private static boolean isUnderLock() {
		try {
			LockAssert.assertHeld("orders");
			return true;
		}
		catch (IllegalStateException ex) {
			return false;
		}
	}

	@Test
	void refusesToGoOnWithALostLock() {
		this.locks.<Void, RuntimeException>execute("orders", 1, LockOptions.defaults(), (lock) -> {
			lock.close();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> LockAssert.assertHeld("orders"));
			return null;
		});
	}

	@Test
	void passesWhileATestWantsIt() {
		try (LockAssert.Passing outer = LockAssert.passing()) {
			try (LockAssert.Passing inner = LockAssert.passing()) {
				LockAssert.assertHeld("orders");
			}
			LockAssert.assertHeld("orders");
		}
		assertThatIllegalStateException().isThrownBy(() -> LockAssert.assertHeld("orders"));
	}

	@Test
	void locksForTestsAreGrantedWithRisingTokens() {
		LockHandle first = this.locks.tryLock("orders", 1).orElseThrow();
		MultiLockHandle second = this.locks.lockAll("orders", List.of("a", "b"), LockOptions.defaults());
		assertThat(first.isValid()).isTrue();
		assertThat(first.remaining()).isPositive();
		assertThat(List.of(first.token(), second.token("a"), second.token("b"))).isSorted().doesNotHaveDuplicates();
		assertThatIllegalArgumentException().isThrownBy(() -> second.token("c"));
		first.close();
		assertThat(first.isValid()).isFalse();
		assertThat(first.remaining()).isZero();
		assertThat(second.isValid()).isTrue();
	}

	@Test
	void handleOfAMethodWithoutLockIsValidForNoKey() {
		MultiLockHandle none = BoundLocks.none("orders");
		assertThat(none.isValid()).isFalse();
		assertThat(none.remaining()).isZero();
		assertThat(List.of(none.token(), none.token("a"))).containsOnly(0L);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(none::assertHeld);
	}

}
