/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.aot.hint.annotation.Reflective;

/**
 * Answers a reader from the cache, and runs it only for a value that is not there.
 * <p>
 * On a miss one caller of the whole fleet runs the method and the others wait for its
 * value, woken by a message, at most {@code ge.redis.cache.load-wait}; then they run it
 * themselves. If it throws, the exception goes to its caller and the next one in line
 * takes over; if the caller dies, that happens when its lease of
 * {@code ge.redis.cache.lease-time} ends. The value is stored only if no writer of the
 * entry has been at work since, so an old row never replaces a newer value. While a
 * {@link CacheWriteThrough writer} is between its commit and its publication, and in a
 * transaction that has itself written the entry, the method runs and nothing is stored.
 * <p>
 * {@code null} and an empty {@link java.util.Optional} are cached with a TTL of their
 * own. Values are JSON by the declared return type, without class names. A value that
 * cannot be read, because the type has changed, is a miss.
 * <p>
 * A method that runs in a transaction of its caller may see the database as of the
 * transaction's start; its value is stored only if no writer was at work since then, as
 * far as Redis knows: after a flush, an eviction or a failover it may not. What a
 * transaction has changed without {@link CacheWriteThrough} or {@link GeCaches} is not
 * known to the cache: do not read such a row through it before the commit.
 * <p>
 * Cost: a hit is one script call and one round trip, a miss two. Keys are
 * {@code prefix:cache:{cache:key}:*}, all with a TTL. While Redis is away the method runs
 * and nothing is thrown.
 */
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@Reflective
public @interface CacheAside {

	/**
	 * Name of the cache. The same name and key share one entry wherever they are used, by
	 * readers and writers, and must have the same type there.
	 * @return the name
	 */
	String cache();

	/**
	 * SpEL expression over the arguments for the key, such as {@code "#id"} or
	 * {@code "{#wallet, #token}"}. {@code null} or blank values are refused.
	 * @return the expression
	 */
	String key();

	/**
	 * How long a value stays, such as {@code "10m"}, at least a millisecond. Default
	 * {@code ge.redis.cache.ttl}. {@code ge.redis.cache.caches.<name>.ttl} wins. Holds
	 * for the whole cache; two annotations must not disagree.
	 * @return the TTL
	 */
	String ttl() default "";

	/**
	 * How long {@code null} or an empty {@code Optional} stays; {@code "0s"} to not cache
	 * it. Default {@code ge.redis.cache.negative-ttl}.
	 * {@code ge.redis.cache.caches.<name>.negative-ttl} wins.
	 * @return the TTL
	 */
	String negativeTtl() default "";

	/**
	 * SpEL expression over the arguments: the cache is used only where it is true.
	 * Default always.
	 * @return the expression
	 */
	String condition() default "";

	/**
	 * SpEL expression over the arguments and {@code #result}, the value inside an
	 * {@code Optional}: a loaded value is not stored where it is true. Default never.
	 * @return the expression
	 */
	String unless() default "";

}
