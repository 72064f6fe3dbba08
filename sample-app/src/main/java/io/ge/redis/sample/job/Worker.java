// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.job;

import io.ge.redis.DeliveryAttempt;
import io.ge.redis.queue.RedisJob;
import io.ge.redis.sample.Simulation;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

import org.springframework.stereotype.Component;

/**
 * Does jobs. What it returns can be asked for by the id of the job.
 */
@Component
class Worker {

	@RedisJob(queue = Work.QUEUE)
	@Nullable JsonNode run(Work work, @DeliveryAttempt int attempt) {
		Simulation.work(work.type(), attempt);
		return work.payload();
	}

}
