// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.webflux;

import java.time.Duration;

import io.ge.redis.lock.DistributedLock;
import io.ge.redis.lock.FencingToken;
import reactor.core.publisher.Mono;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * Runs agents, one run at a time for each.
 */
@RestController
class RunController {

	private static final long LONGEST_MILLIS = 60_000;

	/**
	 * The lock belongs to the agent and is held until the answer is there; no thread
	 * waits meanwhile. It is given up before the answer is sent. A caller who does not
	 * get it at once gets a 409. The token comes from the lock, never from the request,
	 * and is greater than that of every earlier run.
	 */
	@PostMapping("/api/agents/{agent}/run")
	@DistributedLock(name = "agent-execution", key = "#agent", waitTime = "0s")
	Mono<Run> run(@PathVariable String agent, @RequestParam(defaultValue = "500") long millis,
			@FencingToken long token) {
		if (millis < 0 || millis > LONGEST_MILLIS) {
			return Mono
				.error(new ResponseStatusException(HttpStatus.BAD_REQUEST, "millis must be 0 to " + LONGEST_MILLIS));
		}
		return Mono.delay(Duration.ofMillis(millis)).thenReturn(new Run(agent, token));
	}

	record Run(String agent, long fencingToken) {

	}

}
