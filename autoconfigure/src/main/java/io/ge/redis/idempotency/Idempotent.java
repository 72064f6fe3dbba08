/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.ge.redis.core.outage.OutagePolicy;

import org.springframework.aot.hint.annotation.Reflective;

/**
 * Lets a method have its effect once per key, and gives repetitions the first result.
 * <p>
 * The first call with a key claims it, runs, and stores its result. A repetition
 * <ul>
 * <li>after it gets the stored result, without running;</li>
 * <li>while it runs is refused with {@link IdempotencyInFlightException}, over HTTP a
 * 409;</li>
 * <li>with another payload is refused with {@link IdempotencyMismatchException}, a
 * 422;</li>
 * <li>of a call whose outcome nobody knows is refused with
 * {@link OutcomeUnknownException}, a 409;</li>
 * <li>of a call whose result was not kept is refused with {@link ResponseLostException},
 * a 409.</li>
 * </ul>
 * A call that fails frees its key only if nothing was committed: if every transaction
 * that was begun in it was rolled back, or if it was refused before the method was
 * reached. If one was committed, the outcome is unknown. If none was begun,
 * {@link #onFailureWithoutTransaction()} decides. Within a transaction of the caller the
 * result is stored when that has committed, and the key freed when it has rolled back.
 * Only transactions of Spring's transaction managers on the thread of the call are seen.
 * Read-only ones do not count.
 * <p>
 * The claim is a lease that is prolonged while the method runs. When it has ended, the
 * next call is refused as in flight once more, and for 3 seconds from then on, or the
 * lease if that is shorter, the owner can still come back if it was only cut off from
 * Redis. After that a call runs the method again. So if the process has died, the effect
 * is at least once; a process that was paused, or cut off, for longer than that cannot
 * store its result any more, but its effect stands.
 * <p>
 * Cost: two script calls for a first call, one for a repetition, each one round trip; one
 * more per third of the lease while the method runs. One hash
 * {@code prefix:idempotency:{name:scope:key}:1}, in which the key is hashed, with a TTL
 * of {@link #ttl()} after the last transition. Results are stored as JSON by the return
 * type of the method, without class names; a result that is larger than
 * {@code ge.redis.idempotency.max-result-size}, or that does not read back as what it
 * was, is not kept. On web handlers a {@code ResponseEntity} is kept with its status, its
 * body and the headers that describe the content, and a replayed response carries
 * {@code Idempotent-Replayed: true}; what a handler writes to the response itself is not
 * kept.
 */
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@Reflective
public @interface Idempotent {

	/**
	 * Name of the operation. Keys of different operations are independent. Default
	 * {@code SimpleClassName.methodName}.
	 * @return the name
	 */
	String name() default "";

	/**
	 * SpEL expression for the key, such as {@code "#message.id"}: text, a number, or a
	 * list of those, each of 1 to 255 characters. Default on web handlers the request
	 * header {@code Idempotency-Key}; everywhere else it must be given.
	 * @return the expression
	 */
	String key() default "";

	/**
	 * How long a result is kept, counted from the end of the call, such as {@code "24h"}.
	 * Not below the lease. Default {@code ge.redis.idempotency.ttl}, 24 hours.
	 * @return the retention
	 */
	String ttl() default "";

	/**
	 * How long a claim outlives the process that made it, such as {@code "30s"}, at least
	 * 100 milliseconds; see above for what follows it. Prolonged at every third while the
	 * method runs. Default {@code ge.redis.idempotency.lease}, 30 seconds.
	 * @return the lease
	 */
	String lease() default "";

	/**
	 * SpEL expression for what must be equal in a repetition, such as {@code "#order"}.
	 * Compared as the SHA-256 of its fields. Default all arguments; on web handlers the
	 * HTTP method, the route and the arguments that are bound from path, parameters and
	 * body.
	 * @return the expression
	 */
	String fingerprint() default "";

	/**
	 * Who shares the keys.
	 * @return the scope
	 */
	IdempotencyScope scope() default IdempotencyScope.PRINCIPAL;

	/**
	 * Whether a call without a key is refused, with {@link IdempotencyKeyException}, over
	 * HTTP a 400. If not, it runs unprotected.
	 * @return whether a key is required
	 */
	boolean required() default true;

	/**
	 * What a failed call leaves behind if no transaction was begun in it.
	 * @return the policy
	 */
	FailureWithoutTransaction onFailureWithoutTransaction() default FailureWithoutTransaction.UNKNOWN;

	/**
	 * What happens while Redis is away: {@code DENY} refuses the call, over HTTP a 503,
	 * {@code ALLOW} runs it unprotected. Default {@code ge.redis.idempotency.on-outage},
	 * DENY.
	 * @return the policy
	 */
	OutagePolicy onOutage() default OutagePolicy.DEFAULT;

}
