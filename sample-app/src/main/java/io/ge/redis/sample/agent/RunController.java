// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.agent;

import io.ge.redis.lock.DistributedLock;
import io.ge.redis.lock.FencingToken;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * Runs agents, each at most once at a time, on whatever instance.
 */
@RestController
class RunController {

	private static final long LONGEST_MILLIS = 60_000;

	private final RunRecorder recorder;

	RunController(RunRecorder recorder) {
		this.recorder = recorder;
	}

	/**
	 * The lock belongs to the agent and is held while the method runs, however long that
	 * is. A caller who does not get it at once gets a 409. The token comes from the lock,
	 * never from the request, and is greater than that of every earlier run.
	 */
	@PostMapping("/api/agents/{agent}/run")
	@DistributedLock(name = "agent-execution", key = "#agent", waitTime = "0s")
	Run run(@PathVariable String agent, @RequestParam(defaultValue = "500") long millis, @FencingToken long token) {
		if (millis < 0 || millis > LONGEST_MILLIS) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "millis must be 0 to " + LONGEST_MILLIS);
		}
		this.recorder.enter(agent, token);
		try {
			work(millis);
		}
		finally {
			this.recorder.leave(agent, token);
		}
		return new Run(agent, token);
	}

	private static void work(long millis) {
		try {
			Thread.sleep(millis);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	record Run(String agent, long fencingToken) {

	}

}
