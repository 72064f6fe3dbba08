// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.queue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.ge.redis.core.consume.Delivery;
import io.ge.redis.core.consume.MessageReader;
import io.ge.redis.core.consume.Settlement;
import io.ge.redis.core.consume.TakeBound;
import io.ge.redis.core.consume.WorkSource;
import io.ge.redis.core.event.FailureText;
import io.ge.redis.core.key.RedisKey;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptReply;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.util.unit.DataSize;

/**
 * The jobs of a queue as work of this instance, with their events.
 *
 * @param lastBell the last entry of the bell that is known
 * @param lostSince when the first take was sent whose reply may have been lost, by the
 * system's nano time
 */
record RedisJobSource(String name, QueueProperties.Queue settings, RedisJobs redis, List<RedisKey> keys,
		TakeBound bound, AtomicReference<String> lastBell,
		AtomicReference<@Nullable Long> lostSince) implements WorkSource<Job<byte[]>> {

	private static final Log logger = LogFactory.getLog(RedisJobSource.class);

	private static final LuaScript TAKE = LuaScript.functions(RedisJobSource.class, "take.lua")
		.around(RedisJobs.SETTLE);

	/** Elements of the reply of a take before its jobs. */
	private static final int HEAD = 4;

	/** Elements of the reply of a take for each job. */
	private static final int JOB = 6;

	/** A call may wait in the server before it is run. */
	private static final long LATE_MILLIS = 1000;

	private static final DataSize MOST_SETTLED = DataSize.ofMegabytes(4);

	/** The answer that some of the lost jobs were not returned again. */
	private static final long CUT = 2;

	RedisJobSource(String name, QueueProperties.Queue settings, RedisJobs redis, DataSize maxTakeBytes) {
		this(name, settings, redis, redis.keys(name), new TakeBound(maxTakeBytes), new AtomicReference<>("0-0"),
				new AtomicReference<>());
	}

	@Override
	public CompletionStage<TakenWork<Job<byte[]>>> take(int most, boolean reclaim,
			Collection<Delivery<Job<byte[]>>> inFlight) {
		long sent = System.nanoTime();
		Long lostSince = this.lostSince.get();
		List<Object> arguments = this.redis.settling(this.name);
		arguments.addAll(List.of(this.redis.backend().bus().instanceId(), most,
				this.settings.visibilityTimeout().toMillis(), this.settings.aging().toMillis(), reclaim ? 1 : 0));
		arguments.addAll(this.bound.arguments(reclaim));
		arguments.add((lostSince != null) ? (sent - lostSince) / 1_000_000 + LATE_MILLIS : -1);
		if (lostSince != null) {
			inFlight.forEach((delivery) -> arguments.add(delivery.lease()));
		}
		return this.redis.run(TAKE, this.keys, arguments.toArray()).whenComplete((reply, failure) -> {
			if (failure != null) {
				this.lostSince.compareAndSet(null, sent);
				this.bound.failed(failure);
			}
			else if (reply.number(1) != CUT) {
				this.lostSince.set(null);
			}
		}).thenApply(this::taken);
	}

	private TakenWork<Job<byte[]>> taken(ScriptReply reply) {
		this.lastBell.set(reply.text(0));
		int first = HEAD + (int) reply.number(3);
		for (int i = HEAD; i < first; i++) {
			this.redis.publish(this.name, reply.text(i), JobEvent.Outcome.DEAD, Duration.ZERO);
		}
		List<Delivery<Job<byte[]>>> jobs = new ArrayList<>();
		for (int i = first; i < reply.size(); i += JOB) {
			Job<byte[]> job = new Job<>(reply.text(i), this.name, (int) reply.number(i + 3),
					Instant.ofEpochMilli(reply.number(i + 4)), Objects.requireNonNull(reply.bytes(i + 5)));
			jobs.add(new Delivery<>(job.id(), this.name, (int) reply.number(i + 1), reply.text(i + 2), job));
		}
		long due = reply.number(2);
		return new TakenWork<>(jobs, reply.number(1) > 0, (due >= 0) ? Duration.ofMillis(due) : null);
	}

	@Override
	public CompletionStage<Collection<Delivery<Job<byte[]>>>> heartbeat(Collection<Delivery<Job<byte[]>>> inFlight) {
		List<Object> extension = List.of("extend", this.settings.visibilityTimeout().toMillis(), "");
		return settle(List.copyOf(inFlight), (position) -> extension, 0);
	}

	@Override
	public CompletionStage<Collection<Delivery<Job<byte[]>>>> settle(List<Settlement<Job<byte[]>>> settlements) {
		return settle(settlements.stream().map(Settlement::delivery).toList(), (position) -> {
			Settlement<Job<byte[]>> settlement = settlements.get(position);
			return List.of(settlement.outcome().name().toLowerCase(Locale.ROOT),
					this.settings.backoff().after(settlement.delivery().attempt()).toMillis(), result(settlement));
		}, 0);
	}

	// One call after the other, of results that are not too large together
	private CompletionStage<Collection<Delivery<Job<byte[]>>>> settle(List<Delivery<Job<byte[]>>> deliveries,
			IntFunction<List<Object>> outcomes, int from) {
		List<Object> arguments = new ArrayList<>();
		long bytes = 0;
		int next = from;
		while (next < deliveries.size() && bytes < MOST_SETTLED.toBytes()) {
			List<Object> outcome = outcomes.apply(next);
			bytes += (outcome.get(2) instanceof byte[] text) ? text.length : 0;
			arguments.addAll(List.of(deliveries.get(next).id(), deliveries.get(next).lease()));
			arguments.addAll(outcome);
			next++;
		}
		int to = next;
		CompletableFuture<Collection<Delivery<Job<byte[]>>>> settled = this.redis.settle(this.name, arguments)
			.thenApply((reply) -> IntStream.range(0, reply.size())
				.mapToObj((i) -> deliveries.get(from + (int) reply.number(i)))
				.toList());
		return (to == deliveries.size()) ? settled : settled.thenCompose((lost) -> settle(deliveries, outcomes, to)
			.thenApply((more) -> Stream.concat(lost.stream(), more.stream()).toList()));
	}

	private byte[] result(Settlement<?> settlement) {
		Throwable failure = settlement.failure();
		if (failure != null) {
			return FailureText.of(failure).toString().getBytes(StandardCharsets.UTF_8);
		}
		Object result = settlement.result();
		try {
			return (result != null) ? this.redis.write(result, this.name, "a result of ") : new byte[0];
		}
		catch (RuntimeException | StackOverflowError ex) {
			// The work is done, which must not be undone by this
			logger.warn("The result of a job of '" + this.name + "' is dropped: " + ex.getMessage());
			return new byte[0];
		}
	}

	@Override
	public List<Doorbell> doorbells() {
		return List.of(new Doorbell(this.keys.get(RedisJobs.PARTS.indexOf("bell")), this.lastBell.get()));
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
		JobEvent.Outcome outcome = switch (settlement.outcome()) {
			case DONE -> JobEvent.Outcome.DONE;
			case RETRY -> last ? JobEvent.Outcome.DEAD : JobEvent.Outcome.RETRY;
			case REJECT -> JobEvent.Outcome.DEAD;
			case RELEASE -> null;
		};
		if (outcome != null) {
			this.redis.publish(this.name, settlement.delivery().id(), outcome, handling);
		}
	}

	@Override
	public void onLost(Delivery<Job<byte[]>> delivery) {
		this.redis.publish(this.name, delivery.id(), JobEvent.Outcome.LOST_LEASE, Duration.ZERO);
	}

}
