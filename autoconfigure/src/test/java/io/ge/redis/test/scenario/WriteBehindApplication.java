// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.scenario;

import java.util.List;

import io.ge.redis.autoconfigure.CacheAutoConfiguration;
import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.cache.CacheAside;
import io.ge.redis.cache.Change;
import io.ge.redis.cache.GeCaches;
import io.ge.redis.cache.WriteBehindStore;
import io.ge.redis.test.instance.Operation;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Points that are written behind. Its operations {@code write} and {@code read} are what
 * {@link WriteBehindScenario} asks for; with {@code scenario.store} an instance writes to
 * the database, and with {@code scenario.naive} it does so without looking at versions.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, DataSourceAutoConfiguration.class,
		DataSourceTransactionManagerAutoConfiguration.class, JdbcTemplateAutoConfiguration.class,
		TransactionAutoConfiguration.class, JacksonAutoConfiguration.class, GeRedisAutoConfiguration.class,
		CacheAutoConfiguration.class })
public class WriteBehindApplication {

	static final String CACHE = "points";

	@Bean
	@ConditionalOnProperty("scenario.store")
	PointsStore pointsStore(JdbcTemplate jdbc, PlatformTransactionManager transactions,
			@Value("${scenario.naive:false}") boolean naive) {
		return new PointsStore(jdbc, new TransactionTemplate(transactions), naive);
	}

	@Bean
	PointsReader pointsReader(JdbcTemplate jdbc) {
		return new PointsReader(jdbc);
	}

	@Bean
	Operation write(GeCaches caches) {
		return (arguments) -> String
			.valueOf(caches.writeBehind(CACHE, arguments[0], new Points(Long.parseLong(arguments[1]))));
	}

	@Bean
	Operation read(PointsReader reader) {
		return (arguments) -> String.valueOf(reader.read(arguments[0]));
	}

	/**
	 * What is cached.
	 *
	 * @param number how many points
	 */
	public record Points(long number) {
	}

	/**
	 * The cached reader.
	 */
	public static class PointsReader {

		private final JdbcTemplate jdbc;

		PointsReader(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		@CacheAside(cache = CACHE, key = "#id")
		public @Nullable Points read(String id) {
			return this.jdbc
				.query("select points from points where id = ?", (row, number) -> new Points(row.getLong(1)), id)
				.stream()
				.findFirst()
				.orElse(null);
		}

	}

	/**
	 * The database. Every writing that it takes stands in a log, in the order in which
	 * the row was locked for it.
	 */
	public static class PointsStore implements WriteBehindStore<Points> {

		private final JdbcTemplate jdbc;

		private final TransactionTemplate transaction;

		private final String newer;

		PointsStore(JdbcTemplate jdbc, TransactionTemplate transaction, boolean naive) {
			this.jdbc = jdbc;
			this.transaction = transaction;
			this.newer = naive ? "" : " where points.version <= excluded.version";
		}

		@Override
		public String cache() {
			return CACHE;
		}

		@Override
		public void writeAll(List<Change<Points>> changes) {
			this.transaction.executeWithoutResult((status) -> changes.forEach(this::write));
		}

		private void write(Change<Points> change) {
			Points points = change.value();
			int written = this.jdbc.update("insert into points (id, points, version) values (?, ?, ?)"
					+ " on conflict (id) do update set points = excluded.points, version = excluded.version"
					+ this.newer, change.key(), (points != null) ? points.number() : null, change.version());
			if (written > 0) {
				this.jdbc.update("insert into points_log (id, version, process) values (?, ?, ?)", change.key(),
						change.version(), ProcessHandle.current().pid());
			}
		}

	}

}
