// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.trigger;

import io.ge.redis.sample.Simulation;
import io.ge.redis.stream.RedisStreamListener;
import io.ge.redis.stream.StreamEnvelope;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;

/**
 * Works on triggers, on whichever instance gets them. Nothing in here knows about
 * acknowledgements, retries or dead letters: a trigger is done when the method returns.
 */
@Component
class TriggeredAgent {

	private final CompletedWork completed;

	TriggeredAgent(CompletedWork completed) {
		this.completed = completed;
	}

	/**
	 * May be called again for a trigger that was worked on: the instance may have died
	 * before it could say so. So what it writes, it writes once. The switch for agents
	 * starts it.
	 */
	@RedisStreamListener(stream = Trigger.STREAM, autoStartup = false)
	void work(StreamEnvelope<Trigger> trigger) {
		Simulation.work(trigger.reason(), trigger.attempt());
		this.completed.add(workItem(trigger.workItem()), trigger.payload().agent(), trigger.attempt());
	}

	private static String workItem(@Nullable String workItem) {
		return (workItem != null) ? workItem : "";
	}

}
