// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.transaction;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.support.SimpleTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link ObservedTransactions}.
 */
class ObservedTransactionsTests {

	private final Transactions transactions = new Transactions();

	private final SimpleTransactionStatus transaction = new SimpleTransactionStatus();

	private final IllegalStateException failure = new IllegalStateException("failed");

	@Test
	void participantJoinsWhenTheTransactionHasBegun() {
		this.transactions.beforeBegin(this.transaction);
		assertThat(this.transactions.events).isEmpty();
		this.transactions.afterBegin(this.transaction, null);
		assertThat(this.transactions.events).containsExactly("joined");
		assertThat(this.transactions.open()).hasSize(1);
		assertThat(this.transactions.over.getAsBoolean()).isFalse();
		this.transaction.setCompleted();
		assertThat(this.transactions.open()).isEmpty();
		assertThat(this.transactions.over.getAsBoolean()).isTrue();
	}

	@Test
	void participantOfATransactionThatDoesNotBeginHearsNothing() {
		this.transactions.beforeBegin(this.transaction);
		this.transactions.afterBegin(this.transaction, this.failure);
		this.transactions.afterRollback(this.transaction, null);
		assertThat(this.transactions.events).isEmpty();
		assertThat(this.transactions.open()).isEmpty();
	}

	@Test
	void commitIsVetoed() {
		this.transactions.veto = this.failure;
		this.transactions.beforeBegin(this.transaction);
		assertThatIllegalStateException().isThrownBy(() -> this.transactions.beforeCommit(this.transaction))
			.isSameAs(this.failure);
	}

	@ParameterizedTest
	@CsvSource({ "true, false, " + TransactionSynchronization.STATUS_COMMITTED,
			"true, true, " + TransactionSynchronization.STATUS_UNKNOWN,
			"false, false, " + TransactionSynchronization.STATUS_ROLLED_BACK,
			"false, true, " + TransactionSynchronization.STATUS_UNKNOWN })
	void endIsReportedOnce(boolean commit, boolean failed, int status) {
		this.transactions.beforeBegin(this.transaction);
		for (int i = 0; i < 2; i++) {
			if (commit) {
				this.transactions.afterCommit(this.transaction, failed ? this.failure : null);
			}
			else {
				this.transactions.afterRollback(this.transaction, failed ? this.failure : null);
			}
		}
		assertThat(this.transactions.events).containsExactly("completed " + status);
	}

	@Test
	void transactionWithoutParticipantIsNotObserved() {
		this.transactions.participating = false;
		this.transactions.beforeBegin(this.transaction);
		this.transactions.afterBegin(this.transaction, null);
		this.transactions.beforeCommit(this.transaction);
		this.transactions.afterCommit(this.transaction, null);
		assertThat(this.transactions.events).isEmpty();
	}

	@Test
	void failedEndWithoutParticipantIsReported() {
		this.transactions.afterRollback(this.transaction, null);
		this.transactions.afterRollback(this.transaction, this.failure);
		this.transactions.afterCommit(this.transaction, this.failure);
		assertThat(this.transactions.failed).isEqualTo(3);
		this.transactions.afterCommit(this.transaction, null);
		assertThat(this.transactions.failed).isEqualTo(3);
	}

	private static final class Transactions extends ObservedTransactions<TransactionParticipant>
			implements TransactionParticipant {

		private final List<String> events = new ArrayList<>();

		private boolean participating = true;

		private int failed;

		private @Nullable RuntimeException veto;

		private BooleanSupplier over = () -> false;

		@Override
		protected @Nullable TransactionParticipant beginning(TransactionExecution transaction) {
			return this.participating ? this : null;
		}

		@Override
		protected void failed(TransactionExecution transaction) {
			this.failed++;
		}

		@Override
		public void joined(BooleanSupplier over) {
			this.over = over;
			this.events.add("joined");
		}

		@Override
		public CompletionStage<?> beforeCommit() {
			return (this.veto != null) ? CompletableFuture.failedStage(this.veto)
					: CompletableFuture.completedStage(null);
		}

		@Override
		public CompletionStage<?> completed(int status) {
			this.events.add("completed " + status);
			return CompletableFuture.completedStage(null);
		}

	}

}
