/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.blacklist;

import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.ExpressionCompiler;
import io.ge.redis.core.invocation.GuardAdvisor;

import org.springframework.util.function.SingletonSupplier;

/**
 * Assembles the blacklist: the advisor for annotated methods and the API for code stand
 * on one engine, which is made when the first of them is used.
 */
public final class BlacklistGuard {

	private static final String PATTERN = "blacklist";

	private final Supplier<BlacklistProperties> properties;

	private final Blacklists lists;

	private final PresentedTokens tokens;

	private final BlacklistOperationSource source;

	private final Supplier<DefaultTokenBlacklist> blacklist;

	/**
	 * Assembles the blacklist.
	 * @param properties the lists in the environment
	 * @param attributes reads attribute values
	 * @param expressions compiles expressions
	 * @param backend where the rows live
	 * @param events told of checks
	 * @param currentKnown whether there is a {@link CurrentToken}; asked while beans are
	 * being made
	 * @param current the {@link CurrentToken}
	 * @param readers the {@link TokenReader}s
	 */
	public BlacklistGuard(Supplier<BlacklistProperties> properties, AttributeReader attributes,
			ExpressionCompiler expressions, Supplier<RedisBackend> backend, GuardEvents events,
			BooleanSupplier currentKnown, Supplier<CurrentToken> current, Supplier<List<TokenReader>> readers) {
		this.properties = SingletonSupplier.of(properties);
		this.lists = new Blacklists(this.properties);
		this.tokens = new PresentedTokens(currentKnown, SingletonSupplier.of(current), SingletonSupplier.of(readers));
		this.source = new BlacklistOperationSource(this.lists, this.tokens, attributes, expressions);
		this.blacklist = SingletonSupplier.of(() -> create(backend.get(), events));
	}

	private DefaultTokenBlacklist create(RedisBackend backend, GuardEvents events) {
		BlacklistProperties settings = this.properties.get();
		RedisTokenBlacklist redis = new RedisTokenBlacklist(backend.redis(PATTERN), backend.keys(PATTERN),
				backend.connection()::isClustered, new RedisTokenBlacklist.Clocks(settings.maxTokenLifetime(),
						settings.clockSkew(), settings.issuerClockSkew()));
		return new DefaultTokenBlacklist(this.lists, new BlacklistEngine(redis, settings.requireJti()), redis, events);
	}

	/**
	 * Returns the advisor.
	 * @param order its position among all advice
	 * @return the advisor
	 */
	public GuardAdvisor advisor(int order) {
		return new GuardAdvisor(this.source, new BlacklistInterceptor(this.source, this.tokens, this.blacklist), order);
	}

	/**
	 * Returns the API.
	 * @return the blacklist
	 */
	public TokenBlacklist tokenBlacklist() {
		return this.blacklist.get();
	}

}
