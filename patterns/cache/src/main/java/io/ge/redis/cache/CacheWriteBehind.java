// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.aot.hint.annotation.Reflective;

/**
 * Puts the result of a method into a cache that is written behind. Readers of the cache
 * see it when the method has returned. The {@link io.ge.redis.cache.WriteBehindStore} of
 * the cache writes it to the database a moment later, together with others. The method
 * itself does not touch the database.
 * <p>
 * The change is in Redis alone until the store has confirmed it. Changes that a failover
 * or a restart of Redis loses are lost. If Redis does not take the change, the caller
 * gets an exception after the method has run. A change is no part of a transaction: it
 * stays if that is rolled back.
 * <p>
 * If a key changes faster than its store writes, only its newest value is written.
 * Entries that expire or are evicted are restored from the change as long as that waits.
 * <p>
 * Cost: one script call, which writes the entry and the change.
 * <p>
 * Methods may return futures and publishers, or be suspending functions: their result is
 * there when Redis has taken the change.
 */
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@Reflective
public @interface CacheWriteBehind {

	/**
	 * Name of the cache of a {@code WriteBehindStore} bean, or of a cache with
	 * {@code ge.redis.cache.caches.<name>.write-behind=true}. No method may write it
	 * through.
	 * @return the name
	 */
	String cache();

	/**
	 * SpEL expression over the arguments for the key. As {@link CacheWriteThrough#key()}.
	 * @return the expression
	 */
	String key();

	/**
	 * SpEL expression over the arguments and {@code #result} for the value. Default what
	 * the method returns, or the value inside an {@code Optional}. {@code null} means
	 * that there is none any more: readers get absence, and so does the store.
	 * @return the expression
	 */
	String value() default "";

}
