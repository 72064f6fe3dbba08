// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

import io.ge.redis.cache.CacheAside;
import io.ge.redis.cache.CacheInvalidate;
import io.ge.redis.cache.CacheWriteThrough;

import org.springframework.jdbc.core.DataClassRowMapper;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.transaction.annotation.Transactional;

/**
 * The code of the page on migration that no other page has.
 */
class MigrationExamples {

	private static final RowMapper<Customer> CUSTOMER = new DataClassRowMapper<>(Customer.class);

	private final JdbcTemplate jdbc;

	private final AtomicInteger loads = new AtomicInteger();

	MigrationExamples(JdbcTemplate jdbc) {
		this.jdbc = jdbc;
	}

	int loads() {
		return this.loads.get();
	}

	private Optional<Customer> query(String id) {
		this.loads.incrementAndGet();
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
	@CacheAside(cache = "customers", key = "#id", ttl = "10m")
	public Optional<Customer> find(String id) {
		return query(id);
	}

	@CacheWriteThrough(cache = "customers", key = "#id")
	@Transactional
	public Customer rename(String id, String name) {
		return update(id, name);
	}

	@CacheInvalidate(cache = "customers", key = "#id")
	@Transactional
	public void remove(String id) {
		delete(id);
	}
	// @formatter:on

	record Customer(String id, String name) {
	}

}
