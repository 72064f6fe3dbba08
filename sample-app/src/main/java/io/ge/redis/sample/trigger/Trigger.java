// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.trigger;

/**
 * The payload of a trigger. What it is about goes with the message.
 *
 * @param team the agent's team
 * @param agent the agent
 */
record Trigger(String team, String agent) {

	/** The name of the definition in {@code application.yml}. */
	static final String STREAM = "triggers";

}
