// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import javax.sql.DataSource;

import io.ge.redis.core.connection.DaemonThreads;
import io.ge.redis.idempotency.EffectAlreadyCommittedException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.Assert;

/**
 * Rows of the table {@code ge_idempotency}, kept where the effects of calls are, so that
 * one commit has both. At most one row of an id can be committed. Rows are written, and
 * where possible looked up, with the connection of the transaction. {@link CallRecord}
 * chooses the transaction that gets the row.
 * <p>
 * They expire by the clock of the database, which is read at first and with every purge.
 * In between its time advances with the clock of this process. A row that has expired
 * counts until it is purged.
 */
final class TransactionalRecords {

	private static final Log logger = LogFactory.getLog(TransactionalRecords.class);

	private static final String INSERT = "insert into ge_idempotency "
			+ "(id, operation, fence, fingerprint, result, expires_at) values (?, ?, ?, ?, ?, ?)";

	private static final String SELECT = "select operation, fence, fingerprint, result from ge_idempotency where id = ?";

	private static final String DELETE = "delete from ge_idempotency where expires_at < ?";

	private static final String PROBE = "select id from ge_idempotency where 1 = 0";

	private static final String TIME = "select extract(epoch from current_timestamp) * 1000";

	private static final String TIME_OF_MYSQL = "select unix_timestamp() * 1000";

	private final DataSource dataSource;

	private final Duration purgeInterval;

	private final JdbcTemplate transactional;

	private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1,
			DaemonThreads.named("ge-redis-records"));

	private final AtomicBoolean purging = new AtomicBoolean();

	private volatile @Nullable ClockReading clock;

	TransactionalRecords(DataSource dataSource, Duration purgeInterval) {
		this.dataSource = dataSource;
		this.purgeInterval = purgeInterval;
		this.transactional = new JdbcTemplate(dataSource);
	}

	/**
	 * Looks for the table, and reads the clock: a thread that writes a row has a
	 * connection already, and must not need another one.
	 * @throws DataAccessException if it cannot be read
	 */
	void probe() {
		withConnection(PROBE, (connection) -> {
			try (PreparedStatement statement = connection.prepareStatement(PROBE);
					ResultSet rows = statement.executeQuery()) {
				rows.next();
			}
			return read(connection);
		});
	}

	boolean isInTransaction() {
		if (!TransactionSynchronizationManager.isActualTransactionActive() || !(TransactionSynchronizationManager
			.getResource(this.dataSource) instanceof ConnectionHolder holder)) {
			return false;
		}
		try {
			// Bound to a transaction of another resource, it commits each statement
			return !holder.getConnection().getAutoCommit();
		}
		catch (SQLException | RuntimeException ex) {
			// A transaction of another resource has no connection (any more)
			return false;
		}
	}

	/**
	 * Writes a row in the transaction of this thread.
	 * @throws EffectAlreadyCommittedException if there is one with its id
	 */
	void write(TransactionalRecord row, Duration retention) {
		// At first: the row that is in the way may be one that has expired
		purgeFromNowOn();
		long expiry = now() + retention.toMillis();
		try {
			this.transactional.update(INSERT, (statement) -> {
				statement.setString(1, row.id());
				statement.setString(2, row.operation());
				statement.setLong(3, row.fence());
				statement.setBytes(4, row.fingerprint());
				statement.setBytes(5, row.result());
				statement.setLong(6, expiry);
			});
		}
		catch (DuplicateKeyException ex) {
			throw new EffectAlreadyCommittedException(row.operation(), ex);
		}
	}

	/**
	 * Finds a row that is committed. With the connection of this thread's transaction, if
	 * there is one: a thread that holds a connection must not have to wait for another
	 * one. Such a transaction may see an older state, in which a row is missing; then it
	 * cannot write that row either.
	 * @param apart whether to look with another connection, because the transaction of
	 * this thread may have written the row, and not committed it
	 */
	public @Nullable TransactionalRecord find(String id, boolean apart) {
		if (!apart && TransactionSynchronizationManager.hasResource(this.dataSource)) {
			try {
				Connection bound = DataSourceUtils.getConnection(this.dataSource);
				try {
					if (bound.getTransactionIsolation() != Connection.TRANSACTION_READ_UNCOMMITTED) {
						return find(bound, id);
					}
				}
				finally {
					DataSourceUtils.releaseConnection(bound, this.dataSource);
				}
			}
			catch (SQLException | RuntimeException ex) {
				// Broken, or in a transaction that has failed and takes no statement
				logger.debug("The connection of the transaction cannot read ge_idempotency", ex);
			}
		}
		return withConnection(SELECT, (connection) -> find(connection, id));
	}

	private static @Nullable TransactionalRecord find(Connection connection, String id) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(SELECT)) {
			statement.setString(1, id);
			try (ResultSet rows = statement.executeQuery()) {
				return rows.next() ? new TransactionalRecord(id, rows.getString(1), rows.getLong(2), rows.getBytes(3),
						rows.getBytes(4)) : null;
			}
		}
	}

	int purge() {
		Integer purged = withConnection(DELETE, (connection) -> {
			long now = read(connection).millis();
			try (PreparedStatement statement = connection.prepareStatement(DELETE)) {
				statement.setLong(1, now);
				return statement.executeUpdate();
			}
		});
		return (purged != null) ? purged : 0;
	}

	private long now() {
		ClockReading last = this.clock;
		Assert.state(last != null, "The table has not been checked");
		return last.millis() + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - last.nanos());
	}

	private ClockReading read(Connection connection) throws SQLException {
		String product = connection.getMetaData().getDatabaseProductName();
		String sql = (product.startsWith("MySQL") || product.startsWith("MariaDB")) ? TIME_OF_MYSQL : TIME;
		try (PreparedStatement statement = connection.prepareStatement(sql);
				ResultSet rows = statement.executeQuery()) {
			rows.next();
			ClockReading reading = new ClockReading(rows.getBigDecimal(1).longValue(), System.nanoTime());
			this.clock = reading;
			return reading;
		}
	}

	private void purgeFromNowOn() {
		if (this.purging.compareAndSet(false, true)) {
			try {
				this.timer.scheduleWithFixedDelay(this::purgeQuietly, this.purgeInterval.toMillis(),
						this.purgeInterval.toMillis(), TimeUnit.MILLISECONDS);
			}
			catch (RejectedExecutionException ex) {
				// shutting down
			}
		}
	}

	private void purgeQuietly() {
		try {
			purge();
		}
		catch (RuntimeException ex) {
			// Other instances purge too, and the next round comes
			logger.debug("Rows in ge_idempotency were not purged", ex);
		}
	}

	void stop() {
		this.timer.shutdownNow();
	}

	private <T extends @Nullable Object> T withConnection(String sql, ConnectionCallback<T> work) {
		try (Connection connection = this.dataSource.getConnection()) {
			T done = work.doInConnection(connection);
			if (!connection.getAutoCommit()) {
				connection.commit();
			}
			return done;
		}
		catch (SQLException ex) {
			DataAccessException translated = this.transactional.getExceptionTranslator()
				.translate("idempotency", sql, ex);
			throw (translated != null) ? translated : new IllegalStateException(ex);
		}
	}

	/**
	 * The time of the database's clock.
	 *
	 * @param millis since the epoch
	 * @param nanos when it said so, by {@link System#nanoTime()}
	 */
	private record ClockReading(long millis, long nanos) {
	}

}
