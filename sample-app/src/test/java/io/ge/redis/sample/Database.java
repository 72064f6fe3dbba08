// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;

import io.ge.redis.test.FreePorts;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * The databases the desk runs on, one of each kind for all suites.
 */
enum Database {

	/**
	 * The default of the desk: within the JVM, so all instances in this JVM share it.
	 */
	H2 {

		@Override
		List<String> properties() {
			return List.of();
		}

		@Override
		JdbcClient jdbc() {
			return JdbcClient.create(new DriverManagerDataSource("jdbc:h2:mem:desk", "sa", ""));
		}

	},

	/**
	 * A real PostgreSQL, shared by all instances in all processes.
	 */
	POSTGRES {

		@Override
		List<String> properties() {
			return List.of("spring.profiles.active=postgres", "spring.datasource.url=" + Postgres.URL);
		}

		@Override
		JdbcClient jdbc() {
			return JdbcClient.create(new DriverManagerDataSource(Postgres.URL, "desk", "desk"));
		}

	};

	/**
	 * What an instance needs to use it.
	 */
	abstract List<String> properties();

	/**
	 * The view of someone who does not go through the desk. An instance must be running.
	 */
	abstract JdbcClient jdbc();

	/**
	 * Makes it look as it does when the first instance has started.
	 */
	void reset() {
		JdbcClient jdbc = jdbc();
		jdbc.sql("delete from sales").update();
		jdbc.sql("delete from ge_idempotency").update();
		jdbc.sql("delete from run_steps").update();
		jdbc.sql("delete from completed_work").update();
		jdbc.sql("update positions set quantity = 100").update();
		jdbc.sql("update valuations set price = 1, fence = 0").update();
		jdbc.sql("update balances set amount = 100, version = 0").update();
	}

	private static final class Postgres {

		private static final String URL = start();

		private static String start() {
			try {
				EmbeddedPostgres postgres = startServer();
				JdbcClient jdbc = JdbcClient.create(postgres.getPostgresDatabase());
				jdbc.sql("create role desk login password 'desk'").update();
				jdbc.sql("create database desk owner desk").update();
				return postgres.getJdbcUrl("desk", "desk");
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

		/**
		 * With more time than the ten seconds it has unless told, and on a port that no
		 * other JVM of the tests is given: it asks whoever answers there whether it is
		 * up.
		 */
		private static EmbeddedPostgres startServer() throws IOException {
			return EmbeddedPostgres.builder()
				.setPort(FreePorts.next())
				.setPGStartupWait(Duration.ofSeconds(45))
				.start();
		}

	}

}
