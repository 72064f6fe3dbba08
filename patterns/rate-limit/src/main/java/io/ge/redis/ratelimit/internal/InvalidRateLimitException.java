// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

/**
 * Settings of a limit that cannot work, with what to write instead.
 */
final class InvalidRateLimitException extends IllegalArgumentException {

	private static final long serialVersionUID = 1L;

	private final String problem;

	private final String remedy;

	InvalidRateLimitException(String problem, String remedy) {
		super(problem + " " + remedy);
		this.problem = problem;
		this.remedy = remedy;
	}

	public String problem() {
		return this.problem;
	}

	public String remedy() {
		return this.remedy;
	}

}
