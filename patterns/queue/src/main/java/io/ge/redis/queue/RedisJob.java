// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.queue;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.aot.hint.annotation.Reflective;

/**
 * Calls a method with the jobs of a queue: each job goes to one instance, and is done at
 * least once.
 * <p>
 * A job ends after the method has returned, or its future or publisher has completed. If
 * that fails the job runs again after a pause, and becomes a dead letter after
 * {@code max-attempts}, which also counts attempts of instances that died.
 * {@link io.ge.redis.NotRetryableException} makes it a dead letter at once.
 * <p>
 * The method takes the payload by its declared type, or a {@link Job} of it. Optional
 * parameters are an {@code int} with {@link io.ge.redis.DeliveryAttempt} and an
 * {@link io.ge.redis.Acknowledgment}.
 * <p>
 * Redis: one script call for the jobs that are taken together, and one for up to 256 that
 * have ended. For all that run, one every third of {@code visibility-timeout}.
 */
@Target({ ElementType.METHOD, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
public @interface RedisJob {

	/**
	 * The name of a queue below {@code ge.redis.queue.queues}.
	 */
	String queue();

	/**
	 * Whether it starts with the application, else by {@code Consumers.start}. The
	 * property {@code auto-startup} takes precedence.
	 */
	boolean autoStartup() default true;

}
