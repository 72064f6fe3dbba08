// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

import io.ge.redis.cache.SpringCaches;
import io.ge.redis.readme.Products.Product;

import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.CachePut;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.DataClassRowMapper;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.transaction.annotation.Transactional;

/**
 * The products of the page on caching, behind Spring's own annotations.
 */
public class SpringProducts {

	private static final RowMapper<Product> PRODUCT = new DataClassRowMapper<>(Product.class);

	private final JdbcTemplate jdbc;

	private final AtomicInteger loads = new AtomicInteger();

	SpringProducts(JdbcTemplate jdbc) {
		this.jdbc = jdbc;
	}

	int loads() {
		return this.loads.getAndSet(0);
	}

	private List<Product> query(String sql, Object... arguments) {
		this.loads.incrementAndGet();
		return this.jdbc.query(sql, PRODUCT, arguments);
	}

	// @formatter:off
	@Cacheable("products")
	public Optional<Product> look(String id) {
		return query("select * from product where id = ?", id).stream().findFirst();
	}

	@CachePut(cacheNames = "products", key = "#id")
	@Transactional
	public Product relabel(String id, String name) {
		this.jdbc.update("update product set name = ? where id = ?", name, id);
		return this.jdbc.queryForObject("select * from product where id = ?", PRODUCT, id);
	}

	@CacheEvict(cacheNames = "products", key = "#id")
	@Transactional
	public void remove(String id) {
		this.jdbc.update("delete from product where id = ?", id);
	}
	// @formatter:on

	/**
	 * Spring's annotations.
	 */
	@EnableCaching
	@Configuration(proxyBeanMethods = false)
	static class Annotations {

	}

	/**
	 * Our caches beside those of another manager.
	 */
	@EnableCaching
	@Configuration(proxyBeanMethods = false)
	static class Both {

		@Bean
		CacheManager otherCaches() {
			return new ConcurrentMapCacheManager();
		}

		// @formatter:off
		@Bean(defaultCandidate = false)
		CacheManager redisCaches(SpringCaches caches) {
			return caches.cacheManager();
		}
		// @formatter:on

	}

}
