// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import io.ge.redis.core.endpoint.GuardRequest;
import io.ge.redis.core.endpoint.GuardRequestException;
import io.ge.redis.core.endpoint.GuardResource;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.queue.DeadJob;
import io.ge.redis.queue.EnqueuedJob;
import io.ge.redis.queue.JobStatus;
import io.ge.redis.queue.QueuePattern;
import io.ge.redis.queue.QueueProperties;
import io.ge.redis.queue.QueueView;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;

/**
 * {@code /actuator/geredis/queue} counts the jobs of all queues and shows the settings.
 * {@code /actuator/geredis/queue/<name>} shows one queue, and {@code
 * /actuator/geredis/queue/<name>/<id>} the state of a job, without payload and result. A
 * delete cancels a job that waits, with {@code running=true} also one that is running.
 * {@code
 * /actuator/geredis/queue/<name>/dead-letters} lists the last {@value #MOST} jobs that
 * were given up. A write there with an {@code id} and the action {@code replay} or {@code
 * delete} puts one back into the queue or removes it.
 */
@RegisterReflectionForBinding({ QueuesResource.QueueReport.class, QueuesResource.JobReport.class, DeadJob.class })
class QueuesResource extends GuardResource {

	private static final String RUNNING = "running";

	private static final Pattern LETTER = Pattern.compile("\\d+-\\d+");

	private static final int MOST = 100;

	private final Supplier<QueuePattern> pattern;

	public QueuesResource(Supplier<QueuePattern> pattern) {
		super("queue", "queues");
		this.pattern = pattern;
	}

	@Override
	public Object read(GuardRequest request) {
		request.allowOnly();
		QueuePattern queues = this.pattern.get();
		List<String> path = request.path();
		if (path.isEmpty()) {
			Map<String, QueueReport> all = new TreeMap<>();
			queues.queues().keySet().forEach((queue) -> all.put(queue, report(queue)));
			return all;
		}
		String queue = queue(path);
		if (StreamsResource.isLetters(request)) {
			return Map.of("deadLetters", queues.deadLetters(queue, MOST));
		}
		return (path.size() == 1) ? report(queue) : report(job(queue, path));
	}

	@Override
	public Object write(GuardRequest request) {
		String queue = queue(request.path());
		return StreamsResource.onLetter(request, "queue", (id) -> LETTER.matcher(id).matches() && replay(queue, id),
				(id) -> LETTER.matcher(id).matches() && this.pattern.get().deleteDeadLetter(queue, id));
	}

	private boolean replay(String queue, String id) {
		EnqueuedJob job = this.pattern.get().replay(queue, id);
		return job != null && !job.duplicate();
	}

	@Override
	public Object delete(GuardRequest request) {
		request.allowOnly(RUNNING);
		String queue = queue(request.path());
		JobStatus job = job(queue, request.path());
		boolean running = Boolean.parseBoolean(request.text(RUNNING));
		JobStatus.State state = Waiting.await(this.pattern.get().jobQueue().cancelAsync(queue, job.id(), running));
		return new JobReport(job.id(), state, job.attempts(), job.problem());
	}

	private String queue(List<String> path) {
		String queue = path.isEmpty() ? "" : path.get(0);
		Map<String, QueueProperties.Queue> queues = this.pattern.get().queues();
		if (!queues.containsKey(queue) || path.size() > 2) {
			throw GuardRequestException.unknown("There is no queue '" + String.join("/", path) + "'.",
					new TreeMap<>(queues).keySet());
		}
		return queue;
	}

	private JobStatus job(String queue, List<String> path) {
		String id = (path.size() > 1) ? path.get(1) : "";
		JobStatus job = this.pattern.get().jobQueue().status(queue, id);
		if (job.state() == JobStatus.State.UNKNOWN) {
			throw GuardRequestException.notFound("There is no job '" + id + "' in the queue '" + queue + "'.",
					"Give the id of one that was queued within the result-ttl.");
		}
		return job;
	}

	private QueueReport report(String queue) {
		return new QueueReport(this.pattern.get().view(queue), this.pattern.get().queues().get(queue));
	}

	private static JobReport report(JobStatus job) {
		return new JobReport(job.id(), job.state(), job.attempts(), job.problem());
	}

	/**
	 * A queue.
	 *
	 * @param jobs its jobs, counted
	 * @param settings its settings
	 */
	public record QueueReport(QueueView jobs, QueueProperties.@Nullable Queue settings) {
	}

	/**
	 * A job.
	 *
	 * @param id the id
	 * @param state its state
	 * @param attempts how often it has begun
	 * @param problem why it has failed, or {@code null} if it has not
	 */
	public record JobReport(String id, JobStatus.State state, int attempts, @Nullable String problem) {
	}

}
