// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.breaker;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.aot.hint.annotation.Reflective;

/**
 * Refuses calls while what the method calls fails, on all instances together.
 * <p>
 * Each instance has a breaker of its own. The shared circuit opens if more than half of
 * the live instances see failures. So one sick instance opens its own breaker only.
 * Probes are leased over all instances. While Redis is unavailable, each instance decides
 * alone.
 * <p>
 * Cost: no command per call. An instance with calls reports its sums once a second, at
 * most ten times a second while calls fail. Keys {@code prefix:breaker:{name:key}:1} with
 * a TTL of 24 hours, and {@code :1:r} with a TTL of 10 minutes.
 * <p>
 * A refused call throws {@link CircuitOpenException}, over HTTP a 503. Properties
 * {@code ge.redis.breaker.breakers.<name>.*} take precedence over attributes.
 */
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@Reflective
public @interface CircuitBreaker {

	/**
	 * Name of the breaker. The same name and key are one circuit wherever they are used.
	 * Default {@code SimpleClassName.methodName}.
	 */
	String name() default "";

	/**
	 * SpEL expression for what has a circuit of its own, such as {@code "#host"}.
	 * Default: one circuit for all calls.
	 */
	String key() default "";

	/** Share of failures that opens the circuit, in percent. Default 50. */
	String failureRate() default "";

	/**
	 * Share of slow calls that opens the circuit, in percent; needs {@link #slowAfter()}.
	 * Default: slow calls do not count.
	 */
	String slowCallRate() default "";

	/**
	 * Duration from which on a call is slow, such as {@code "2s"}.
	 */
	String slowAfter() default "";

	/**
	 * Span over which calls are counted, besides the last second. At least 1 s, default
	 * 10 s.
	 */
	String window() default "";

	/**
	 * Calls in a span below which the circuit stays closed, of all instances together and
	 * of one for its own breaker. At least 3, default 20.
	 */
	String minimumCalls() default "";

	/**
	 * Time for which the circuit stays open before the first probe. Doubles with each
	 * failed probe, up to the property {@code max-open-for}. Default 10 s.
	 */
	String openFor() default "";

	/**
	 * Probes at the same time over all instances. All of them must succeed to close the
	 * circuit. Default 3.
	 */
	String probes() default "";

	/**
	 * Exceptions that count as failures. Default: all but cancellations, refusals of this
	 * library, and client errors other than 408, 425 and 429 of {@code RestClient} and
	 * {@code WebClient}.
	 */
	Class<? extends Throwable>[] record() default {};

	/** Exceptions that do not count at all, in addition to the default. */
	Class<? extends Throwable>[] ignore() default {};

	/**
	 * Method of the same class that answers refused calls: with the same parameters,
	 * optionally followed by a {@link CircuitOpenException}.
	 */
	String fallback() default "";

	/** Whether calls proceed although the circuit is open, which is counted. */
	boolean shadow() default false;

}
