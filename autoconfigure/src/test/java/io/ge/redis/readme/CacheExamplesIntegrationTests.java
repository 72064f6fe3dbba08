// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;

import io.ge.redis.autoconfigure.CacheAutoConfiguration;
import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.autoconfigure.SpringCacheAutoConfiguration;
import io.ge.redis.cache.internal.CachePattern;
import io.ge.redis.readme.Products.Product;
import io.ge.redis.test.SharedRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.cache.CacheManager;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The code of the page on caching does what the page says.
 */
class CacheExamplesIntegrationTests {

	private static ConfigurableApplicationContext context;

	private static Products products;

	private static JdbcTemplate jdbc;

	@BeforeAll
	static void start() {
		SharedRedis.standalone().flushAll();
		context = new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.registerShutdownHook(false)
			.properties(SharedRedis.standalone().properties())
			.properties("spring.datasource.url=jdbc:h2:mem:products", "spring.datasource.generate-unique-name=false",
					"spring.main.banner-mode=off", "spring.main.log-startup-info=false",
					"ge.redis.cache.warm-up.enabled=false", "ge.redis.outage.command-timeout=5s",
					// Nobody looks between what a test empties and what it asks
					"ge.redis.cache.max-staleness=10m")
			.run();
		products = context.getBean(Products.class);
		jdbc = context.getBean(JdbcTemplate.class);
		jdbc.execute("create table product (id varchar primary key, name varchar not null, price decimal(10,2))");
	}

	@AfterAll
	static void stop() {
		context.close();
	}

	@BeforeEach
	void fill() {
		SharedRedis.standalone().flushAll();
		jdbc.update("delete from product");
		for (int i = 1; i <= 4; i++) {
			jdbc.update("insert into product values (?, ?, ?)", "p" + i, "lamp " + i, BigDecimal.valueOf(i));
		}
		products.loads();
	}

	@Test
	void readsOnceAndPublishesWhatIsWritten() {
		assertThat(products.find("p1")).hasValueSatisfying((found) -> assertThat(found.name()).isEqualTo("lamp 1"));
		products.find("p1");
		assertThat(products.loads()).isEqualTo(1);
		products.rename("p1", "torch");
		assertThat(products.find("p1").map(Product::name)).hasValue("torch");
		products.save(new Product("p1", "candle", new BigDecimal("0.50")));
		assertThat(products.find("p1").map(Product::name)).hasValue("candle");
		assertThat(products.loads()).isZero();
	}

	@Test
	void remembersThatThereIsNothing() {
		assertThat(products.find("p9")).isEmpty();
		assertThat(products.find("p9")).isEqualTo(Optional.empty());
		assertThat(products.loads()).isEqualTo(1);
	}

	@Test
	void readsSeveralAndLoadsWhatIsMissing() {
		products.find("p2");
		products.loads();
		assertThat(products.findAll(List.of("p1", "p2", "p9"))).containsOnlyKeys("p1", "p2");
		assertThat(products.loads()).isEqualTo(2);
		assertThat(products.findAllInCode(List.of("p3", "p1"))).containsOnlyKeys("p3", "p1");
		assertThat(products.loads()).isEqualTo(1);
		assertThat(products.find("p9")).isEmpty();
		assertThat(products.loads()).isZero();
	}

	@Test
	void cachesAndEvictsInCode() {
		assertThat(products.cheapest(2)).extracting(Product::id).containsExactly("p1", "p2");
		products.cheapest(2);
		assertThat(products.loads()).isEqualTo(1);
		products.find("p1");
		products.reprice(List.of("p1", "p2"), BigDecimal.TEN);
		assertThat(products.find("p1").map(Product::price)).hasValue(new BigDecimal("10.00"));
		assertThat(products.loads()).isEqualTo(2);
	}

	@Test
	void sharesItsEntriesWithSpringsAnnotations() {
		SpringProducts spring = context.getBean(SpringProducts.class);
		products.find("p1");
		assertThat(spring.look("p1").map(Product::name)).hasValue("lamp 1");
		assertThat(spring.loads()).isZero();
		spring.relabel("p1", "torch");
		products.loads();
		assertThat(products.find("p1").map(Product::name)).hasValue("torch");
		assertThat(products.loads()).isZero();
		spring.remove("p1");
		assertThat(spring.look("p1")).isEmpty();
		assertThat(spring.loads()).isEqualTo(1);
	}

	@Test
	void standsBesideAnotherManager() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, GeRedisAutoConfiguration.class,
					JacksonAutoConfiguration.class, CacheAutoConfiguration.class, SpringCacheAutoConfiguration.class))
			.withUserConfiguration(SpringProducts.Both.class)
			.withPropertyValues(SharedRedis.standalone().properties())
			.run((beside) -> {
				assertThat(beside).hasNotFailed();
				assertThat(beside.getBean(CacheManager.class)).isSameAs(beside.getBean("otherCaches"));
				assertThat(beside.getBean("redisCaches")).isSameAs(beside.getBean(CachePattern.class).cacheManager());
			});
	}

	@Test
	void warmsUp() {
		ProductWarmer warmer = context.getBean(ProductWarmer.class);
		assertThat(warmer.name()).isEqualTo("products");
		warmer.keys().forEach(warmer::warm);
		assertThat(products.loads()).isEqualTo(4);
		products.find("p4");
		assertThat(products.loads()).isZero();
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ GeRedisAutoConfiguration.class, CacheAutoConfiguration.class,
			SpringCacheAutoConfiguration.class, DataRedisAutoConfiguration.class, JacksonAutoConfiguration.class,
			DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class,
			JdbcTemplateAutoConfiguration.class, TransactionAutoConfiguration.class })
	@Import({ Products.class, ProductWarmer.class, SpringProducts.class, SpringProducts.Annotations.class })
	static class Application {

	}

}
