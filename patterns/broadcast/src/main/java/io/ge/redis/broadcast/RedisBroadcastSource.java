// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.broadcast;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import io.ge.redis.broadcast.BroadcastEvent.Outcome;
import io.ge.redis.broadcast.RedisBroadcastSource.Entry;
import io.ge.redis.core.connection.PushSubscriber;
import io.ge.redis.core.connection.PushSubscription;
import io.ge.redis.core.consume.Delivery;
import io.ge.redis.core.consume.Settlement;
import io.ge.redis.core.consume.WorkSource;
import io.ge.redis.core.event.FailureText;
import io.ge.redis.core.script.ScriptReply;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a channel as work of one listener of this instance, one at a time and
 * in order.
 * <p>
 * Messages of a reliable channel are read from a position in memory: an instance that
 * starts begins at the end, or with the last message of a sticky channel. Where the
 * script finds that messages are missing, a gap is handled before the next message.
 * <p>
 * Messages of an ephemeral channel are pushed, from the first take until this leaves.
 * They wait in memory, up to {@value #MOST_WAITING}; more are dropped and counted.
 */
final class RedisBroadcastSource implements WorkSource<Entry>, PushSubscriber {

	static final int MOST_WAITING = 1000;

	private static final Log logger = LogFactory.getLog(RedisBroadcastSource.class);

	private static final int MOST_READ = 100;

	/** Elements of the reply of a read before its messages. */
	private static final int HEAD = 2;

	private final String channel;

	private final BroadcastProperties.Channel settings;

	private final RedisBroadcasts redis;

	private final long mostBytes;

	private final ReentrantLock lock = new ReentrantLock();

	/** Received, and not handled yet. */
	private final Deque<Entry> received = new ArrayDeque<>();

	private @Nullable Delivery<Entry> given;

	/** Failed attempts of the first received message. */
	private int failures;

	/** By the system's nano time; the first is not given again before. */
	private long pausedUntil = System.nanoTime();

	/**
	 * The position from which the script continues to read, empty before the first read.
	 */
	private volatile String position = "";

	/** Whether an ephemeral channel was interrupted. */
	private volatile boolean interrupted;

	private volatile @Nullable PushSubscription subscription;

	/** Completes with the first subscription after a start. */
	private volatile CompletableFuture<Void> subscribed = CompletableFuture.completedFuture(null);

	private volatile Runnable arrival = () -> {
	};

	RedisBroadcastSource(String channel, BroadcastProperties.Channel settings, RedisBroadcasts redis, long mostBytes) {
		this.channel = channel;
		this.settings = settings;
		this.redis = redis;
		this.mostBytes = mostBytes;
	}

	void onArrival(Runnable arrival) {
		this.arrival = arrival;
	}

	@Override
	public String name() {
		return this.channel;
	}

	@Override
	public CompletionStage<TakenWork<Entry>> take(int most, boolean reclaim, Collection<Delivery<Entry>> inFlight) {
		if (this.settings.isReliable() && exclusively(this::waits)) {
			return this.redis.read(this.channel, this.position, MOST_READ, this.mostBytes)
				.thenApply((reply) -> exclusively(() -> {
					add(reply);
					return next();
				}));
		}
		if (!this.settings.isReliable() && this.subscription == null) {
			this.subscribed = new CompletableFuture<>();
			this.subscription = this.redis.subscribe(this.channel, this);
		}
		return CompletableFuture.completedFuture(exclusively(this::next));
	}

	// A message may be settled or pushed during a take
	private <R> R exclusively(Supplier<R> action) {
		this.lock.lock();
		try {
			return action.get();
		}
		finally {
			this.lock.unlock();
		}
	}

	private boolean waits() {
		return this.given == null && this.received.isEmpty();
	}

	private TakenWork<Entry> next() {
		Entry first = this.received.peek();
		if (this.given != null || first == null) {
			return TakenWork.none();
		}
		long pause = this.pausedUntil - System.nanoTime();
		if (pause > 0) {
			return new TakenWork<>(List.of(), false, Duration.ofNanos(pause));
		}
		this.given = new Delivery<>(String.valueOf(first.number()), this.channel, this.failures + 1,
				(first.missed() != 0) ? "gap" : "", first);
		return new TakenWork<>(List.of(this.given), false, null);
	}

	private void add(ScriptReply reply) {
		long missed = reply.number(0);
		if (missed != 0) {
			this.redis.publish(this.channel, Outcome.GAP, Math.max(1, missed));
			this.received.add(new Entry(0, new byte[0], missed));
		}
		for (int i = HEAD; i < reply.size(); i += 2) {
			this.received.add(new Entry(reply.number(i), Objects.requireNonNull(reply.bytes(i + 1)), 0));
		}
		this.position = reply.text(1);
		if (missed != 0 && reply.size() > HEAD && this.settings.onGap() == BroadcastProperties.OnGap.LATEST) {
			Entry last = this.received.getLast();
			this.received.removeIf((entry) -> entry.missed() == 0 && entry != last);
		}
	}

	@Override
	public CompletionStage<Collection<Delivery<Entry>>> heartbeat(Collection<Delivery<Entry>> inFlight) {
		return CompletableFuture.completedFuture(List.of());
	}

	@Override
	public CompletionStage<Collection<Delivery<Entry>>> settle(List<Settlement<Entry>> settlements) {
		return CompletableFuture.completedFuture(exclusively(() -> {
			settlements.forEach(this::settle);
			return List.of();
		}));
	}

	private void settle(Settlement<Entry> settlement) {
		if (settlement.delivery() != this.given) {
			return;
		}
		this.given = null;
		int attempt = settlement.delivery().attempt();
		boolean last = !this.settings.isReliable() || attempt >= this.settings.maxAttempts();
		if (settlement.outcome() == Settlement.Outcome.DONE) {
			remove(Outcome.OK);
		}
		else if (settlement.outcome() == Settlement.Outcome.RETRY && !last) {
			this.redis.publish(this.channel, Outcome.RETRY, 1);
			this.failures = attempt;
			this.pausedUntil = System.nanoTime() + this.settings.backoff().after(attempt).toNanos();
		}
		else if (settlement.outcome() != Settlement.Outcome.RELEASE) {
			Throwable failure = settlement.failure();
			logger.warn("A message of the channel '" + this.channel + "' is skipped"
					+ ((failure != null) ? ": " + FailureText.of(failure) : ""));
			remove(Outcome.SKIPPED);
		}
	}

	private void remove(Outcome outcome) {
		Entry left = this.received.remove();
		this.failures = 0;
		if (left.missed() == 0) {
			this.redis.publish(this.channel, outcome, 1);
		}
	}

	@Override
	public boolean isOrdered() {
		return true;
	}

	@Override
	public List<Doorbell> doorbells() {
		return (this.settings.isReliable() && exclusively(this::waits))
				? List.of(new Doorbell(this.redis.stream(this.channel), this.position.split(" ")[0])) : List.of();
	}

	@Override
	public CompletionStage<?> ready() {
		return this.subscribed;
	}

	@Override
	public CompletionStage<?> leave() {
		PushSubscription left = this.subscription;
		this.subscription = null;
		if (left != null) {
			left.close();
		}
		return CompletableFuture.completedFuture(null);
	}

	@Override
	public void onMessage(byte[] source, byte[] message) {
		if (exclusively(() -> this.received.size() < MOST_WAITING && this.received.add(new Entry(0, message, 0)))) {
			this.arrival.run();
		}
		else {
			this.redis.publish(this.channel, Outcome.DROPPED, 1);
		}
	}

	@Override
	public void onSubscribed() {
		this.subscribed.complete(null);
		if (this.interrupted) {
			this.interrupted = false;
			this.redis.publish(this.channel, Outcome.RECONNECTED, 1);
		}
	}

	@Override
	public void onLost() {
		this.interrupted = true;
	}

	@Override
	public void onRefused(Throwable failure) {
		logger.warn("Redis refuses to subscribe the channel '" + this.channel
				+ "'. Allow its user the channels of the application, as in &ge:*: " + failure);
	}

	/**
	 * A message, or a gap before one.
	 *
	 * @param number the number of the message, 0 in an ephemeral channel
	 * @param missed 0 for a message, else how many are missing, -1 if that is unknown
	 */
	record Entry(long number, byte[] payload, long missed) {
	}

}
