// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.call;

import io.ge.redis.GeRedisException;

/**
 * A guarded method has returned a result whose work continues, although its type shows a
 * value: the guarding ends before the work.
 */
public final class OngoingResultException extends GeRedisException {

	private final Class<?> type;

	OngoingResultException(Class<?> type) {
		super("A guarded method has returned a " + type.getSimpleName()
				+ ", whose work continues after the guarding has ended");
		this.type = type;
	}

	/**
	 * Returns the class of the result whose work continues.
	 */
	public Class<?> type() {
		return this.type;
	}

}
