// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.bulkhead;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Limits the calls that are at work at the same time, on all instances together.
 */
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
public @interface Bulkhead {

	/** Shared by all methods that use the same name. */
	String name() default "";

	/** What has a limit of its own, as SpEL. */
	String key() default "";

	/** Concurrent calls. */
	String limit() default "";

}
