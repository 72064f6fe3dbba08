// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.queue;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.ge.redis.core.StandIn;
import io.ge.redis.core.outage.Waiting;

/**
 * Puts jobs into the queues that are configured below {@code ge.redis.queue.queues}, and
 * follows them by id. For other queues all methods throw
 * {@link io.ge.redis.core.invocation.NotConfiguredException}.
 * <p>
 * Redis: one script call each, two for a job that could not be cancelled. All keys of a
 * queue are in one slot. A call that ends with
 * {@link io.ge.redis.RedisUnavailableException} may have been executed, and may be
 * repeated for a job with a {@linkplain JobOptions#key(String) key}.
 */
public interface JobQueue {

	/**
	 * Puts a job into a queue.
	 * @param job the payload, written as JSON
	 * @return completes with the id, or exceptionally with {@link QueueFullException} or
	 * {@link io.ge.redis.RedisUnavailableException}
	 */
	CompletableFuture<EnqueuedJob> enqueueAsync(String queue, Object job, JobOptions options);

	/**
	 * Puts several jobs into a queue with one script call, all or none.
	 * @param jobs from 1 to 1000 payloads, with at most 16 times {@code max-payload-size}
	 * together
	 * @param options gives the options of each job, such as a key of its own
	 * @return completes with the ids in the order of the jobs, or exceptionally as
	 * {@link #enqueueAsync}
	 */
	<T> CompletableFuture<List<EnqueuedJob>> enqueueAllAsync(String queue, Collection<T> jobs,
			Function<? super T, JobOptions> options);

	/**
	 * Reads the state of a job.
	 */
	CompletableFuture<JobStatus> statusAsync(String queue, String id);

	/**
	 * Cancels a job.
	 * @param running whether to cancel it also if it runs: its listener continues, but is
	 * no longer {@linkplain io.ge.redis.Acknowledgment#isLeased() leased}, and its result
	 * does not count
	 * @return completes with {@link JobStatus.State#CANCELLED} if the job will not run
	 * any more; with {@link JobStatus.State#RUNNING} if it runs and continues; with
	 * {@link JobStatus.State#UNKNOWN} if it does not exist or has ended
	 */
	CompletableFuture<JobStatus.State> cancelAsync(String queue, String id, boolean running);

	default EnqueuedJob enqueue(String queue, Object job, JobOptions options) {
		return Waiting.await(enqueueAsync(queue, job, options));
	}

	default EnqueuedJob enqueue(String queue, Object job) {
		return enqueue(queue, job, JobOptions.defaults());
	}

	/**
	 * Puts several jobs into a queue, as {@link #enqueueAllAsync}, and waits until they
	 * are there.
	 * @throws QueueFullException if the queue has no room for all of them
	 */
	default <T> List<EnqueuedJob> enqueueAll(String queue, Collection<T> jobs,
			Function<? super T, JobOptions> options) {
		return Waiting.await(enqueueAllAsync(queue, jobs, options));
	}

	default JobStatus status(String queue, String id) {
		return Waiting.await(statusAsync(queue, id));
	}

	/**
	 * Cancels a job unless it runs.
	 */
	default JobStatus.State cancel(String queue, String id) {
		return Waiting.await(cancelAsync(queue, id, false));
	}

	/**
	 * Returns a queue that drops all jobs, for where queues are switched off.
	 */
	static JobQueue unguarded() {
		return StandIn.of(JobQueue.class,
				Map.of("enqueue", (call) -> dropped(), "enqueueAll",
						(call) -> ((Collection<?>) call[1]).stream().map((job) -> dropped()).toList(), "status",
						(call) -> new JobStatus(String.valueOf(call[1]), JobStatus.State.UNKNOWN, 0, null, null),
						"cancel", (call) -> JobStatus.State.UNKNOWN));
	}

	private static EnqueuedJob dropped() {
		return new EnqueuedJob(UUID.randomUUID().toString(), false);
	}

}
