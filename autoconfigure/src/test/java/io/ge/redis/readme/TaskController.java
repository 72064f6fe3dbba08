/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.readme;

import io.ge.redis.ratelimit.RateLimited;

import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

@RestController
class TaskController {

	private final Tasks tasks = new Tasks();

	// @formatter:off
	@RateLimited(name = "tasks", key = "#agent", limit = 100, window = "1m")
	@PostMapping("/api/agents/{agent}/tasks")
	public Task submit(@PathVariable String agent, @RequestBody NewTask task) {
		return this.tasks.submit(agent, task);
	}
	// @formatter:on

	record Task(String agent, String work) {
	}

	record NewTask(String work) {
	}

	private static final class Tasks {

		Task submit(String agent, NewTask task) {
			return new Task(agent, task.work());
		}

	}

}
