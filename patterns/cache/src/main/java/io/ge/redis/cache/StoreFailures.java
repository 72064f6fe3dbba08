// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientException;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.dao.RecoverableDataAccessException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.transaction.CannotCreateTransactionException;

/**
 * Recognizes transient failures of a store.
 */
final class StoreFailures {

	private static final List<Class<? extends Exception>> TRANSIENT = List.of(DataAccessResourceFailureException.class,
			RecoverableDataAccessException.class, TransientDataAccessException.class,
			CannotCreateTransactionException.class, SQLTransientException.class, SQLRecoverableException.class,
			SQLNonTransientConnectionException.class, ConnectException.class, SocketTimeoutException.class);

	/** Causes may go in a circle. */
	private static final int DEEPEST = 100;

	private StoreFailures() {
	}

	static boolean areTransient(Throwable failure) {
		return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
			.limit(DEEPEST)
			.takeWhile((cause) -> !(cause instanceof OptimisticLockingFailureException))
			.anyMatch((cause) -> TRANSIENT.stream().anyMatch((type) -> type.isInstance(cause)));
	}

}
