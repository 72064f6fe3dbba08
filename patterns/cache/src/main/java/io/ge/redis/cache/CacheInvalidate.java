// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.aot.hint.annotation.Reflective;

/**
 * Removes what a method makes wrong: one entry by its key, all entries that have certain
 * tags, or a whole cache. The database first, Redis after the commit, nothing if the
 * transaction is rolled back. A reactive transaction, and one inside of a method whose
 * result comes later, is an exception: after its rollback, too, entries are removed.
 * <p>
 * By {@link #key()} it is a writer without a value, with the guarantees of
 * {@link CacheWriteThrough}. By {@link #tags()} and {@link #all()} the tags get a new
 * version after the commit, and whatever was loaded before counts as a miss. The other
 * instances know it at once; if the message is lost, within
 * {@code ge.redis.cache.max-staleness}. Until the commit, and while the method runs, the
 * same thread reads the cache from the database. If the method throws after a commit, the
 * entries are removed.
 * <p>
 * Cost: by key two script calls; by tags or all one, however many entries there are. An
 * outage is as with {@link CacheWriteThrough}, and so are asynchronous methods.
 */
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@Reflective
@Repeatable(CacheInvalidate.List.class)
public @interface CacheInvalidate {

	/**
	 * Name of the cache.
	 * @return the name
	 */
	String cache();

	/**
	 * SpEL expression over the arguments for the key of one entry. As
	 * {@link CacheWriteThrough#key()}. Exactly one of key, tags and all is set.
	 * @return the expression
	 */
	String key() default "";

	/**
	 * SpEL expression over the arguments and {@code #result} for tags: one, or a
	 * collection or an array of them, in which a list is a tag of several parts. An empty
	 * one invalidates nothing. If it cannot be evaluated, or gives {@code null}, the
	 * change is committed already: then the whole cache is invalidated. More than 1000
	 * tags at once count as the whole cache, too.
	 * @return the expression
	 */
	String tags() default "";

	/**
	 * Whether all entries of the cache are meant. Default no.
	 * @return whether all are
	 */
	boolean all() default false;

	/**
	 * SpEL expression over the arguments: where it is false, nothing is invalidated.
	 * Default always.
	 * @return the expression
	 */
	String condition() default "";

	/**
	 * Holds repeated annotations.
	 */
	@Target({ ElementType.METHOD, ElementType.TYPE })
	@Retention(RetentionPolicy.RUNTIME)
	@Inherited
	@Documented
	@interface List {

		/**
		 * The invalidations.
		 * @return the invalidations
		 */
		CacheInvalidate[] value();

	}

}
