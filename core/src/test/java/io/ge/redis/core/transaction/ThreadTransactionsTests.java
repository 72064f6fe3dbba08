// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.transaction;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.junit.jupiter.api.Test;

import org.springframework.core.Ordered;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link ThreadTransactions}.
 */
class ThreadTransactionsTests {

	private final List<String> told = new ArrayList<>();

	private final TransactionTemplate transaction = new TransactionTemplate(new Transactions());

	@Test
	void nobodyJoinsWithoutTransaction() {
		assertThat(ThreadTransactions.join(new Participant("one", false))).isFalse();
		assertThat(ThreadTransactions.participant(Participant.class, (level) -> new Participant("one", false)))
			.isNull();
	}

	@Test
	void oneOfAKindJoins() {
		this.transaction.executeWithoutResult((status) -> {
			Participant first = ThreadTransactions.participant(Participant.class,
					(level) -> new Participant("first", false));
			assertThat(ThreadTransactions.participant(Participant.class, (level) -> new Participant("second", false)))
				.isSameAs(first);
		});
		assertThat(this.told).containsExactly("first before commit", "first committed");
	}

	@Test
	void theLastIsToldAfterThoseThatHaveJoinedLater() {
		this.transaction.executeWithoutResult((status) -> {
			ThreadTransactions.join(new Participant("last", true));
			TransactionSynchronizationManager.registerSynchronization(new Callback());
			ThreadTransactions.join(new Participant("other", false));
		});
		assertThat(this.told).containsExactly("last before commit", "other before commit", "callback",
				"other committed", "last committed");
	}

	@Test
	void theLastIsToldOfARollback() {
		this.transaction.executeWithoutResult((status) -> {
			ThreadTransactions.join(new Participant("last", true));
			status.setRollbackOnly();
		});
		assertThat(this.told).containsExactly("last rolled back");
	}

	@Test
	void commitIsVetoed() {
		assertThatIllegalStateException()
			.isThrownBy(() -> this.transaction
				.executeWithoutResult((status) -> ThreadTransactions.join(new Participant("veto", true))))
			.withMessage("veto");
		assertThat(this.told).containsExactly("veto before commit", "veto rolled back");
	}

	private final class Participant implements TransactionParticipant {

		private final String name;

		private final boolean last;

		Participant(String name, boolean last) {
			this.name = name;
			this.last = last;
		}

		@Override
		public int order() {
			return Ordered.LOWEST_PRECEDENCE;
		}

		@Override
		public boolean isLast() {
			return this.last;
		}

		@Override
		public CompletionStage<?> beforeCommit() {
			ThreadTransactionsTests.this.told.add(this.name + " before commit");
			return this.name.equals("veto") ? CompletableFuture.failedStage(new IllegalStateException(this.name))
					: CompletableFuture.completedStage(null);
		}

		@Override
		public CompletionStage<?> completed(int status) {
			ThreadTransactionsTests.this.told.add(this.name
					+ ((status == TransactionSynchronization.STATUS_COMMITTED) ? " committed" : " rolled back"));
			return CompletableFuture.completedStage(null);
		}

	}

	private final class Callback implements TransactionSynchronization {

		@Override
		public void afterCompletion(int status) {
			ThreadTransactionsTests.this.told.add("callback");
		}

	}

	/**
	 * Transactions of nothing.
	 */
	private static final class Transactions extends AbstractPlatformTransactionManager {

		private static final long serialVersionUID = 1L;

		@Override
		protected Object doGetTransaction() {
			return this;
		}

		@Override
		protected void doBegin(Object transaction, TransactionDefinition definition) {
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
		}

	}

}
