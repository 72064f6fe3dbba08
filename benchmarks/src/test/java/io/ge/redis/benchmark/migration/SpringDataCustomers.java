// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark.migration;

import java.time.Duration;
import java.util.Optional;

import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.CachePut;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.context.annotation.Bean;
import org.springframework.data.redis.cache.RedisCacheConfiguration;
import org.springframework.data.redis.cache.RedisCacheManager;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.jdbc.core.DataClassRowMapper;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.transaction.annotation.Transactional;

/**
 * Spring's annotations on the cache manager of Spring Data Redis.
 */
class SpringDataCustomers {

	private static final RowMapper<Customer> CUSTOMER = new DataClassRowMapper<>(Customer.class);

	private final JdbcTemplate jdbc;

	SpringDataCustomers(JdbcTemplate jdbc) {
		this.jdbc = jdbc;
	}

	private Optional<Customer> query(String id) {
		return this.jdbc.query("select * from customer where id = ?", CUSTOMER, id).stream().findFirst();
	}

	private Customer update(String id, String name) {
		this.jdbc.update("update customer set name = ? where id = ?", name, id);
		return new Customer(id, name);
	}

	private void delete(String id) {
		this.jdbc.update("delete from customer where id = ?", id);
	}

	// @formatter:off
	@Cacheable(cacheNames = "customers", key = "#id")
	public Optional<Customer> find(String id) {
		return query(id);
	}

	@CachePut(cacheNames = "customers", key = "#id")
	@Transactional
	public Customer rename(String id, String name) {
		return update(id, name);
	}

	@CacheEvict(cacheNames = "customers", key = "#id")
	@Transactional
	public void remove(String id) {
		delete(id);
	}
	// @formatter:on

	/** The cache manager. */
	static class Manager {

		// @formatter:off
		@Bean
		RedisCacheManager cacheManager(RedisConnectionFactory connections) {
			return RedisCacheManager.builder(connections)
				.cacheDefaults(RedisCacheConfiguration.defaultCacheConfig().entryTtl(Duration.ofMinutes(10)))
				.transactionAware()
				.build();
		}
		// @formatter:on

	}

	/** A customer. */
	record Customer(String id, String name) {
	}

}
