// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit;

import io.ge.redis.GeRedisException;

/**
 * A limit cannot be changed in the way that was asked for. Nothing has changed.
 */
public class RateLimitChangeException extends GeRedisException {

	private static final long serialVersionUID = 1L;

	private final String setting;

	private final String problem;

	private final String remedy;

	/**
	 * Creates an exception.
	 * @param setting the setting that cannot be changed so
	 * @param problem the reason
	 * @param remedy the values that are possible
	 */
	public RateLimitChangeException(String setting, String problem, String remedy) {
		super(problem + " " + remedy);
		this.setting = setting;
		this.problem = problem;
		this.remedy = remedy;
	}

	/**
	 * Returns the setting that is wrong.
	 * @return the name of the setting, such as {@code limit} or {@code key}
	 */
	public String setting() {
		return this.setting;
	}

	/**
	 * Returns what is wrong.
	 */
	public String problem() {
		return this.problem;
	}

	/**
	 * Returns what to write instead.
	 */
	public String remedy() {
		return this.remedy;
	}

}
