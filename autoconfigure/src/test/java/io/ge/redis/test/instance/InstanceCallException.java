// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.instance;

import org.jspecify.annotations.Nullable;

/**
 * An operation of an instance has thrown.
 */
public class InstanceCallException extends RuntimeException {

	private final String thrown;

	private final @Nullable String thrownMessage;

	InstanceCallException(String instance, String thrown, @Nullable String thrownMessage) {
		super(instance + ": " + thrown + ": " + thrownMessage);
		this.thrown = thrown;
		this.thrownMessage = thrownMessage;
	}

	/**
	 * Whether the operation has thrown an exception of exactly this class.
	 * @param type the class
	 * @return whether
	 */
	public boolean is(Class<? extends Throwable> type) {
		return this.thrown.equals(type.getName());
	}

	/**
	 * The class of what was thrown.
	 * @return the name
	 */
	public String thrown() {
		return this.thrown;
	}

	/**
	 * The message of what was thrown.
	 * @return the message, if it had one
	 */
	public @Nullable String thrownMessage() {
		return this.thrownMessage;
	}

}
