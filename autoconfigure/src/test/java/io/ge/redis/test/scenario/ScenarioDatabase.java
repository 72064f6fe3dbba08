// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.scenario;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;

import io.ge.redis.test.FreePorts;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/**
 * The database of the applications under test: a PostgreSQL that is started once and
 * shared by all their processes. What stands in it decides, since no fault is ever done
 * to it.
 */
public final class ScenarioDatabase {

	private static final String URL = start();

	private static final JdbcClient JDBC = JdbcClient.create(new DriverManagerDataSource(URL, "desk", "desk"));

	static {
		// Nothing keeps a second effect out but the guard
		JDBC.sql("create table effects (id serial primary key, key text not null, token text not null)").update();
		JDBC.sql("create table items (id text primary key, version bigint not null)").update();
		createWitness();
	}

	private ScenarioDatabase() {
	}

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
	 * With more time than the ten seconds it has unless told, and on a port that no other
	 * JVM of the tests is given: it asks whoever answers there whether it is up.
	 */
	private static EmbeddedPostgres startServer() throws IOException {
		return EmbeddedPostgres.builder()
			.setPort(FreePorts.next())
			.setServerConfig("fsync", "off")
			.setServerConfig("max_connections", "200")
			.setPGStartupWait(Duration.ofSeconds(45))
			.start();
	}

	private static void createWitness() {
		new ResourceDatabasePopulator(new ClassPathResource("db/ge-redis/postgresql/R__ge_idempotency.sql"))
			.execute(new DriverManagerDataSource(URL, "desk", "desk"));
	}

	/**
	 * What an application needs to use it.
	 * @return pairs as {@code name=value}
	 */
	public static List<String> properties() {
		return List.of("spring.datasource.url=" + URL, "spring.datasource.username=desk",
				"spring.datasource.password=desk", "spring.datasource.hikari.maximum-pool-size=16",
				"spring.datasource.hikari.minimum-idle=1", "spring.datasource.hikari.register-mbeans=false");
	}

	/**
	 * The view of someone who does not go through the applications.
	 * @return a client without pool
	 */
	public static JdbcClient jdbc() {
		return JDBC;
	}

}
