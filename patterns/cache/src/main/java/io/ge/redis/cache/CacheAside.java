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
 * Answers a reader from the cache, and runs it only for a value that is not there.
 * <p>
 * On a miss one caller of all instances runs the method, and a message gives the others
 * its value. They wait at most {@code ge.redis.cache.load-wait}. After that they run the
 * method themselves, or do as {@code ge.redis.cache.on-load-timeout} says. If the method
 * throws, its caller gets the exception, and the next one in line runs it; if the caller
 * dies, when its lease of {@code ge.redis.cache.lease-time} ends. The value is stored
 * only if no writer was active since, so an old row never replaces a newer value. While a
 * {@link CacheWriteThrough writer} is between its announcement and its publication, and
 * in a transaction that has itself written the entry, nothing is stored.
 * <p>
 * A value that is read is replaced before it expires ({@code
 * ge.redis.cache.early-refresh}): one caller of all instances is chosen and runs the
 * method, as after a miss. Meanwhile all others get the current value, and so does that
 * caller if the method throws. Readers in a transaction are not chosen. With
 * {@code ge.redis.cache.stale-if-error} a value is kept beyond its expiry, for callers
 * whose method throws.
 * <p>
 * {@code null} and an empty {@link java.util.Optional} are cached with a TTL of their
 * own. Values are JSON by the declared return type, without class names. A value that
 * cannot be read, because the type has changed, is a miss. A return type that cannot be
 * read back is refused at startup, as far as a value can be made up; proxies and
 * collections of Hibernate are refused by an {@link UncacheableValueException}. Larger
 * values than {@code ge.redis.cache.max-value-size} are not stored.
 * <p>
 * A method in a transaction of its caller may see the database as of the transaction's
 * start; its value is stored only if no writer was active since then, as far as Redis
 * knows. What a transaction has changed without {@link CacheWriteThrough} or
 * {@link GeCaches} must not be read through the cache before the commit.
 * <p>
 * Methods may return futures and publishers, or be suspending functions: the cache stores
 * their result. Several values are stored as a list, which readers get when the last
 * value is loaded. The cache is asked on subscription, and nothing blocks. If a
 * subscriber cancels during its load, the next caller in line loads at once.
 * <p>
 * Cost: a hit is a {@code GET}; a miss or an early refresh has two script calls more, of
 * one round trip each. Keys are {@code prefix:cache:{cache:key}:*}, all with a TTL but
 * {@link #permanent} values. While Redis is unavailable the method runs and nothing is
 * thrown.
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
	 * {@code "{#wallet, #token}"}. {@code null} or blank values are refused. Required,
	 * unless there are {@link #keys}.
	 * @return the expression
	 */
	String key() default "";

	/**
	 * The parameter of a method that reads several values, such as {@code "#ids"},
	 * instead of a {@link #key}. The method takes a collection of ids and nothing else.
	 * It returns a map from ids to values, or a future or {@code Mono} of such a map.
	 * Each id is the key of one entry, the same that a method with {@code key = "#id"}
	 * reads.
	 * <p>
	 * The method runs once for all ids that are missing, with a collection of only those;
	 * an id that it does not return is absent, and not in the map. The call waits for no
	 * other caller: what others load at that moment is loaded here too, and not stored.
	 * Values are not refreshed before they expire by such a call.
	 * <p>
	 * Cost: one script call for all ids, and one for all that were loaded; on a Cluster
	 * one for each slot, sent at once. Above 1,000 ids there are more.
	 * @return the expression
	 */
	String keys() default "";

	/**
	 * Time to live of a value, such as {@code "10m"}, at least a millisecond. It is
	 * shortened at random by at most {@code ge.redis.cache.ttl-jitter}. Default
	 * {@code ge.redis.cache.ttl}. {@code ge.redis.cache.caches.<name>.ttl} wins. Holds
	 * for the whole cache; two annotations must not disagree.
	 * @return the TTL
	 */
	String ttl() default "";

	/**
	 * Whether a value stays until it is replaced or removed, without a TTL. Only the
	 * memory of Redis bounds their number, and a missed change is never made good. Not
	 * together with a {@link #ttl}. Default {@code false}: every value has a TTL.
	 * {@code ge.redis.cache.caches.<name>.permanent} wins, and so does
	 * {@code ge.redis.cache.caches.<name>.ttl}. Absence has its TTL all the same.
	 * @return whether it is permanent
	 */
	boolean permanent() default false;

	/**
	 * Time to live of {@code null} or an empty {@code Optional}; {@code "0s"} to not
	 * cache it. Default {@code ge.redis.cache.negative-ttl}.
	 * {@code ge.redis.cache.caches.<name>.negative-ttl} wins.
	 * @return the TTL
	 */
	String negativeTtl() default "";

	/**
	 * SpEL expression over the arguments for the tags of the entry, by which
	 * {@link CacheInvalidate} and {@link GeCaches} invalidate it together with others:
	 * one, or a collection or an array of them, at most 255, in which a list is a tag of
	 * several parts. {@code null} or an empty one is no tag. Default none.
	 * <p>
	 * Holds for the whole cache: as soon as one annotation gives its entries tags, values
	 * for which none are named, by another annotation or in code, are not stored.
	 * @return the expression
	 */
	String tags() default "";

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
