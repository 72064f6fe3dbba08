// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.job;

import java.time.Duration;

import io.ge.redis.queue.JobOptions;
import io.ge.redis.queue.JobQueue;
import io.ge.redis.queue.JobStatus;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * Takes jobs, and tells what became of them.
 */
@RestController
class JobController {

	private final JobQueue jobs;

	JobController(JobQueue jobs) {
		this.jobs = jobs;
	}

	@PostMapping("/api/jobs")
	@ResponseStatus(HttpStatus.ACCEPTED)
	AcceptedJob enqueue(@RequestBody JobRequest request) {
		return new AcceptedJob(
				this.jobs.enqueue(Work.QUEUE, new Work(request.type(), request.payload()), options(request)).id());
	}

	private static JobOptions options(JobRequest request) {
		try {
			JobOptions options = JobOptions.defaults();
			if (request.priority() != null) {
				options = options.priority(request.priority());
			}
			if (request.delayMillis() != null) {
				options = options.delay(Duration.ofMillis(request.delayMillis()));
			}
			return options;
		}
		catch (IllegalArgumentException ex) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST, ex.getMessage());
		}
	}

	@GetMapping("/api/jobs/{id}")
	JobAnswer status(@PathVariable String id) {
		JobStatus status = this.jobs.status(Work.QUEUE, id);
		if (status.state() == JobStatus.State.UNKNOWN) {
			throw new ResponseStatusException(HttpStatus.NOT_FOUND, "There is no such job");
		}
		return new JobAnswer(status.id(), status.state().text(), status.attempts(), status.result());
	}

	/**
	 * A request.
	 *
	 * @param type what is to be done
	 * @param payload any JSON value, or none
	 * @param priority from 0 to 9, the highest first; that of the queue if there is none
	 * @param delayMillis time before which it is not done, or none
	 */
	record JobRequest(String type, @Nullable JsonNode payload, @Nullable Integer priority, @Nullable Long delayMillis) {

		JobRequest {
			requireType(type);
		}

		private static void requireType(@Nullable String type) {
			if (type == null || type.isBlank()) {
				throw new IllegalArgumentException("A type is needed");
			}
		}

	}

	record AcceptedJob(String id) {

	}

	record JobAnswer(String id, String status, int attempts, @Nullable JsonNode result) {

	}

}
