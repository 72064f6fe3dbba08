// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import io.ge.redis.cache.OuterTransaction;
import io.ge.redis.cache.internal.engine.CacheKey;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.outage.CallBudget;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Transactions that come to an end in a way that their thread is not told of. None of
 * what they do here needs Redis.
 */
class CacheTransactionsTests {

	private static final CacheKey KEY = CacheKey.whole("c");

	private final List<String> results = new ArrayList<>();

	private final WriteSteps steps = new WriteSteps(() -> {
		throw new IllegalStateException("There is no Redis");
	}, new GuardEvents(() -> List.of((event) -> this.results.add(event.result()))));

	private final CacheTransactions transactions = new CacheTransactions(this.steps);

	private final OuterTransaction outer = new OuterTransaction();

	private final TransactionTemplate inOuter = new TransactionTemplate(this.outer);

	private final Manager manager = new Manager();

	private final TransactionTemplate ofItsOwn = new TransactionTemplate(this.manager);

	CacheTransactionsTests() {
		this.manager.addListener(this.transactions);
	}

	@Test
	void entryOfATransactionThatEndedOnAnotherThreadIsNotBeingChanged() {
		this.inOuter.executeWithoutResult((status) -> this.transactions.add(write(TransactionBoundary.Kind.NONE)));
		assertThat(this.transactions.isWriting(KEY)).isTrue();
		this.outer.end(TransactionSynchronization.STATUS_ROLLED_BACK);
		assertThat(this.transactions.isWriting(KEY)).isFalse();
		assertThat(this.results).containsExactly("rolled_back");
	}

	// What does not end cannot be interrupted either
	@Test
	@Timeout(value = 10, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
	void transactionAfterOneThatEndedOnAnotherThreadIsTheCurrentOne() {
		this.inOuter.executeWithoutResult((status) -> this.transactions.add(write(TransactionBoundary.Kind.NONE)));
		this.outer.end(TransactionSynchronization.STATUS_ROLLED_BACK);
		this.ofItsOwn.executeWithoutResult((status) -> {
			assertThat(this.transactions.snapshot().dated()).isTrue();
			assertThat(this.transactions.add(write(TransactionBoundary.Kind.NONE))).isTrue();
			assertThat(this.transactions.isWriting(KEY)).isTrue();
			status.setRollbackOnly();
		});
		assertThat(this.transactions.isWriting(KEY)).isFalse();
		assertThat(this.results).containsExactly("rolled_back", "rolled_back");
	}

	@Test
	@Timeout(value = 10, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
	void writerDoesNotCountATransactionThatEndedOnAnotherThreadBefore() {
		this.inOuter.executeWithoutResult((status) -> this.transactions.add(write(TransactionBoundary.Kind.NONE)));
		this.outer.end(TransactionSynchronization.STATUS_ROLLED_BACK);
		CacheWrite write = write(TransactionBoundary.Kind.OWN_OR_CALLERS);
		this.transactions.enter(List.of(write), false);
		this.ofItsOwn.executeWithoutResult((status) -> status.setRollbackOnly());
		this.transactions.leave(List.of(write));
		steps.publishEvents(List.of(this.steps.end(write, true).join()));
		assertThat(write.commits).isZero();
		assertThat(write.rollbacks).isEqualTo(1);
		assertThat(this.results).containsExactly("rolled_back", "rolled_back");
	}

	@Test
	void transactionAfterOneWhoseEndIsNotReportedIsTheCurrentOne() {
		endWithoutReport();
		this.ofItsOwn.executeWithoutResult((status) -> {
			assertThat(this.transactions.snapshot().dated()).isTrue();
			status.setRollbackOnly();
		});
	}

	@Test
	void writerAfterATransactionWhoseEndIsNotReportedIsRunning() {
		endWithoutReport();
		this.inOuter.executeWithoutResult((status) -> {
			CacheWrite write = write(TransactionBoundary.Kind.NONE);
			ThreadTransaction current = Objects.requireNonNull(this.transactions.join());
			current.begin(write);
			this.transactions.enter(List.of(write), false);
			assertThat(this.transactions.isInsideWriter(KEY)).isTrue();
			this.transactions.leave(List.of(write));
			current.returned(write, null);
			assertThat(this.transactions.isInsideWriter(KEY)).isFalse();
			assertThat(this.transactions.isWriting(KEY)).isTrue();
		});
	}

	private void endWithoutReport() {
		Manager failing = new Manager();
		failing.addListener(new TransactionExecutionListener() {

			@Override
			public void afterRollback(TransactionExecution execution, @Nullable Throwable failure) {
				throw new IllegalStateException("Nobody else is told");
			}

		});
		failing.addListener(this.transactions);
		assertThatIllegalStateException().isThrownBy(
				() -> new TransactionTemplate(failing).executeWithoutResult(TransactionStatus::setRollbackOnly));
	}

	private static CacheWrite write(TransactionBoundary.Kind kind) {
		return new CacheWrite(KEY, "w", Duration.ofHours(1), false, new TransactionBoundary(kind, "test"),
				CallBudget.of(Duration.ofSeconds(1)));
	}

	/**
	 * Begins and ends transactions, of nothing.
	 */
	private static final class Manager extends AbstractPlatformTransactionManager {

		@Override
		protected Object doGetTransaction() {
			return this;
		}

		@Override
		protected void doBegin(Object transaction, TransactionDefinition definition) {
			// There is nothing to begin
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
			// There is nothing to commit
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
			// There is nothing to roll back
		}

	}

}
