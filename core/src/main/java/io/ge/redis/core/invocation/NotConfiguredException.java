/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.invocation;

import io.ge.redis.GeRedisException;
import io.ge.redis.Refusal;

/**
 * A stream, queue or channel is used that is not in the properties. Over HTTP a 404.
 */
public class NotConfiguredException extends GeRedisException {

	/**
	 * Creates an exception.
	 * @param what what it would be, such as {@code queue}
	 * @param remedy says what to write
	 */
	public NotConfiguredException(String what, String name, String remedy) {
		super("There is no " + what + " '" + name + "'. " + remedy, false);
	}

	@Override
	public Refusal refusal() {
		return Refusal.of(404, "not-configured", "Not found", "There is nothing of that name.");
	}

	/**
	 * Returns what to write, for this exception and for the refusal of a listener.
	 * @param properties where such things are configured, such as
	 * {@code ge.redis.queue.queues}
	 * @param example a property of one with its value
	 */
	public static String remedy(String properties, String name, String example) {
		String key = name.contains(".") ? "[" + name + "]" : name;
		return "Configure it, such as with " + properties + "." + key + "." + example + ", or correct the name.";
	}

}
