// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.ge.redis.core.outage.OutagePolicy;

import org.springframework.aot.hint.annotation.Reflective;

/**
 * Admits a limited number of calls per time, over all instances of the application.
 * <p>
 * A call above the limit does not run and throws {@link RateLimitExceededException}, over
 * HTTP a 429 with {@code Retry-After}. Refused calls do not count. Repeated on a method,
 * all limits are decided together: if one refuses, none is charged.
 * <p>
 * Cost: one script call, one round trip, for any number of limits; on a Cluster one for
 * each slot. Keys are {@code prefix:ratelimit:{key}:name}, with a TTL of at most the
 * window. Time is the server's.
 * <p>
 * Limit, window, algorithm, burst, wait, shadow and outage policy can be set under
 * {@code ge.redis.rate-limit.limits.<name>} as well, which wins over the annotation; a
 * list {@code limits} there replaces the limit here by several. While Redis is
 * unavailable {@link #onOutage()} applies.
 * <p>
 * A method may return a future or a publisher, or be a suspending function: it is decided
 * when it is called or subscribed to, each time, without blocking, and the refusal is its
 * failure.
 */
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@Reflective
@Repeatable(RateLimited.List.class)
public @interface RateLimited {

	/**
	 * Name of the limit. The same name and key share one state wherever they are used,
	 * and so must have the same settings. Default {@code SimpleClassName.methodName}.
	 * Names with other characters than letters, digits and dashes need brackets in the
	 * properties: {@code limits[OrderController.submit].limit}.
	 */
	String name() default "";

	/**
	 * SpEL expression for whom or what is limited, such as {@code "#user"}. For
	 * {@code null} or blank values see {@link #onEmptyKey()}. A list names one by several
	 * parts: <code>"{#tenant, #user}"</code>. On web handlers also one of the names
	 * {@code principal}, {@code client-address} and {@code header:NAME}. Default: one
	 * limit for all calls.
	 */
	String key() default "";

	/**
	 * Number of calls per window, above zero. Must be set here or in the properties.
	 */
	long limit() default 0;

	/**
	 * The limit as text, for placeholders: {@code "${orders.limit:100}"}. Used if
	 * {@link #limit()} is not set.
	 */
	String limitString() default "";

	/**
	 * Length of the window, such as {@code "10s"}, {@code "1m"} or {@code "PT1H"}, at
	 * least a millisecond. Default one minute.
	 */
	String window() default "";

	/**
	 * Algorithm that counts permits.
	 */
	RateLimitAlgorithm algorithm() default RateLimitAlgorithm.SLIDING_WINDOW;

	/**
	 * Calls that {@link RateLimitAlgorithm#TOKEN_BUCKET} admits at once after a pause.
	 * Default the limit. Refused for other algorithms, unless it is the limit.
	 */
	long burst() default 0;

	/**
	 * SpEL expression for the number of permits a call takes, such as
	 * {@code "#rows.size()"}, or the number itself. Zero takes none and is refused only
	 * if an operator has blocked the key. More than the limit (or burst) can never pass
	 * and throws {@link RateLimitCostException}, as do {@code null}, fractions and
	 * negative numbers; a number written here is checked at startup. Default one.
	 */
	String cost() default "";

	/**
	 * The longest time that a call waits for permits, such as {@code "2s"}. Permits are
	 * granted in the order of requests by one script call each; a call that would have to
	 * wait longer is refused at once. The granted instants are counted; a call begins at
	 * its instant or later. At most one hour, and 60 windows of a
	 * {@link RateLimitAlgorithm#SLIDING_WINDOW_COUNTER}. Default not at all.
	 */
	String waitTime() default "";

	/**
	 * Whether the limit only counts and reports, and never refuses. Also for all limits
	 * by {@code ge.redis.rate-limit.shadow}.
	 * @return whether it is a trial
	 */
	boolean shadow() default false;

	/**
	 * Exceptions of the method, subclasses included, after which the permits of the call
	 * are refunded. A call is charged as one. If a method has several annotations and one
	 * of them names the exception, the permits of all are refunded. Does not wait for
	 * Redis. Default none.
	 */
	Class<? extends Throwable>[] refundOn() default {};

	/**
	 * Behaviour if the key evaluates to {@code null}, blank text or an empty list. A list
	 * with such an element is an error always. Refused without a {@link #key()}.
	 */
	OnEmptyKey onEmptyKey() default OnEmptyKey.ERROR;

	/**
	 * Method of the same class that answers refused calls: the same parameters,
	 * optionally followed by a {@link RateLimitExceededException}, and a fitting return
	 * type. Default none: the exception is thrown. Not called while Redis is unavailable.
	 */
	String fallback() default "";

	/**
	 * Outage policy. {@code LOCAL} enforces on each instance the limit divided by the
	 * last known number of instances, rounded down, at least one. Default
	 * {@code ge.redis.rate-limit.on-outage}.
	 */
	OutagePolicy onOutage() default OutagePolicy.DEFAULT;

	/**
	 * Holds repeated annotations.
	 */
	@Target({ ElementType.METHOD, ElementType.TYPE })
	@Retention(RetentionPolicy.RUNTIME)
	@Inherited
	@Documented
	@interface List {

		/**
		 * The limits.
		 */
		RateLimited[] value();

	}

}
