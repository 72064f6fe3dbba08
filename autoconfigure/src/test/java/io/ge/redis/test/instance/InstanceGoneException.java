// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.instance;

/**
 * The process of an instance has ended, so a call got no answer: what it asked for may
 * have happened or not.
 */
public class InstanceGoneException extends RuntimeException {

	InstanceGoneException(String instance) {
		super(instance + " has ended");
	}

}
