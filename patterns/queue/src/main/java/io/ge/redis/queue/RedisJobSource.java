/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.queue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

import io.ge.redis.core.consume.Delivery;
import io.ge.redis.core.consume.MessageReader;
import io.ge.redis.core.consume.Settlement;
import io.ge.redis.core.consume.WorkSource;
import io.ge.redis.core.event.FailureText;
import io.ge.redis.core.key.RedisKey;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptReply;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * The jobs of a queue as work of this instance, and what becomes of them as events.
 *
 * @param lastBell the last entry of the bell that is known
 */
record RedisJobSource(String name, QueueProperties.Queue settings, RedisJobs redis, List<RedisKey> keys,
		AtomicReference<String> lastBell) implements WorkSource<Job<byte[]>> {

	private static final Log logger = LogFactory.getLog(RedisJobSource.class);

	private static final LuaScript TAKE = LuaScript.load(RedisJobSource.class, "take.lua");

	private static final int BELL = 7;

	/** Elements of the reply of a take before its jobs, and of each job. */
	private static final int HEAD = 3;

	private static final int JOB = 6;

	RedisJobSource(String name, QueueProperties.Queue settings, RedisJobs redis) {
		this(name, settings, redis, redis.keys(name), new AtomicReference<>("0-0"));
	}

	@Override
	public CompletionStage<TakenWork<Job<byte[]>>> take(int most, boolean reclaim,
			Collection<Delivery<Job<byte[]>>> inFlight) {
		return this.redis
			.run(TAKE, this.keys, this.redis.backend().bus().instanceId(), most,
					this.settings.visibilityTimeout().toMillis(), this.settings.aging().toMillis(), reclaim ? 1 : 0)
			.thenApply(this::taken);
	}

	private TakenWork<Job<byte[]>> taken(ScriptReply reply) {
		this.lastBell.set(reply.text(0));
		List<Delivery<Job<byte[]>>> jobs = new ArrayList<>();
		List<Delivery<Job<byte[]>>> tooOften = new ArrayList<>();
		for (int i = HEAD; i < reply.size(); i += JOB) {
			Job<byte[]> job = new Job<>(reply.text(i), this.name, (int) reply.number(i + 3),
					Instant.ofEpochMilli(reply.number(i + 4)), Objects.requireNonNull(reply.bytes(i + 5)));
			int attempt = (int) reply.number(i + 1);
			((attempt <= this.settings.maxAttempts()) ? jobs : tooOften)
				.add(new Delivery<>(job.id(), this.name, attempt, reply.text(i + 2), job));
		}
		if (!tooOften.isEmpty()) {
			// Left undone, it is tried again when the lease ends
			settle(tooOften, (position) -> List.of("expire", 0, "lease-expired"))
				.thenAccept((lost) -> tooOften.forEach((each) -> publish(each, JobEvent.Outcome.DEAD, Duration.ZERO)));
		}
		long due = reply.number(2);
		return new TakenWork<>(jobs, reply.number(1) == 1, (due >= 0) ? Duration.ofMillis(due) : null);
	}

	@Override
	public CompletionStage<Collection<Delivery<Job<byte[]>>>> heartbeat(Collection<Delivery<Job<byte[]>>> inFlight) {
		List<Delivery<Job<byte[]>>> leased = List.copyOf(inFlight);
		long lease = this.settings.visibilityTimeout().toMillis();
		return settle(leased, (position) -> List.of("extend", lease, ""));
	}

	@Override
	public CompletionStage<Collection<Delivery<Job<byte[]>>>> settle(List<Settlement<Job<byte[]>>> settlements) {
		return settle(settlements.stream().map(Settlement::delivery).toList(), (position) -> {
			Settlement<Job<byte[]>> settlement = settlements.get(position);
			return List.of(settlement.outcome().name().toLowerCase(Locale.ROOT),
					this.settings.backoff().after(settlement.delivery().attempt()).toMillis(), result(settlement));
		});
	}

	private CompletionStage<Collection<Delivery<Job<byte[]>>>> settle(List<Delivery<Job<byte[]>>> deliveries,
			IntFunction<List<Object>> outcomes) {
		List<Object> arguments = new ArrayList<>();
		for (int i = 0; i < deliveries.size(); i++) {
			arguments.addAll(List.of(deliveries.get(i).id(), deliveries.get(i).lease()));
			arguments.addAll(outcomes.apply(i));
		}
		return this.redis.settle(this.name, arguments)
			.thenApply((reply) -> IntStream.range(0, reply.size())
				.mapToObj((i) -> deliveries.get((int) reply.number(i)))
				.toList());
	}

	private byte[] result(Settlement<?> settlement) {
		Throwable failure = settlement.failure();
		if (failure != null) {
			return FailureText.of(failure).toString().getBytes(StandardCharsets.UTF_8);
		}
		Object result = settlement.result();
		try {
			return (result != null) ? this.redis.payloads().write(result, "a result") : new byte[0];
		}
		catch (RuntimeException | StackOverflowError ex) {
			// The work is done, which must not be undone by this
			logger.warn("The result of a job of '" + this.name + "' is dropped: " + ex.getMessage());
			return new byte[0];
		}
	}

	@Override
	public List<Doorbell> doorbells() {
		return List.of(new Doorbell(this.keys.get(BELL), this.lastBell.get()));
	}

	@Override
	public CompletionStage<Boolean> hasWork() {
		return this.redis.view(this.name).thenApply((view) -> view.jobs() > 0);
	}

	MessageReader<Job<byte[]>> reader() {
		return this.redis.payloads().reader(Job::payload, (delivery, payload) -> {
			Job<byte[]> job = delivery.message();
			return new Job<>(job.id(), job.queue(), job.priority(), job.arrivedAt(), payload);
		});
	}

	@Override
	public void onSettled(Settlement<Job<byte[]>> settlement, Duration handling) {
		boolean last = settlement.delivery().attempt() >= this.settings.maxAttempts();
		switch (settlement.outcome()) {
			case DONE -> publish(settlement.delivery(), JobEvent.Outcome.DONE, handling);
			case RETRY ->
				publish(settlement.delivery(), last ? JobEvent.Outcome.DEAD : JobEvent.Outcome.RETRY, handling);
			case REJECT -> publish(settlement.delivery(), JobEvent.Outcome.DEAD, handling);
			case RELEASE -> {
				// Not begun
			}
		}
	}

	@Override
	public void onLost(Delivery<Job<byte[]>> delivery) {
		publish(delivery, JobEvent.Outcome.LOST_LEASE, Duration.ZERO);
	}

	private void publish(Delivery<?> delivery, JobEvent.Outcome outcome, Duration handling) {
		this.redis.publish(this.name, delivery.id(), outcome, handling);
	}

}
