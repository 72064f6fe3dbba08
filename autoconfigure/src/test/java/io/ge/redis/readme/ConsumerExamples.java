// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

import io.ge.redis.broadcast.Broadcaster;
import io.ge.redis.broadcast.RedisBroadcastListener;
import io.ge.redis.queue.EnqueuedJob;
import io.ge.redis.queue.JobOptions;
import io.ge.redis.queue.JobQueue;
import io.ge.redis.queue.JobStatus;
import io.ge.redis.queue.RedisJob;
import io.ge.redis.stream.Published;
import io.ge.redis.stream.RedisStreamListener;
import io.ge.redis.stream.StreamEnvelope;
import io.ge.redis.stream.StreamMessage;
import io.ge.redis.stream.StreamPublisher;

import org.springframework.stereotype.Service;

/**
 * The listeners of the pages on streams, queues and broadcasts.
 */
class ConsumerExamples {

	private final StreamPublisher publisher;

	private final JobQueue jobs;

	private final Broadcaster broadcaster;

	private final Mailer smtp = (mail) -> new Receipt(mail.to());

	private volatile boolean halted;

	ConsumerExamples(StreamPublisher publisher, JobQueue jobs, Broadcaster broadcaster) {
		this.publisher = publisher;
		this.jobs = jobs;
		this.broadcaster = broadcaster;
	}

	boolean isHalted() {
		return this.halted;
	}

	// @formatter:off
	public Published trigger() {
		Published published = this.publisher.publish("triggers", Map.of("team", "core", "agent", "planner"),
				StreamMessage.of(new Trigger("plan the release"))
					.workItem("GE-42")
					.context(Map.of("project", "ge"))
					.triggeredBy("alice", "release is due"));
		return published;
	}

	@RedisJob(queue = "mail")
	public Receipt send(Mail mail) {
		return this.smtp.send(mail);
	}

	public JobStatus enqueue() {
		EnqueuedJob job = this.jobs.enqueue("mail", new Mail("a@b.c"),
				JobOptions.defaults().priority(7).delay(Duration.ofSeconds(10)).key("order-42"));
		JobStatus status = this.jobs.status("mail", job.id());
		return status;
	}

	public List<EnqueuedJob> enqueueAll(List<Mail> mails) {
		List<EnqueuedJob> jobs = this.jobs.enqueueAll("mail", mails, (mail) -> JobOptions.defaults().key("news-" + mail.to()));
		return jobs;
	}

	@RedisBroadcastListener(channel = "system.halt", onGap = "readAnew")
	public void halt(boolean halted) {
		this.halted = halted;
	}

	void readAnew(long missed) {
	}

	public void haltAll() {
		this.broadcaster.publish("system.halt", true);
	}

	@Service
	static class Planner {

		private final BlockingQueue<StreamEnvelope<Trigger>> planned = new LinkedBlockingQueue<>();

		BlockingQueue<StreamEnvelope<Trigger>> planned() {
			return this.planned;
		}

		@RedisStreamListener(stream = "triggers")
		public void plan(StreamEnvelope<Trigger> trigger) {
			this.planned.add(trigger);
		}

	}
	// @formatter:on

	/** What to plan. */
	record Trigger(String goal) {
	}

	/** A mail. */
	record Mail(String to) {
	}

	/** It was sent. */
	record Receipt(String to) {
	}

	/** Sends mails. */
	interface Mailer {

		Receipt send(Mail mail);

	}

}
