/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.autoconfigure;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.context.annotation.Conditional;

/**
 * Matches where {@code ge.redis.enabled} or the switch of one of the patterns is off.
 */
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@Conditional(OnSwitchedOffCondition.class)
@interface ConditionalOnSwitchedOff {

	/**
	 * Returns the patterns, as they are called in properties.
	 * @return their names
	 */
	String[] value() default {};

}
