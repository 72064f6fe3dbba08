// SPDX-License-Identifier: Apache-2.0

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
 * 409, or waits, see {@link #onDuplicate()};</li>
 * <li>with another payload is refused with {@link IdempotencyMismatchException}, a
 * 422;</li>
 * <li>of a call of unknown outcome is refused with {@link OutcomeUnknownException}, a
 * 409;</li>
 * <li>of a call whose result was not kept is refused with {@link ResponseLostException},
 * a 409.</li>
 * </ul>
 * A call that fails frees its key only if nothing was committed: if every transaction
 * that was begun in it was rolled back, or if it was refused before the method was
 * reached. If one was committed, the outcome is unknown. If none was begun,
 * {@link #onFailureWithoutTransaction()} decides. Within a transaction of the caller the
 * result is stored after its commit, and the key is freed after its rollback. Only
 * transactions of Spring's transaction managers on the thread of the call are seen.
 * Read-only ones do not count.
 * <p>
 * Methods may return futures or publishers, or be suspending functions. All of this then
 * holds from the call, or the subscription, until the result is complete. The result is
 * passed on when it is stored, and nothing waits on a thread. Several values are passed
 * on and kept one by one. Reactive transactions decide like transactions of threads: the
 * transaction of the subscriber, the one that advice has begun around the method, and
 * those that the method begins while it is subscribed to. Cancelling before the method
 * has begun frees the key. Cancelling afterwards counts as a failure that
 * {@link FailureWithoutTransaction#RELEASE} does not cover, since the method may still
 * run.
 * <p>
 * The claim is a lease that is prolonged while the method runs. When it has ended, the
 * next call is still refused as in flight. For 3 seconds from then on, or for the lease
 * if that is shorter, an owner that was only cut off from Redis can continue. After that
 * a call runs the method again. So if the process has died, the effect is at least once.
 * A process that was paused, or cut off, for longer than that cannot store its result any
 * more, but its effect remains. {@link IdempotencyContext} has a fence by which a
 * resource can distinguish such calls.
 * <p>
 * With transactional records ({@code ge.redis.idempotency.witness}) the effect of a
 * transaction is exactly once: a row in the table {@code ge_idempotency} is written in
 * the same transaction, and at most one row of a key is committed. A call that finds the
 * effect committed returns the result of that row, or of {@link #recover()}. A second
 * transaction with the effect is rolled back. Asynchronous methods have no such record.
 * <p>
 * Cost, in script calls of one round trip: two for a first call, one for a repetition,
 * and one per third of the lease while the method runs. A repetition in the instance
 * where the first call runs costs none. With transactional records one insert for a first
 * call, and one query for a call that fails, or whose predecessor never completed. One
 * hash {@code prefix:idempotency:{name:scope:key}:1}, in which the key is hashed, with a
 * TTL of {@link #ttl()} after the last transition. Results are stored as JSON by the
 * return type of the method, without class names; a result that is larger than
 * {@code ge.redis.idempotency.max-result-size}, or that does not read back as an equal
 * one, is not kept.
 * <p>
 * The response of a web handler is kept as it was sent: the status, the headers that
 * describe the content, and the bytes of the body. The body may come from the returned
 * value, from a view, or from the answer to an exception. It is held back until it is
 * kept, and repetitions get the same bytes, with {@code Idempotent-Replayed: true}. The
 * status decides. If the method has returned, 401, 403, 408, 409, 425, 429 and 503 free
 * the key unless something was committed. Other errors of the server are failures of the
 * call, and everything else is kept. If it has thrown, other errors of the client are
 * kept, and everything else is a failure of the call. If the response could not be
 * rendered after the method had returned, its value is kept, and rendered again for
 * repetitions. Handlers that are called by other code, and all other methods, have their
 * value kept.
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
	 * Time for which a result is kept, counted from the end of the call, such as
	 * {@code "24h"}. Not below the lease. Default {@code ge.redis.idempotency.ttl}, 24
	 * hours.
	 * @return the retention
	 */
	String ttl() default "";

	/**
	 * Time for which a claim outlives the process that made it, such as {@code "30s"}, at
	 * least 100 milliseconds; see above for what follows it. Prolonged at every third
	 * while the method runs. Default {@code ge.redis.idempotency.lease}, 30 seconds.
	 * @return the lease
	 */
	String lease() default "";

	/**
	 * SpEL expression for what must be equal in a repetition, such as {@code "#order"}.
	 * Compared as the SHA-256 of its fields. Default all arguments; on web handlers the
	 * HTTP method, the path, the parameters and the bytes of the body, or of the parts of
	 * a multipart request. The part of the body that the handler has not read when the
	 * key is claimed is kept in memory for it, up to
	 * {@code ge.redis.idempotency.max-unread-body-size}; more is refused with a 413.
	 * @return the expression
	 */
	String fingerprint() default "";

	/**
	 * Scope in which callers share keys.
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
	 * Behaviour of a repetition while the first call runs. Waiting takes at most
	 * {@code ge.redis.idempotency.wait-timeout}, 5 seconds by default, and is ended by a
	 * message from the first call, or by an interrupt. In the instance of the first call
	 * it costs nothing. In another one it costs a script call at first, at each wake-up,
	 * and once a second.
	 * @return the behaviour
	 */
	OnDuplicate onDuplicate() default OnDuplicate.CONFLICT;

	/**
	 * State of the key after a call that failed without a transaction.
	 * @return the policy
	 */
	FailureWithoutTransaction onFailureWithoutTransaction() default FailureWithoutTransaction.UNKNOWN;

	/**
	 * Exceptions that are an outcome like a result. A call that ends with one of them, or
	 * a subclass, is complete, whether its transaction was committed or rolled back.
	 * Repetitions get the exception again without running. Within a transaction of the
	 * caller that holds only after its commit. The type as named here and the message are
	 * kept, so a subclass comes back as that type, without cause and fields. Each type
	 * must have a constructor that takes the message, or nothing. An exception whose
	 * message would come back different counts as any other failure. On web handlers the
	 * response to it is kept, whatever its status. Default none.
	 * @return the types
	 */
	Class<? extends Exception>[] storeExceptions() default {};

	/**
	 * State of the key if the effect of a failed call is unknown: it failed after a
	 * transaction was committed, or without one and
	 * {@link #onFailureWithoutTransaction()} does not free the key. {@code BLOCK} refuses
	 * repetitions until the {@link #ttl()} ends, {@code RETRY} lets the next one run,
	 * which may have the effect twice.
	 * @return what becomes of it
	 */
	UnknownOutcome onUnknownOutcome() default UnknownOutcome.BLOCK;

	/**
	 * Name of a method that returns what the first call must have returned. It answers
	 * repetitions of a call whose effect is committed but whose result was not kept. It
	 * is in the same class and has the same parameters, optionally followed by a
	 * {@link ResponseLostException}. It is called on the bean itself and each time, so it
	 * must change nothing; its exceptions are thrown to the caller. Default none: such
	 * repetitions are refused.
	 * @return the name
	 */
	String recover() default "";

	/**
	 * Outage policy: {@code DENY} refuses the call, over HTTP a 503, {@code ALLOW} runs
	 * it unprotected. Default {@code ge.redis.idempotency.on-outage}, DENY.
	 * @return the policy
	 */
	OutagePolicy onOutage() default OutagePolicy.DEFAULT;

}
