// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.ge.redis.core.outage.OutagePolicy;

import org.springframework.aot.hint.annotation.Reflective;

/**
 * Lets one call at a time run, over all instances of the application.
 * <p>
 * The lock is taken before a transaction of the same method begins and released after it
 * has completed; taken inside a transaction of the caller, it is kept until that one has
 * completed. It is extended while the method runs. A call that does not get it does not
 * run and throws {@link LockNotAcquiredException}, over HTTP a 409. Entering again by the
 * same call chain with the same key needs no command.
 * <p>
 * A lock can be lost while the method runs: the instance was paused, or Redis was
 * unavailable for longer than the lease, or lost its data. {@link LockLostEvent} and
 * {@link LockHandle#isValid()} report the loss. As long as Redis keeps its data they do
 * so before it can give the lock to another. Where a late write would do harm, let the
 * resource compare the {@linkplain FencingToken fencing token}, which rises with every
 * owner.
 * <p>
 * The method may return a future or a publisher, or be a suspending function; then no
 * thread waits for the lock. The lock is requested when the method is called, or at each
 * subscription to its publisher. The method is called when the lock is held. The lock is
 * released before the result is passed on, or before the end of several values.
 * Cancelling releases it, except for work that continues: the future of a method that
 * ignores the cancellation, and a transaction that keeps the lock. Calls inside enter it
 * again on the thread that calls the method, and along the context of the subscriber; so
 * does all work that the method starts on that thread before it returns.
 * <p>
 * Cost: two script calls, two round trips, token included; a nested entry costs nothing.
 * A call that waits asks Redis at most once a second and is woken by a message. Keys are
 * {@code prefix:lock:{name:key}} with the lease as TTL, the last token, which is kept for
 * a day, and a queue of seconds while others wait.
 * <p>
 * Every setting can be overridden under {@code ge.redis.lock.locks.<name>}, which wins
 * over the annotation. While Redis is unavailable {@link #onOutage()} applies.
 */
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@Reflective
public @interface DistributedLock {

	/**
	 * Name of the lock. The same name and key are one lock wherever they are used.
	 * Default {@code SimpleClassName.methodName}.
	 */
	String name() default "";

	/**
	 * SpEL expression for the key of the lock, such as {@code "#order.id"}. {@code null}
	 * or blank values are refused. Default: one lock for all calls.
	 */
	String key() default "";

	/**
	 * SpEL expression for several keys that are locked together, such as
	 * {@code "#transfer.accounts"}: a collection or an array that is not empty. All are
	 * held while the method runs, or none: they are taken one after the other, in an
	 * order that is the same everywhere, within one wait time. Each is the lock of its
	 * key, so {@code key} and {@code keys} of one name exclude each other. Replaces
	 * {@link #key()}.
	 * <p>
	 * A {@link FencingToken} parameter receives the token of the first key in that order,
	 * which orders only the holders of that key. A resource compares the token of its own
	 * key: {@link MultiLockHandle#token(Object)} of the handle that
	 * {@link LockContext#current()} returns.
	 * <p>
	 * Cost: for n keys 2n script calls in n + 1 round trips.
	 */
	String keys() default "";

	/**
	 * Longest wait for the lock, such as {@code "2s"}; one budget for everything.
	 * {@code "0s"} asks once. Default {@code ge.redis.lock.wait-time}, else {@code "0s"}.
	 */
	String waitTime() default "";

	/**
	 * Time for which the lock stays with an instance that died, at least 100 ms. Should
	 * be above the longest pause of the garbage collector. Default
	 * {@code ge.redis.lock.lease-time}, else {@code "30s"}.
	 */
	String leaseTime() default "";

	/**
	 * Whether the lease is extended every third of it while the method runs. If not, the
	 * lock is lost when the lease has passed; refused at startup for methods that publish
	 * many values, which may take as long as they like.
	 * @return whether to extend
	 */
	boolean renew() default true;

	/**
	 * Longest time for which the lease is extended, such as {@code "10m"}, so that a
	 * method that hangs does not hold the lock for ever: then it is lost. Not below the
	 * lease time. Default: no limit.
	 */
	String maxHold() default "";

	/**
	 * Shortest time for which the lock stays taken, such as {@code "30s"}, also if the
	 * method has returned or thrown before. For scheduled methods that run on every
	 * instance at about the same time: the one that comes later finds the lock taken.
	 * Default {@code "0s"}.
	 */
	String atLeastFor() default "";

	/**
	 * Reaction to the loss of the lock while the holder is at work; at most one. Default
	 * {@code ge.redis.lock.on-lost}, else {@link OnLost#VETO_COMMIT}.
	 */
	OnLost[] onLost() default {};

	/**
	 * Mode of sharing: {@code READ} any number, {@code WRITE} one alone. Methods that
	 * read and methods that write have the same name and keys, and the same settings
	 * otherwise; a name that is for reading and writing at one place is so everywhere. A
	 * writer waits for earlier callers, not for readers that come later. A writer may
	 * enter the lock again to read. A reader that enters it again to write would wait for
	 * itself and gets an {@link IllegalStateException}. A {@link FencingToken} of a
	 * reader is refused at startup, since it cannot tell readers from each other.
	 * <p>
	 * Cost: as for one holder at a time, but each call of an instance asks Redis for
	 * itself.
	 */
	LockMode mode() default LockMode.EXCLUSIVE;

	/**
	 * Number of calls that may hold the lock together, 1 to 1,000,000. While instances
	 * have different settings above 1 the smaller number counts. Not for reading and
	 * writing, and from 2 on not with a {@link FencingToken}: refused at startup. Costs
	 * as {@link #mode()}.
	 */
	int permits() default 1;

	/**
	 * Behaviour of a call that does not get the lock.
	 */
	OnNotAcquired onNotAcquired() default OnNotAcquired.THROW;

	/**
	 * Method of the same class that replaces a call that did not get the lock, for
	 * {@link OnNotAcquired#FALLBACK}: the same parameters, optionally followed by a
	 * {@link LockNotAcquiredException}, and a fitting return type. Not called while Redis
	 * is unavailable.
	 */
	String fallback() default "";

	/**
	 * Outage policy: {@code DENY}, or {@code ALLOW}, which runs the method without a
	 * lock, with an invalid handle and the fencing token 0. Default
	 * {@code ge.redis.lock.on-outage}.
	 */
	OutagePolicy onOutage() default OutagePolicy.DEFAULT;

}
