// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.time.Instant;
import java.util.Map;

import javax.sql.DataSource;

import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.autoconfigure.IdempotencyAutoConfiguration;
import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Wide;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.PreUpdate;
import jakarta.persistence.Version;
import org.hibernate.annotations.CreationTimestamp;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionManagerCustomizationAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.ClassPathResource;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What the witness promises with JPA, which writes entities late: with an id that is
 * generated, a version, what callbacks set.
 */
@Wide
class WitnessJpaIntegrationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
				DataSourceAutoConfiguration.class, JdbcTemplateAutoConfiguration.class,
				TransactionAutoConfiguration.class, TransactionManagerCustomizationAutoConfiguration.class,
				GeRedisAutoConfiguration.class, IdempotencyAutoConfiguration.class))
		.withUserConfiguration(Jpa.class)
		.withPropertyValues(SharedRedis.properties())
		.withPropertyValues("spring.datasource.url=jdbc:h2:mem:jpa", "spring.datasource.generate-unique-name=false",
				"ge.redis.idempotency.witness=required");

	@BeforeEach
	void emptyRedis() {
		SharedRedis.standalone().flushAll();
	}

	@Test
	void resultIsWhatTheCommitMadeOfAnEntity() {
		this.runner.run((context) -> {
			Shop shop = context.getBean(Shop.class);
			Item added = shop.add("add", "tea");
			assertThat(added.id).isNotNull();
			assertThat(added.createdAt).isNotNull();
			assertSame(shop.add("add", "tea"), added);
			Item renamed = shop.rename("rename", added.id, "coffee");
			assertThat(renamed.version).isEqualTo(added.version + 1);
			assertThat(renamed.changes).isOne();
			assertSame(shop.rename("rename", added.id, "coffee"), renamed);
			dieBeforeCompletion();
			assertSame(shop.add("add", "tea"), added);
			assertSame(shop.rename("rename", added.id, "coffee"), renamed);
			assertThat(context.getBean(JdbcTemplate.class)
				.queryForObject("select version from item where id = ?", Integer.class, added.id))
				.isEqualTo(renamed.version);
		});
	}

	@Test
	void whatTheDatabaseRefusesOnlyWhenItIsWrittenFreesTheKey() {
		this.runner.run((context) -> {
			Shop shop = context.getBean(Shop.class);
			shop.add("first", "tea");
			assertThatExceptionOfType(DataIntegrityViolationException.class).isThrownBy(() -> shop.add("key", "tea"));
			assertThat(shop.add("key", "coffee").name).isEqualTo("coffee");
		});
	}

	@Test
	void resultInATransactionOfTheCallerIsWhatTheMethodReturned() {
		this.runner.run((context) -> {
			Shop shop = context.getBean(Shop.class);
			Item added = shop.add("add", "tea");
			TransactionTemplate transactions = context.getBean(TransactionTemplate.class);
			int seen = transactions.execute((status) -> shop.rename("rename", added.id, "coffee").version);
			assertThat(seen).isEqualTo(added.version);
			assertThat(shop.rename("rename", added.id, "coffee").version).isEqualTo(seen);
			dieBeforeCompletion();
			assertThat(shop.rename("rename", added.id, "coffee").version).isEqualTo(seen);
		});
	}

	private static void assertSame(Item item, Item first) {
		assertThat(item).usingRecursiveComparison().isEqualTo(first);
	}

	private static void dieBeforeCompletion() {
		SharedRedis.standalone().primary().command("EVAL", """
				for _, key in ipairs(redis.call('KEYS', '*idempotency*')) do
				  redis.call('HDEL', key, 'k', 'r')
				  redis.call('HSET', key, 'd', 1, 'x', 1)
				end
				""", "0");
	}

	/**
	 * Written when the transaction is committed.
	 */
	@Entity(name = "item")
	static class Item {

		@Id
		@GeneratedValue(strategy = GenerationType.SEQUENCE)
		public @Nullable Long id;

		@Version
		public int version;

		@Column(unique = true)
		public String name = "";

		public int changes;

		@CreationTimestamp
		public @Nullable Instant createdAt;

		@PreUpdate
		void change() {
			this.changes++;
		}

	}

	/**
	 * The guarded methods.
	 */
	static class Shop {

		private final EntityManager entities;

		Shop(EntityManager entities) {
			this.entities = entities;
		}

		@Idempotent(name = "add", key = "#key", fingerprint = "#key")
		@Transactional
		public Item add(String key, String name) {
			Item item = new Item();
			item.name = name;
			this.entities.persist(item);
			return item;
		}

		@Idempotent(name = "rename", key = "#key", fingerprint = "#key")
		@Transactional
		public Item rename(String key, Long id, String name) {
			Item item = this.entities.find(Item.class, id);
			item.name = name;
			return item;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Jpa {

		@Bean
		LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource dataSource) {
			new ResourceDatabasePopulator(new ClassPathResource("db/ge-redis/h2/R__ge_idempotency.sql"))
				.execute(dataSource);
			LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
			factory.setDataSource(dataSource);
			factory.setManagedTypes(PersistenceManagedTypes.of(Item.class.getName()));
			factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
			factory.setJpaPropertyMap(Map.of("hibernate.hbm2ddl.auto", "create"));
			return factory;
		}

		@Bean
		JpaTransactionManager transactionManager(EntityManagerFactory factory) {
			return new JpaTransactionManager(factory);
		}

		@Bean
		Shop shop(EntityManagerFactory factory) {
			return new Shop(SharedEntityManagerCreator.createSharedEntityManager(factory));
		}

	}

}
