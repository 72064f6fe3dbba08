// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import javax.sql.DataSource;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.idempotency.IdempotencyProperties;
import io.ge.redis.idempotency.WitnessMode;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.dao.InvalidDataAccessResourceUsageException;

/**
 * Decides, once, whether there are transactional records.
 */
final class AvailableRecords {

	private static final Log logger = LogFactory.getLog(AvailableRecords.class);

	private static final String PROPERTY = "ge.redis.idempotency.witness";

	private final Supplier<IdempotencyProperties> properties;

	private final Supplier<@Nullable DataSource> database;

	private final AtomicReference<@Nullable Optional<TransactionalRecords>> decided = new AtomicReference<>();

	public AvailableRecords(Supplier<IdempotencyProperties> properties, Supplier<@Nullable DataSource> database) {
		this.properties = properties;
		this.database = database;
	}

	/**
	 * Returns the records, or {@code null} if there are none. While the database cannot
	 * be reached nothing is decided, and there are none.
	 * @throws GuardConfigurationException if there are none, but have to be
	 */
	public @Nullable TransactionalRecords get() {
		try {
			return getDecided();
		}
		catch (DataAccessException ex) {
			logger.info("The database cannot be reached to look for the table ge_idempotency: " + ex.getMessage());
			return null;
		}
	}

	/**
	 * Like {@link #get()}, but fails with the exception of the database if it cannot be
	 * reached.
	 */
	public @Nullable TransactionalRecords getDecided() {
		Optional<TransactionalRecords> known = this.decided.get();
		if (known == null) {
			// The first decision counts, and no thread waits for the decision of another
			// one
			Optional<TransactionalRecords> made = Optional.ofNullable(decide());
			Optional<TransactionalRecords> first = this.decided.compareAndExchange(null, made);
			known = (first != null) ? first : made;
		}
		return known.orElse(null);
	}

	private @Nullable TransactionalRecords decide() {
		IdempotencyProperties all = this.properties.get();
		if (all.witness() == WitnessMode.OFF) {
			return null;
		}
		boolean required = all.witness() == WitnessMode.REQUIRED;
		DataSource dataSource = this.database.get();
		if (dataSource == null && required) {
			throw new GuardConfigurationException(PROPERTY,
					"there is no transaction manager with a DataSource in whose transactions it could be written, or "
							+ "more than one.",
					"Add spring-boot-starter-jdbc, or name the transaction manager bean by "
							+ "ge.redis.idempotency.transaction-manager.");
		}
		return (dataSource != null) ? find(new TransactionalRecords(dataSource, all.witnessPurgeInterval()), required)
				: null;
	}

	private static @Nullable TransactionalRecords find(TransactionalRecords records, boolean required) {
		try {
			records.probe();
			return records;
		}
		catch (InvalidDataAccessResourceUsageException ex) {
			if (required) {
				throw new GuardConfigurationException(PROPERTY, "the table ge_idempotency cannot be read.",
						"Create it with one of the scripts under db/ge-redis/ in this library, by Flyway or by hand, "
								+ "and let the application select, insert and delete.",
						ex);
			}
			logger.info("There is no table ge_idempotency that can be read: calls of @Idempotent methods "
					+ "leave no transactional record");
			return null;
		}
		catch (DataAccessException ex) {
			if (required) {
				throw new GuardConfigurationException(PROPERTY, "the database cannot be reached.", "Start it.", ex);
			}
			throw ex;
		}
	}

	public void stop() {
		Optional<TransactionalRecords> known = this.decided.get();
		if (known != null) {
			known.ifPresent(TransactionalRecords::stop);
		}
	}

}
