// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.util.concurrent.TimeoutException;

import reactor.core.publisher.Mono;

import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;

/**
 * What an application does at the end of a reactive transaction, and fails with so that
 * the transaction manager tells nobody of that end.
 */
public enum FailingSynchronization implements TransactionSynchronization {

	/**
	 * Fails with a checked exception, so that there is neither commit nor rollback.
	 */
	BEFORE_COMMIT {

		@Override
		public Mono<Void> beforeCommit(boolean readOnly) {
			return Mono.error(new TimeoutException("before"));
		}

	},

	/**
	 * Fails when everything is committed.
	 */
	AFTER_COMMIT {

		@Override
		public Mono<Void> afterCommit() {
			return Mono.error(new IllegalArgumentException("after"));
		}

	};

	/**
	 * Lets the transaction of the subscriber fail at its end.
	 * @return completes at once
	 */
	public Mono<Void> register() {
		return TransactionSynchronizationManager.forCurrentTransaction()
			.doOnNext((transaction) -> transaction.registerSynchronization(this))
			.then();
	}

}
