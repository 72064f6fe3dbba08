// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import java.util.stream.Stream;

import io.ge.redis.cache.CacheWarmer;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

// @formatter:off
@Component
public class ProductWarmer implements CacheWarmer<String> {

	private final JdbcTemplate jdbc;

	private final Products products;

	public ProductWarmer(JdbcTemplate jdbc, Products products) {
		this.jdbc = jdbc;
		this.products = products;
	}

	@Override
	public String name() {
		return "products";
	}

	@Override
	public Stream<String> keys() {
		return this.jdbc.queryForList("select id from product order by id", String.class).stream();
	}

	@Override
	public void warm(String id) {
		this.products.find(id);
	}

}
// @formatter:on
