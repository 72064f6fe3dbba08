/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.guard;

import java.lang.reflect.Modifier;

import org.springframework.core.KotlinDetector;
import org.springframework.util.ClassUtils;

/**
 * Whether classes are open to proxies. Those in Kotlin are not, unless they say so.
 */
final class Openness {

	private Openness() {
	}

	/**
	 * Returns whether no proxy can be made, neither of the class nor of its interfaces.
	 */
	static boolean isClosed(Class<?> type) {
		return Modifier.isFinal(type.getModifiers()) && ClassUtils.getAllInterfacesForClass(type).length == 0;
	}

	/**
	 * Returns what to do about something that is final.
	 */
	static String remedy(Class<?> type) {
		return KotlinDetector.isKotlinType(type)
				? "Mark it open, or let the compiler plugin kotlin-spring open the classes of beans."
				: "Remove the final modifier.";
	}

}
