// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.job;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A job.
 *
 * @param type what is to be done, see {@link io.ge.redis.sample.Simulation}
 * @param payload any JSON value, which is the result, or none
 */
record Work(String type, @Nullable JsonNode payload) {

	/** The name of the queue in {@code application.yml}. */
	static final String QUEUE = "work";

}
