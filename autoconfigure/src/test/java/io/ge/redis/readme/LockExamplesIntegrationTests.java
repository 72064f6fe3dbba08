// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import java.math.BigDecimal;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import io.ge.redis.lock.DistributedLocks;
import io.ge.redis.lock.LockAssert;
import io.ge.redis.lock.LockHandle;
import io.ge.redis.lock.LockNotAcquiredException;
import io.ge.redis.lock.LockMode;
import io.ge.redis.lock.LockOptions;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The code of the page on locks does what the page says.
 */
class LockExamplesIntegrationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withUserConfiguration(Application.class)
		.withPropertyValues(SharedRedis.properties());

	@Test
	void methodsRunUnderTheirLocks() {
		run((examples, locks, jdbc) -> {
			examples.take("tea", 2);
			assertThat(jdbc.queryForObject("select pieces from stock", Integer.class)).isEqualTo(8);
			examples.transfer("b", "a", BigDecimal.TEN);
			examples.transfer("a", "b", BigDecimal.ONE);
			assertThat(jdbc.queryForList("select amount from account order by id", Integer.class)).containsExactly(109,
					91);
			examples.report();
			examples.report();
			assertThat(examples.reportsMade()).as("the second one comes too soon").isEqualTo(1);
			examples.importAll(List.of("a", "b"));
			AtomicInteger imported = new AtomicInteger();
			Runnable part = () -> {
				LockAssert.assertHeld("shop-import");
				imported.incrementAndGet();
			};
			examples.importShop("one", List.of(part, part));
			assertThat(imported).hasValue(2);
			assertThat(examples.pieces("north")).isEqualTo(10);
			examples.replace("north", "coffee", 3);
			assertThat(examples.piecesInCode("north")).isEqualTo(3);
			examples.render("pdf", "a");
			assertThat(examples.takeInTime("tea")).isTrue();
			assertThat(examples.sumUnderLock(List.of("a", "b"))).isPositive();
		});
	}

	@Test
	@Wide
	void readersAndWritersAndPermitsExcludeAsTheyShould() {
		run((examples, locks, jdbc) -> {
			LockOptions reading = LockOptions.defaults().mode(LockMode.READ);
			try (LockHandle other = locks.lock("catalogue", "north", reading)) {
				assertThat(examples.pieces("north")).isEqualTo(10);
				assertThat(other.isValid()).isTrue();
				assertThat(locks.tryLock("catalogue", "north", reading.mode(LockMode.WRITE))).isEmpty();
			}
			try (LockHandle one = locks.lock("renderer", "pdf", LockOptions.defaults());
					LockHandle two = locks.lock("renderer", "pdf", LockOptions.defaults())) {
				examples.render("pdf", "a");
				try (LockHandle three = locks.lock("renderer", "pdf", LockOptions.defaults())) {
					assertThat(locks.tryLock("renderer", "pdf")).isEmpty();
					assertThat(one.isValid() && two.isValid() && three.isValid()).isTrue();
				}
			}
		});
	}

	/**
	 * The holder has asked whether it holds the lock and is paused until another has it
	 * and has written; then it writes.
	 */
	@Test
	@Wide
	void writeOfAHolderThatWasPausedIsRefused() {
		run((examples, locks, jdbc) -> {
			LockOptions brief = LockOptions.defaults().leaseTime(java.time.Duration.ofMillis(200)).renew(false);
			LockHandle paused = Awaitility.await()
				.ignoreExceptionsInstanceOf(LockNotAcquiredException.class)
				.until(() -> locks.lock("price", "tea", brief), LockHandle::isValid);
			Awaitility.await().ignoreExceptions().until(() -> {
				examples.setPrice("tea", BigDecimal.TEN, 0);
				return true;
			});
			LockExamples unguarded = new LockExamples(locks, jdbc);
			assertThatExceptionOfType(OptimisticLockingFailureException.class)
				.isThrownBy(() -> unguarded.setPrice("tea", BigDecimal.ONE, paused.token()));
			assertThat(jdbc.queryForObject("select price from item", Integer.class)).isEqualTo(10);
			paused.close();
		});
	}

	private void run(Use use) {
		SharedRedis.standalone().flushAll();
		this.runner.run((context) -> {
			JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
			for (String statement : List.of("drop all objects", "create table stock (item varchar, pieces int)",
					"insert into stock values ('tea', 10)", "create table report (made date, pieces int)",
					"create table catalogue (shop varchar, item varchar, pieces int)",
					"insert into catalogue values ('north', 'tea', 10), ('south', 'tea', 5)",
					"create table account (id varchar, amount int)",
					"insert into account values ('a', 100), ('b', 100)",
					"create table item (id varchar, price int, fence bigint)",
					"insert into item values ('tea', 5, 0)")) {
				jdbc.execute(statement);
			}
			use.with(context.getBean(LockExamples.class), context.getBean(DistributedLocks.class), jdbc);
		});
	}

	@FunctionalInterface
	private interface Use {

		void with(LockExamples examples, DistributedLocks locks, JdbcTemplate jdbc) throws Exception;

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		DataSource dataSource() {
			return new DriverManagerDataSource("jdbc:h2:mem:lockExamples;DB_CLOSE_DELAY=-1");
		}

		@Bean
		PlatformTransactionManager transactionManager(DataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

		@Bean
		JdbcTemplate jdbc(DataSource dataSource) {
			return new JdbcTemplate(dataSource);
		}

		@Bean
		LockExamples examples(DistributedLocks locks, JdbcTemplate jdbc) {
			return new LockExamples(locks, jdbc);
		}

	}

}
