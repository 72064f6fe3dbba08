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
 * Publishes what a writer has changed: the database first, Redis after the commit,
 * nothing if the transaction is rolled back; if that is a reactive one, the entry is
 * removed.
 * <p>
 * Right before the commit, while the row is still locked, the writer announces itself and
 * the old value is removed. After the commit the new value is published. If another
 * writer was active, the entry is removed instead. So no order of concurrent readers and
 * writers leaves an old value. If a writer dies in between, readers bypass the cache
 * until {@code ge.redis.cache.intent-timeout} is over.
 * <p>
 * This holds for a transaction of the caller, for {@code @Transactional} on the same
 * method in any order of advice, and for transactions inside the method. If several
 * commit, one is rolled back, or the method throws after a commit, the entry is removed.
 * Without a transaction the writer announces itself before the method runs and publishes
 * only if no other writer was active.
 * <p>
 * Transaction managers must be beans that extend Spring's {@code
 * AbstractPlatformTransactionManager}; of others, only transactions that begin before the
 * call are seen.
 * <p>
 * Cost: two script calls; none before a rollback; one more for each further commit
 * inside. No failure of Redis reaches the caller. While Redis is unavailable, the
 * instance remembers up to 100,000 such entries and removes each before it reads it from
 * Redis again. If the instance dies before, or a failover loses the change, the TTL is
 * the bound.
 * <p>
 * Methods may return futures and publishers, or be suspending functions. In a reactive
 * transaction of its subscriber such a writer is announced before the commit and resolved
 * after it. Elsewhere it is announced before the call or subscription and resolved with
 * the result: a failure removes the entry, a cancellation leaves the announcement until
 * its timeout. In a transaction of the calling thread the entry is removed.
 */
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@Reflective
public @interface CacheWriteThrough {

	/**
	 * Name of the cache. The same name and key share one entry wherever they are used, by
	 * readers and writers, and must have the same type there.
	 * @return the name
	 */
	String cache();

	/**
	 * SpEL expression over the arguments for the key, such as {@code "#order.id"} or
	 * {@code "{#wallet, #token}"}. {@code null} or blank values are refused. It must be
	 * known before the commit, so {@code #result} is refused.
	 * @return the expression
	 */
	String key();

	/**
	 * SpEL expression over the arguments and {@code #result} for the value. Default what
	 * the method returns, or the value inside an {@code Optional}. {@code null} is
	 * published as absence, with the negative TTL. A value that is not of the cache's
	 * type, and an expression that fails, remove the entry instead.
	 * @return the expression
	 */
	String value() default "";

	/**
	 * Time to live of the value. As {@link CacheAside#ttl()}.
	 * @return the TTL
	 */
	String ttl() default "";

	/**
	 * Whether the value stays until it is replaced or removed. As
	 * {@link CacheAside#permanent()}.
	 * @return whether it is permanent
	 */
	boolean permanent() default false;

	/**
	 * SpEL expression over the arguments and {@code #result} for the tags of the entry.
	 * As {@link CacheAside#tags()}, which must give the same entry the same tags. If it
	 * cannot be evaluated the entry is removed. Default none.
	 * @return the expression
	 */
	String tags() default "";

	/**
	 * SpEL expression over the arguments: where it is false, the call is no writer.
	 * Default always.
	 * @return the expression
	 */
	String condition() default "";

	/**
	 * SpEL expression over the arguments and {@code #result}: where it is true, the entry
	 * is removed instead of written. Default never.
	 * @return the expression
	 */
	String unless() default "";

}
