// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.Tag;

/**
 * A test of the first run, {@code mvn verify}, in a class that is {@link Wide} otherwise.
 */
@Documented
@Tag(FirstRun.TAG)
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface FirstRun {

	/**
	 * The tag by which the build includes a test in the first run.
	 */
	String TAG = "first";

}
