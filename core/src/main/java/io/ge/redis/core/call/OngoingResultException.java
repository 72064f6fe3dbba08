// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.call;

import io.ge.redis.GeRedisException;

/**
 * A guarded method has returned something whose work goes on, where its type shows a
 * value: the guarding ends before that.
 */
public final class OngoingResultException extends GeRedisException {

	private final Class<?> type;

	OngoingResultException(Class<?> type) {
		super("A guarded method has returned a " + type.getSimpleName()
				+ ", whose work goes on after the guarding has ended");
		this.type = type;
	}

	/**
	 * Returns the class of what goes on.
	 */
	public Class<?> type() {
		return this.type;
	}

}
