// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.Tag;

/**
 * A test of both runs that is larger in the wide one: it plays more schedules, or more
 * rounds by {@link Wide#RUN}.
 */
@Documented
@Tag(Sized.TAG)
@net.jqwik.api.Tag(Sized.TAG)
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
public @interface Sized {

	/**
	 * The tag by which a build that has been through the first run includes the test.
	 */
	String TAG = "sized";

}
