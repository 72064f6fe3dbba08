/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import java.util.List;

/**
 * Types that handlers may have to do with, and that are no values.
 */
interface HandlerResults {

	/**
	 * Returns those whose response is written after the handler has returned.
	 */
	List<Class<?>> late();

	/**
	 * Returns what to write instead of those.
	 */
	String remedy();

	/**
	 * Returns those that say how the response is made.
	 */
	List<Class<?>> noValue();

	/**
	 * Returns those to which a handler writes the response itself.
	 */
	List<Class<?>> written();

}
