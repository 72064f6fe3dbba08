/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import javax.sql.DataSource;

import io.ge.redis.core.invocation.GuardConfigurationException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.dao.InvalidDataAccessResourceUsageException;

/**
 * Decides, once, whether there is a witness.
 */
final class WitnessChoice {

	private static final Log logger = LogFactory.getLog(WitnessChoice.class);

	private static final String PROPERTY = "ge.redis.idempotency.witness";

	private final Supplier<IdempotencyProperties> properties;

	private final Supplier<@Nullable DataSource> database;

	private final AtomicReference<@Nullable Choice> choice = new AtomicReference<>();

	WitnessChoice(Supplier<IdempotencyProperties> properties, Supplier<@Nullable DataSource> database) {
		this.properties = properties;
		this.database = database;
	}

	/**
	 * Returns the witness, or {@code null} if there is none. While the database cannot be
	 * reached nothing is decided, and there is none.
	 * @throws GuardConfigurationException if there is none, but has to be one
	 */
	@Nullable Witness get() {
		try {
			return getDecided();
		}
		catch (DataAccessException ex) {
			logger.info("The database cannot be reached to look for the table ge_idempotency: " + ex.getMessage());
			return null;
		}
	}

	/**
	 * Returns the witness, or {@code null} if it is decided that there is none.
	 * @throws DataAccessException if that cannot be decided now
	 * @throws GuardConfigurationException if there is none, but has to be one
	 */
	@Nullable Witness getDecided() {
		Choice made = this.choice.get();
		return ((made != null) ? made : settle(decide())).witness();
	}

	/**
	 * The first decision stands: threads may have come to one at the same time, and none
	 * has to wait for a database that does not answer another one.
	 */
	private Choice settle(Choice made) {
		Choice first = this.choice.compareAndExchange(null, made);
		if (first == null) {
			return made;
		}
		made.stop();
		return first;
	}

	private Choice decide() {
		IdempotencyProperties all = this.properties.get();
		if (all.witness() == WitnessMode.OFF) {
			return new Choice(null);
		}
		boolean required = all.witness() == WitnessMode.REQUIRED;
		DataSource dataSource = this.database.get();
		if (dataSource != null) {
			return decide(dataSource, all.witnessPurgeInterval(), required);
		}
		if (required) {
			throw new GuardConfigurationException(PROPERTY,
					"there is no transaction manager with a DataSource in whose transactions it could be written, or "
							+ "more than one.",
					"Add spring-boot-starter-jdbc, or name the transaction manager bean by "
							+ "ge.redis.idempotency.transaction-manager.");
		}
		return new Choice(null);
	}

	private Choice decide(DataSource dataSource, Duration purgeInterval, boolean required) {
		try {
			return new Choice(probed(dataSource, purgeInterval));
		}
		catch (InvalidDataAccessResourceUsageException ex) {
			if (required) {
				throw new GuardConfigurationException(PROPERTY, "the table ge_idempotency cannot be read.",
						"Create it with one of the scripts under db/ge-redis/ in this library, by Flyway or by hand, "
								+ "and let the application select, insert and delete.",
						ex);
			}
			logger.info("There is no table ge_idempotency that can be read: effects of @Idempotent methods are not "
					+ "witnessed");
			return new Choice(null);
		}
		catch (DataAccessException ex) {
			if (required) {
				throw new GuardConfigurationException(PROPERTY, "the database cannot be reached.", "Start it.", ex);
			}
			throw ex;
		}
	}

	private static Witness probed(DataSource dataSource, Duration purgeInterval) {
		JdbcWitness jdbc = new JdbcWitness(dataSource, purgeInterval);
		jdbc.probe();
		return jdbc;
	}

	void stop() {
		Choice made = this.choice.get();
		if (made != null) {
			made.stop();
		}
	}

	/**
	 * The decision.
	 *
	 * @param witness the witness, or {@code null} if there is none
	 */
	private record Choice(@Nullable Witness witness) {

		void stop() {
			if (this.witness != null) {
				this.witness.stop();
			}
		}

	}

}
