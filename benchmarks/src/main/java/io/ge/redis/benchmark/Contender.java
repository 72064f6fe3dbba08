// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark;

import org.jspecify.annotations.Nullable;

/**
 * One way to do what a scenario is about.
 *
 * @param name what the table calls it
 * @param raw whether it is the script without the library, which the others are compared
 * with
 * @param reference the name of the contender that it is compared with
 * @param action one call
 */
record Contender(String name, boolean raw, String reference, Action action) {

	static final String PING = "PING";

	/**
	 * The smallest thing that can be asked of the server.
	 */
	static Contender ping(RawRedis redis, String reference) {
		return new Contender(PING, false, reference, (key) -> redis.ping());
	}

	/**
	 * The scripts of an annotated method without the library.
	 */
	static Contender raw(String name, Action action) {
		return new Contender(name, true, name, action);
	}

	static Contender of(String name, String reference, Action action) {
		return new Contender(name, false, reference, action);
	}

	/**
	 * One call, also by many threads at a time.
	 */
	@FunctionalInterface
	interface Action {

		@Nullable Object call(String key) throws Exception;

	}

}
