/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.ExpressionCompiler;
import io.ge.redis.core.invocation.GuardAdvisor;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.util.function.SingletonSupplier;

/**
 * Assembles the caches: the advisors for readers and writers, the listener for
 * transactions and the API for code stand on one engine, which is made when the first of
 * them is used.
 */
public final class CacheGuard implements AutoCloseable {

	private static final String PATTERN = "cache";

	private final CacheAsideOperationSource readers;

	private final CacheWriteThroughOperationSource writers;

	private final CacheTransactions transactions;

	private final Supplier<DefaultCaches> caches;

	private final AtomicReference<@Nullable CacheEngine> made = new AtomicReference<>();

	/**
	 * Assembles the caches.
	 * @param properties the caches in the environment
	 * @param attributes reads attribute values
	 * @param expressions compiles expressions
	 * @param mapper writes and reads values
	 * @param backend where the entries live
	 * @param events told of reads, loads and writes
	 */
	public CacheGuard(Supplier<CacheProperties> properties, AttributeReader attributes, ExpressionCompiler expressions,
			Supplier<JsonMapper> mapper, Supplier<RedisBackend> backend, GuardEvents events) {
		Supplier<CacheProperties> settings = SingletonSupplier.of(properties);
		CacheDefinitions definitions = new CacheDefinitions(settings);
		CacheCodec codec = new CacheCodec(SingletonSupplier.of(mapper));
		CacheAttributes reader = new CacheAttributes(definitions, codec, attributes, expressions);
		Supplier<CacheEngine> engine = SingletonSupplier.of(() -> engine(backend.get(), settings.get()));
		this.readers = new CacheAsideOperationSource(reader);
		this.writers = new CacheWriteThroughOperationSource(reader);
		this.transactions = new CacheTransactions(engine, events);
		this.caches = SingletonSupplier
			.of(() -> new DefaultCaches(definitions, codec, engine.get(), this.transactions, events));
	}

	private CacheEngine engine(RedisBackend backend, CacheProperties properties) {
		CacheEngine engine = new CacheEngine(new RedisCache(backend.redis(PATTERN), backend.keys(PATTERN),
				backend.bus(), properties.intentTimeout()));
		this.made.set(engine);
		return engine;
	}

	/**
	 * Returns the advisor of readers.
	 * @param order its position among all advice
	 * @return the advisor
	 */
	public GuardAdvisor readerAdvisor(int order) {
		return new GuardAdvisor(this.readers, new CacheAsideInterceptor(this.readers, this.caches), order);
	}

	/**
	 * Returns the advisor of writers.
	 * @param order its position among all advice
	 * @return the advisor
	 */
	public GuardAdvisor writerAdvisor(int order) {
		return new GuardAdvisor(this.writers, new CacheWriteThroughInterceptor(this.writers, this.caches), order);
	}

	/**
	 * Returns what must hear of all transactions in which writers may run.
	 * @return the listener, for each transaction manager
	 */
	public TransactionExecutionListener transactionListener() {
		return this.transactions;
	}

	/**
	 * Returns the API.
	 * @return the caches
	 */
	public GeCaches caches() {
		return this.caches.get();
	}

	@Override
	public void close() {
		CacheEngine engine = this.made.get();
		if (engine != null) {
			engine.close();
		}
	}

}
