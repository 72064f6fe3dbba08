// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.stream;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.aot.hint.annotation.Reflective;

/**
 * Calls a method with the messages of a stream, as a member of a group: each message goes
 * to one instance of the group.
 * <p>
 * Delivery is at least once. A message is acknowledged after the method has returned, or
 * its future or publisher has completed. If that fails it is delivered again after a
 * pause, and becomes a dead letter after {@code max-deliveries}, which also counts
 * deliveries to instances that died. {@link io.ge.redis.NotRetryableException} makes it a
 * dead letter at once.
 * <p>
 * The method takes the payload by its declared type, or a {@link StreamEnvelope} of it.
 * Further parameters are optional: the headers as a {@code Map<String, String>}, an
 * {@code int} with {@link io.ge.redis.DeliveryAttempt}, and an
 * {@link io.ge.redis.Acknowledgment}. A listener of dead letters takes a
 * {@link DeadLetter}.
 * <p>
 * Redis: one script call for each batch that is taken, with its bodies, and one for up to
 * 256 acknowledgements.
 */
@Target({ ElementType.METHOD, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
public @interface RedisStreamListener {

	/**
	 * The name of a definition below {@code ge.redis.stream.definitions}. Of a family the
	 * method gets the messages of all its streams.
	 */
	String stream();

	/**
	 * The name of a group of the definition; may be left out if there is only one. For
	 * dead letters any name.
	 */
	String group() default "";

	/**
	 * Number of calls that run at the same time on this instance, instead of the group's
	 * {@code concurrency}.
	 */
	String concurrency() default "";

	/**
	 * Whether the method takes a {@code List}, of at most the group's {@code batch-size}.
	 * An exception is a failure of all.
	 */
	boolean batch() default false;

	/**
	 * Whether only the method's {@code Acknowledgment} settles a message. One that is
	 * neither acknowledged nor rejected within {@code min-idle} after the method has
	 * returned is delivered again.
	 */
	boolean manual() default false;

	/**
	 * Whether it starts with the application, else by {@code Consumers.start}. The
	 * property {@code auto-startup} wins.
	 */
	boolean autoStartup() default true;

	/**
	 * Start of a group that does not exist yet. The group's property {@code start} takes
	 * precedence.
	 */
	Start start() default Start.EARLIEST;

	/**
	 * Whether the method gets the dead letters of the stream instead of its messages.
	 * They stay in the list for a replay.
	 */
	boolean deadLetters() default false;

	/**
	 * The first message of a new group.
	 */
	enum Start {

		/** The oldest one that the stream has kept. */
		EARLIEST,

		/** The first one that is published after the listener has begun to take. */
		LATEST

	}

}
