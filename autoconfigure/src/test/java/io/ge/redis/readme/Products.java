// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import java.math.BigDecimal;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.ge.redis.cache.CacheAside;
import io.ge.redis.cache.CacheWriteThrough;
import io.ge.redis.cache.GeCaches;

import org.springframework.core.ParameterizedTypeReference;
import org.springframework.jdbc.core.DataClassRowMapper;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/**
 * The code of the page on caching.
 */
class Products {

	private static final RowMapper<Product> PRODUCT = new DataClassRowMapper<>(Product.class);

	private final JdbcTemplate jdbc;

	private final NamedParameterJdbcTemplate named;

	private final GeCaches caches;

	private final AtomicInteger loads = new AtomicInteger();

	Products(JdbcTemplate jdbc, GeCaches caches) {
		this.jdbc = jdbc;
		this.named = new NamedParameterJdbcTemplate(jdbc);
		this.caches = caches;
	}

	int loads() {
		return this.loads.getAndSet(0);
	}

	private List<Product> query(String sql, Object... arguments) {
		this.loads.incrementAndGet();
		return this.jdbc.query(sql, PRODUCT, arguments);
	}

	private Map<String, Product> findAllInDatabase(Collection<String> ids) {
		this.loads.addAndGet(ids.size());
		return this.named.query("select * from product where id in (:ids)", Map.of("ids", ids), PRODUCT)
			.stream()
			.collect(Collectors.toMap(Product::id, Function.identity()));
	}

	// @formatter:off
	@CacheAside(cache = "products", key = "#id", ttl = "10m", negativeTtl = "30s")
	public Optional<Product> find(String id) {
		return query("select * from product where id = ?", id).stream().findFirst();
	}

	@CacheAside(cache = "products", keys = "#ids")
	public Map<String, Product> findAll(Collection<String> ids) {
		return findAllInDatabase(ids);
	}

	public Map<String, Product> findAllInCode(Collection<String> ids) {
		return this.caches.getAll("products", ids, Product.class, this::findAllInDatabase);
	}

	@CacheWriteThrough(cache = "products", key = "#id")
	@Transactional
	public Product rename(String id, String name) {
		this.jdbc.update("update product set name = ? where id = ?", name, id);
		return this.jdbc.queryForObject("select * from product where id = ?", PRODUCT, id);
	}

	@CacheWriteThrough(cache = "products", key = "#product.id", value = "#product")
	@Transactional
	public void save(Product product) {
		this.jdbc.update("update product set name = ?, price = ? where id = ?", product.name(), product.price(), product.id());
	}

	public List<Product> cheapest(int most) {
		return this.caches.get("cheapest", most, new ParameterizedTypeReference<>() {
		}, () -> query("select * from product order by price limit ?", most));
	}

	@Transactional
	public void reprice(List<String> ids, BigDecimal price) {
		for (String id : ids) {
			this.jdbc.update("update product set price = ? where id = ?", price, id);
			this.caches.evict("products", id);
		}
	}
	// @formatter:on

	/**
	 * A product.
	 *
	 * @param id its id
	 * @param name its name
	 * @param price what it costs
	 */
	record Product(String id, String name, BigDecimal price) {
	}

}
