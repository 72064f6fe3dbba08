// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import java.time.Duration;

import javax.sql.DataSource;

import io.ge.redis.cache.GeCaches;
import io.ge.redis.readme.WriteBehindExamples.Score;
import io.ge.redis.readme.WriteBehindExamples.ScoreStore;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Wide;
import io.ge.redis.test.scenario.ScenarioDatabase;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The code of the page on caches that are written behind does what the page says.
 */
@Wide
class WriteBehindExamplesIntegrationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withUserConfiguration(Application.class)
		.withPropertyValues(SharedRedis.properties())
		.withPropertyValues(ScenarioDatabase.properties().toArray(String[]::new))
		.withPropertyValues("ge.redis.key-prefix=examples-behind");

	@Test
	void scoresAreReadAtOnceAndWrittenSoon() {
		this.runner.run((context) -> {
			WriteBehindExamples examples = context.getBean(WriteBehindExamples.class);
			JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
			assertThat(examples.award("ann", 5)).isEqualTo(new Score("ann", 5));
			assertThat(examples.find("ann")).isEqualTo(new Score("ann", 5));
			long version = examples.set("ann", 6);
			assertThat(examples.find("ann")).isEqualTo(new Score("ann", 6));
			Awaitility.await()
				.atMost(Duration.ofSeconds(30))
				.until(() -> jdbc.queryForList("select version from score where points = 6", Long.class)
					.contains(version));
			MeterRegistry meters = context.getBean(MeterRegistry.class);
			Awaitility.await()
				.atMost(Duration.ofSeconds(30))
				.until(() -> meters.get("ge.redis.cache.behind.pending").gauge().value() == 0);
			Awaitility.await()
				.until(() -> meters.get("ge.redis.cache.behind.written").tag("cache", "scores").counter().count() > 0);
			assertThat(meters.get("ge.redis.cache.behind.retried").counter().count()).isZero();
			assertThat(meters.get("ge.redis.cache.behind.dead").counter().count()).isZero();
			assertThat(meters.get("ge.redis.cache.writes").tag("outcome", "waiting").counter().count()).isEqualTo(2);
		});
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		MeterRegistry meterRegistry() {
			return new SimpleMeterRegistry();
		}

		@Bean
		WriteBehindExamples writeBehindExamples(GeCaches caches, JdbcTemplate jdbc) {
			return new WriteBehindExamples(caches, jdbc);
		}

		@Bean
		ScoreStore scoreStore(JdbcTemplate jdbc) {
			return new ScoreStore(jdbc);
		}

		@Bean
		Object scoreTable(DataSource dataSource) {
			JdbcTemplate jdbc = new JdbcTemplate(dataSource);
			jdbc.execute("drop table if exists score");
			jdbc.execute("create table score (player text primary key, points int not null, version bigint not null)");
			return new Object();
		}

	}

}
