// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.instance;

/**
 * Something an application under test can do when asked. A bean of this type is called by
 * its name through {@link Instance#call}.
 */
@FunctionalInterface
public interface Operation {

	/**
	 * Does it, on a thread of its own.
	 * @param arguments what the caller has passed
	 * @return what the caller receives
	 * @throws Exception whatever goes wrong; the caller receives its class name and
	 * message in an {@link InstanceCallException}
	 */
	String run(String... arguments) throws Exception;

}
