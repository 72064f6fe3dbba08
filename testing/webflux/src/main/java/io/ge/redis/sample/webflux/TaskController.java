// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.webflux;

import java.time.Instant;
import java.util.UUID;

import io.ge.redis.ratelimit.RateLimited;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import tools.jackson.databind.JsonNode;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * Accepts work for agents.
 */
@RestController
class TaskController {

	/**
	 * Decided when the answer is subscribed to, without a thread that waits. A caller
	 * above the limit gets a 429, and this method is not called.
	 */
	@PostMapping("/api/agents/{agent}/tasks")
	@RateLimited(name = "tasks", key = "#agent")
	@ResponseStatus(HttpStatus.ACCEPTED)
	Mono<AcceptedTask> submit(@PathVariable String agent, @RequestBody Task task) {
		return Mono.fromSupplier(() -> new AcceptedTask(UUID.randomUUID(), agent, Instant.now()));
	}

	/**
	 * A piece of work.
	 *
	 * @param workItemId what the caller calls it
	 * @param payload any JSON value, or none
	 */
	record Task(String workItemId, @Nullable JsonNode payload) {

		Task {
			requireId(workItemId);
		}

		private static void requireId(@Nullable String id) {
			if (id == null || id.isBlank()) {
				throw new IllegalArgumentException("A workItemId is needed");
			}
		}

	}

	record AcceptedTask(UUID taskId, String agent, Instant acceptedAt) {

	}

}
