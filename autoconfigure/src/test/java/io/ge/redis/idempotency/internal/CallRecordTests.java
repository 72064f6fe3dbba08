// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.lang.ref.WeakReference;
import java.time.Duration;

import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.outage.CallBudget;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * What a record keeps of its transaction.
 */
class CallRecordTests {

	@Test
	void transactionWhoseEndIsNotReportedIsNotKept() {
		DriverManagerDataSource database = new DriverManagerDataSource("jdbc:h2:mem:record");
		DataSourceTransactionManager manager = new DataSourceTransactionManager(database);
		TransactionWatch watch = new TransactionWatch();
		manager.addListener(watch.ofThreads);
		CallRecord record = new CallRecord(new TransactionalRecords(database, Duration.ofHours(1)),
				new IdempotencyDecision.Granted(null, null, "owner", 1, false, CallBudget.of(Duration.ofSeconds(1))),
				new Progress(), (result) -> null);
		CallTransactions call = new CallTransactions(watch, ResultForm.Kind.PLAIN, null);
		call.enter(record);
		WeakReference<TransactionExecution> transaction = endWithoutReport(new TransactionTemplate(manager));
		call.exit();
		Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> {
			System.gc();
			return transaction.get() == null;
		});
		// Both were referenced until now
		assertThat(call.hasCommitted()).isTrue();
		assertThat(record.isCommitted()).isFalse();
	}

	private static WeakReference<TransactionExecution> endWithoutReport(TransactionTemplate template) {
		TransactionExecution[] begun = new TransactionExecution[1];
		assertThatException().isThrownBy(() -> template.executeWithoutResult((status) -> {
			begun[0] = status;
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void beforeCommit(boolean readOnly) {
					CallRecordTests.<RuntimeException>sneak(new Exception("nobody is told"));
				}

			});
		}));
		return new WeakReference<>(begun[0]);
	}

	@SuppressWarnings("unchecked")
	private static <T extends Throwable> void sneak(Throwable failure) throws T {
		throw (T) failure;
	}

}
