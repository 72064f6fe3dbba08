// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.queue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.consume.JsonPayloads;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.hash.Sha256;
import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.RedisKey;
import io.ge.redis.core.outage.GuardedRedis;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptCall;
import io.ge.redis.core.script.ScriptReply;
import io.ge.redis.core.structure.Arguments;
import tools.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Job queues in Redis: {@code prefix:queue:{name}:jobs} and its siblings;
 * {@code enqueue.lua} describes each.
 */
record RedisJobs(QueueProperties properties, RedisBackend backend, GuardedRedis redis, JsonPayloads payloads,
		GuardEvents events) implements JobQueue {

	private static final LuaScript ENQUEUE = LuaScript.load(RedisJobs.class, "enqueue.lua");

	private static final LuaScript ENQUEUE_ALL = LuaScript.functions(RedisJobs.class, "enqueue-all.lua")
		.around(ENQUEUE);

	static final LuaScript SETTLE = LuaScript.load(RedisJobs.class, "settle.lua");

	private static final LuaScript STATUS = LuaScript.load(RedisJobs.class, "status.lua");

	private static final LuaScript DEAD_LETTERS = LuaScript.load(RedisJobs.class, "dead-letters.lua");

	private static final LuaScript REPLAY = LuaScript.functions(RedisJobs.class, "replay.lua").around(ENQUEUE);

	private static final LuaScript DELETE = LuaScript.command(RedisJobs.class, "delete-dead-letter", "XDEL");

	private static final LuaScript VIEW = LuaScript.load(RedisJobs.class, "view.lua");

	/** In the order of the scripts. */
	static final List<String> PARTS = List.of("jobs", "tries", "delayed", "inflight", "results", "ended", "dead",
			"bell", "ready:0", "ready:1", "ready:2", "ready:3", "ready:4", "ready:5", "ready:6", "ready:7", "ready:8",
			"ready:9", "keys");

	private static final int HASH_BYTES = 16;

	/**
	 * The number of arguments of {@code enqueue.lua}, the id first and the payload last.
	 */
	private static final int ARGUMENTS = 7;

	/** The size of the jobs of one call, in payloads of the largest size. */
	private static final int LARGEST_BULK = 16;

	List<RedisKey> keys(String queue) {
		RedisKey root = this.backend.keys("queue").entity(KeyPart.of(queue));
		return PARTS.stream()
			.map((part) -> root.with(Stream.of(part.split(":")).map(KeyPart::of).toArray(KeyPart[]::new)))
			.toList();
	}

	CompletableFuture<ScriptReply> run(LuaScript script, List<RedisKey> keys, Object... arguments) {
		return this.redis.run(ScriptCall.of(script, keys, arguments), this.redis.newBudget());
	}

	// Empty where idle instances are blocked by the bell itself
	private String channel() {
		return this.backend.connection().isClustered() ? this.backend.bus().notificationChannel() : "";
	}

	void publish(String queue, String id, JobEvent.Outcome outcome, Duration handling) {
		this.events.publish(new JobEvent(queue, id, outcome, handling));
	}

	@Override
	public CompletableFuture<EnqueuedJob> enqueueAsync(String queue, Object job, JobOptions options) {
		return run(ENQUEUE, keys(queue), arguments(queue, job, options)).thenApply((reply) -> enqueued(queue, reply));
	}

	@Override
	public <T> CompletableFuture<List<EnqueuedJob>> enqueueAllAsync(String queue, Collection<T> jobs,
			Function<? super T, JobOptions> options) {
		Arguments.size("jobs", jobs);
		List<Object> all = new ArrayList<>(List.of(ARGUMENTS));
		long bytes = 0;
		for (T job : jobs) {
			Assert.notNull(job, "jobs must not have null");
			Object[] arguments = arguments(queue, job, options.apply(job));
			all.addAll(List.of(arguments));
			bytes += ((byte[]) arguments[ARGUMENTS - 1]).length;
		}
		Arguments.range("The size of all jobs in bytes", bytes, 0,
				LARGEST_BULK * this.properties.queue(queue).maxPayloadSize().toBytes());
		return run(ENQUEUE_ALL, keys(queue), all.toArray())
			.thenApply((reply) -> reply.parts().stream().map((part) -> enqueued(queue, part)).toList());
	}

	private Object[] arguments(String queue, Object job, JobOptions options) {
		QueueProperties.Queue settings = this.properties.queue(queue);
		String key = options.key();
		String prefix = (key != null) ? "k-" + HexFormat.of().formatHex(Sha256.of(key), 0, HASH_BYTES) + "-" : "";
		int priority = (options.priority() != null) ? options.priority() : settings.priority();
		return new Object[] { prefix + UUID.randomUUID(), priority, options.delay().toMillis(), settings.maxLength(),
				settings.dedupWindow().toMillis(), channel(), write(job, queue, "") };
	}

	byte[] write(Object payload, String queue, String what) {
		return this.payloads.write(payload, what + "queue '" + queue + "'",
				this.properties.queue(queue).maxPayloadSize(), "ge.redis.queue.queues." + queue + ".max-payload-size");
	}

	private EnqueuedJob enqueued(String queue, ScriptReply reply) {
		JobEvent.Outcome outcome = JobEvent.Outcome.valueOf(reply.text(0).toUpperCase(Locale.ROOT));
		boolean full = outcome == JobEvent.Outcome.FULL;
		publish(queue, full ? "" : reply.text(1), outcome, Duration.ZERO);
		if (full) {
			throw new QueueFullException(queue, reply.number(1));
		}
		return new EnqueuedJob(reply.text(1), outcome == JobEvent.Outcome.DUPLICATE);
	}

	@Override
	public CompletableFuture<JobStatus> statusAsync(String queue, String id) {
		this.properties.queue(queue);
		return run(STATUS, keys(queue), id).thenApply((reply) -> {
			JobStatus.State state = JobStatus.State.valueOf(reply.text(0).toUpperCase(Locale.ROOT));
			String text = reply.text(2);
			JsonNode result = (state == JobStatus.State.DONE && !text.isEmpty())
					? this.payloads.mapper().get().readTree(text) : null;
			return new JobStatus(id, state, (int) reply.number(1), result,
					(state == JobStatus.State.FAILED) ? text : null);
		});
	}

	@Override
	public CompletableFuture<JobStatus.State> cancelAsync(String queue, String id, boolean running) {
		return settle(queue, List.of(id, running ? "*" : "", "cancel", 0, "")).thenCompose((reply) -> {
			if (reply.size() == 0) {
				return CompletableFuture.completedFuture(JobStatus.State.CANCELLED);
			}
			return statusAsync(queue, id).thenApply((status) -> switch (status.state()) {
				case CANCELLED -> JobStatus.State.CANCELLED;
				case QUEUED, RUNNING -> JobStatus.State.RUNNING;
				case DONE, FAILED, UNKNOWN -> JobStatus.State.UNKNOWN;
			});
		});
	}

	/** The first arguments of {@code settle.lua}. */
	List<Object> settling(String queue) {
		QueueProperties.Queue settings = this.properties.queue(queue);
		return new ArrayList<>(
				List.of(settings.maxAttempts(), settings.resultTtl().toMillis(), settings.deadLetter().maxLength(),
						settings.deadLetter().ttl().toMillis(), channel(), settings.maxLength()));
	}

	CompletableFuture<ScriptReply> settle(String queue, List<Object> deliveries) {
		List<Object> arguments = settling(queue);
		arguments.addAll(deliveries);
		return run(SETTLE, keys(queue), arguments.toArray());
	}

	CompletableFuture<List<DeadJob>> deadLetters(String queue, int most) {
		return run(DEAD_LETTERS, keys(queue), most).thenApply((reply) -> reply.parts()
			.stream()
			.map((part) -> new DeadJob(part.text(0), part.text(1), (int) part.number(2), (int) part.number(3),
					part.text(4), part.text(5)))
			.toList());
	}

	CompletableFuture<@Nullable EnqueuedJob> replay(String queue, String letter) {
		return run(REPLAY, keys(queue), letter, UUID.randomUUID().toString(), this.properties.queue(queue).maxLength(),
				channel())
			.thenApply((reply) -> reply.text(0).equals("gone") ? null : enqueued(queue, reply));
	}

	CompletableFuture<Boolean> delete(String queue, String letter) {
		return run(DELETE, List.of(keys(queue).get(PARTS.indexOf("dead"))), letter)
			.thenApply((reply) -> reply.number(0) > 0);
	}

	CompletableFuture<QueueView> view(String queue) {
		return run(VIEW, keys(queue))
			.thenApply((reply) -> new QueueView(reply.number(0), reply.number(1), reply.number(2), reply.number(3),
					reply.number(4), IntStream.range(5, reply.size()).mapToObj(reply::number).toList()));
	}

}
