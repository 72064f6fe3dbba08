// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.broadcast;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.aot.hint.annotation.Reflective;

/**
 * Calls a method on every instance with the messages of a channel.
 * <p>
 * A <em>reliable</em> channel delivers each message that is published while the
 * application runs, one after the other and in order. That includes messages of an outage
 * that are still kept. A sticky channel begins with its last message. A method that fails
 * is called again after a pause; after {@code max-attempts} the message is skipped.
 * <p>
 * An <em>ephemeral</em> channel delivers each message once, and only while this instance
 * is connected.
 * <p>
 * The method takes the payload by its declared type or a {@link BroadcastMessage} of it.
 * <p>
 * Redis: one script call for up to 100 messages, and one each second.
 */
@Target({ ElementType.METHOD, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
public @interface RedisBroadcastListener {

	/**
	 * The name of a channel below {@code ge.redis.broadcast.channels}.
	 */
	String channel();

	/**
	 * A method of the bean with one parameter of type {@code long}. It is called before
	 * the next message with the number of missed ones, or -1 if Redis has lost data.
	 */
	String onGap() default "";

	/**
	 * Whether it starts with the application, else by {@code Consumers.start}. The
	 * property {@code auto-startup} takes precedence.
	 */
	boolean autoStartup() default true;

}
