// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web;

import io.ge.redis.GeRedisException;
import io.ge.redis.Refusal;

/**
 * Changes the HTTP responses to refusals of guards. Beans of this type are asked in
 * order.
 */
@FunctionalInterface
public interface RefusalCustomizer {

	/**
	 * Customizes a refusal.
	 * @param exception the refusing exception
	 * @param refusal its refusal
	 * @return the refusal, or another one made of it
	 */
	Refusal customize(GeRedisException exception, Refusal refusal);

}
