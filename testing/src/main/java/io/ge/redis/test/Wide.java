// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.Tag;

/**
 * A test of the wide run, {@code mvn verify -Pwide}: a promise that the first run proves
 * on one server through one driver, proved again on another server, driver or topology or
 * under a further fault.
 */
@Documented
@Tag(Wide.TAG)
@net.jqwik.api.Tag(Wide.TAG)
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
public @interface Wide {

	/**
	 * The tag by which the build excludes tests from the first run.
	 */
	String TAG = "wide";

	/**
	 * Whether this is the wide run, for a test whose size depends on it.
	 */
	boolean RUN = Boolean.getBoolean("ge.test.wide");

}
