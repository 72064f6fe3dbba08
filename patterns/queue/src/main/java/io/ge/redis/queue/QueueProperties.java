// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.queue;

import java.time.Duration;
import java.util.Map;

import io.ge.redis.core.consume.Backoff;
import io.ge.redis.core.invocation.NotConfiguredException;
import io.ge.redis.core.invocation.PropertyChecks;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Job queues in the environment. All instances should agree.
 *
 * @param enabled whether queues are available: jobs are enqueued and run
 * @param connectionFactory name of the connection factory bean to use, if not the
 * application's only or primary one
 * @param queues queues by name
 */
@ConfigurationProperties("ge.redis.queue")
public record QueueProperties(@DefaultValue("true") boolean enabled, @Nullable String connectionFactory,
		@DefaultValue Map<String, Queue> queues) {

	private static final String QUEUES = "ge.redis.queue.queues";

	public QueueProperties {
		PropertyChecks.each(QUEUES, queues, Queue::validate);
	}

	Queue queue(String name) {
		return NotConfiguredException.find(this.queues, "queue", name, QUEUES, "concurrency=4");
	}

	/**
	 * One queue.
	 *
	 * @param concurrency number of jobs that run at the same time on an instance
	 * @param visibilityTimeout time without a heartbeat after which the jobs of an
	 * instance are given to another one; at least 100 ms
	 * @param maxAttempts number of attempts to run a job before it becomes a dead letter
	 * @param backoff delay before a failed job runs again
	 * @param priority priority of jobs that have none of their own, from 0 to 9
	 * @param aging waiting time that counts as one priority, so that low priorities do
	 * not wait for ever; zero for strict order by priority
	 * @param resultTtl time for which the result of a job is kept; of more jobs than
	 * max-length only the last results are
	 * @param dedupWindow time after the end of a job within which a job with the same key
	 * is a duplicate; ends early once max-length jobs have ended since; at most
	 * result-ttl
	 * @param maxLength largest number of jobs in the queue, running ones included
	 * @param maxPayloadSize largest size of a payload as JSON; a job with a larger one is
	 * refused, and a larger result dropped
	 * @param deadLetter jobs that are given up
	 * @param autoStartup whether its listener starts with the application; as the
	 * annotation says if not set
	 */
	public record Queue(@DefaultValue("1") int concurrency, @DefaultValue("30s") Duration visibilityTimeout,
			@DefaultValue("5") int maxAttempts, @DefaultValue Backoff backoff, @DefaultValue("5") int priority,
			@DefaultValue("1m") Duration aging, @DefaultValue("1d") Duration resultTtl,
			@DefaultValue("5m") Duration dedupWindow, @DefaultValue("100000") int maxLength,
			@DefaultValue("1MB") DataSize maxPayloadSize, @DefaultValue DeadLetters deadLetter,
			@Nullable Boolean autoStartup) {

		private void validate(String place) {
			PropertyChecks.atLeast(place + ".concurrency", 1, this.concurrency);
			PropertyChecks.atLeastMillis(place + ".visibility-timeout", 100, this.visibilityTimeout);
			PropertyChecks.atLeast(place + ".max-attempts", 1, this.maxAttempts);
			PropertyChecks.require(this.priority >= 0 && this.priority <= JobOptions.HIGHEST, place + ".priority",
					"from 0 to 9", this.priority);
			PropertyChecks.atLeastMillis(place + ".aging", 0, this.aging);
			PropertyChecks.atLeastMillis(place + ".result-ttl", 1, this.resultTtl);
			PropertyChecks.require(!this.dedupWindow.isNegative() && this.dedupWindow.compareTo(this.resultTtl) <= 0,
					place + ".dedup-window", "from 0 to result-ttl", this.dedupWindow);
			PropertyChecks.atLeast(place + ".max-length", 1, this.maxLength);
			PropertyChecks.atLeast(place + ".max-payload-size", 1, this.maxPayloadSize.toBytes());
			PropertyChecks.atLeast(place + ".dead-letter.max-length", 1, this.deadLetter.maxLength());
			PropertyChecks.atLeastMillis(place + ".dead-letter.ttl", 1, this.deadLetter.ttl());
		}

	}

	/**
	 * Jobs that are given up.
	 *
	 * @param maxLength how many are kept
	 * @param ttl time for which they are kept after the last one
	 */
	public record DeadLetters(@DefaultValue("10000") int maxLength, @DefaultValue("30d") Duration ttl) {
	}

}
