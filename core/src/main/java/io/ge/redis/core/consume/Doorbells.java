// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.consume;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import io.ge.redis.core.connection.BlockingConnection;
import io.ge.redis.core.connection.GuardConnection;
import io.ge.redis.core.consume.WorkSource.Doorbell;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Wakes the idle containers of one Redis: one {@code XREAD BLOCK} waits for all of their
 * streams together. It only looks, so nothing is lost when it is cut off, and the number
 * of streams does not change the number of connections. The container then takes new
 * entries by script.
 * <p>
 * On a Cluster one command cannot wait for all keys. Idle containers look by themselves
 * there: after 25 ms, doubled up to 250 ms while there is nothing. Publishers of this
 * library {@linkplain #ring(String) ring} over the bus.
 */
public final class Doorbells {

	/**
	 * The topic of the bus for rings: a publisher's script sends it with the key of the
	 * stream on a Cluster, where no container blocks.
	 */
	public static final String TOPIC = "bell";

	/** The time between the looks of a container that is not woken. */
	private static final Backoff LOOKS = new Backoff(Duration.ofMillis(25), Duration.ofMillis(250));

	/** The pause of an instance to which others left nothing several times. */
	private static final Backoff RESTS = new Backoff(Duration.ofMillis(2), Duration.ofMillis(50));

	private static final Backoff RECONNECTS = new Backoff(Duration.ofMillis(100), Duration.ofMillis(500));

	private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

	/** The time in which woken containers take their work, to wait together again. */
	private static final Duration TOGETHER = Duration.ofMillis(1);

	private static final Log logger = LogFactory.getLog(Doorbells.class);

	private final GuardConnection connection;

	private final ConsumerThreads threads;

	private final Set<ConsumerContainer<?>> containers = ConcurrentHashMap.newKeySet();

	private final Map<ConsumerContainer<?>, Waiter> waiting = new ConcurrentHashMap<>();

	/** Whether a look is under way or scheduled. */
	private final AtomicBoolean looking = new AtomicBoolean();

	/** The streams and positions that the server waits for now. */
	private volatile @Nullable Map<ByteBuffer, String> blocked;

	private final AtomicInteger failures = new AtomicInteger();

	private volatile @Nullable BlockingConnection blocking;

	Doorbells(GuardConnection connection, ConsumerThreads threads) {
		this.connection = connection;
		this.threads = threads;
	}

	/**
	 * Registers a container for its streams, whether it waits or works.
	 */
	void add(ConsumerContainer<?> container) {
		this.containers.add(container);
	}

	/**
	 * Wakes a container once, when there is something new.
	 * @param bells its streams
	 * @param emptyTurns how often in a row it was woken and has found nothing
	 */
	void await(ConsumerContainer<?> container, List<Doorbell> bells, int emptyTurns) {
		if (bells.isEmpty()) {
			return;
		}
		Waiter waiter = new Waiter(bells);
		if (this.connection.isClustered()) {
			this.waiting.put(container, waiter);
			this.threads.later(LOOKS.after(emptyTurns + 1), () -> {
				// Only the same waiter: it has one timer, whichever rings first
				if (this.waiting.remove(container, waiter)) {
					container.rung(bells);
				}
			});
		}
		else if (emptyTurns > 0) {
			this.threads.later(RESTS.after(emptyTurns), () -> block(container, waiter));
		}
		else {
			block(container, waiter);
		}
	}

	private void block(ConsumerContainer<?> container, Waiter waiter) {
		this.waiting.put(container, waiter);
		if (!container.isTaking()) {
			// Stopped or paused meanwhile
			this.waiting.remove(container, waiter);
			return;
		}
		if (this.looking.compareAndSet(false, true)) {
			look();
		}
		else if (!isBlockedFor(waiter)) {
			unblock(TOGETHER);
		}
	}

	private boolean isBlockedFor(Waiter waiter) {
		Map<ByteBuffer, String> blocked = this.blocked;
		return blocked == null || waiter.bells.stream().allMatch((bell) -> {
			String position = blocked.get(ByteBuffer.wrap(bell.key().bytes()));
			return position != null && !isBefore(bell.after(), position);
		});
	}

	// The server may see the end of a wait before its beginning
	private void unblock(Duration pause) {
		BlockingConnection connection = this.blocking;
		if (connection != null && this.blocked != null) {
			connection.wake().whenComplete((ended, failure) -> {
				if (failure == null && !ended) {
					this.threads.later(pause, () -> {
						if (!this.waiting.values().stream().allMatch(this::isBlockedFor)) {
							unblock(pause.multipliedBy(2));
						}
					});
				}
			});
		}
	}

	void cancel(ConsumerContainer<?> container) {
		this.waiting.remove(container);
	}

	/**
	 * Wakes all containers of a stream, also busy ones: a released entry is behind the
	 * one for which they wait.
	 */
	public void ring(String key) {
		this.containers.forEach((container) -> {
			Waiter waiter = this.waiting.get(container);
			if (container.rung(key) && waiter != null) {
				this.waiting.remove(container, waiter);
			}
		});
	}

	private void ring(Predicate<Doorbell> rung) {
		this.waiting.forEach((container, waiter) -> {
			List<Doorbell> bells = waiter.bells.stream().filter(rung).toList();
			if (!bells.isEmpty() && this.waiting.remove(container, waiter)) {
				container.rung(bells);
			}
		});
	}

	private void look() {
		try {
			tryToLook();
		}
		catch (RuntimeException ex) {
			// If rethrown, no further look would follow
			again(ex);
		}
	}

	private void tryToLook() {
		Map<ByteBuffer, String> positions = positions();
		if (positions.isEmpty()) {
			this.looking.set(false);
			if (!this.waiting.isEmpty() && this.looking.compareAndSet(false, true)) {
				this.threads.later(Duration.ZERO, this::look);
			}
			return;
		}
		BlockingConnection connection = this.blocking;
		if (connection == null || !connection.isOpen()) {
			open();
			return;
		}
		List<byte[]> keys = positions.keySet().stream().map(ByteBuffer::array).toList();
		this.blocked = positions;
		CompletionStage<List<byte[]>> entries = connection.awaitEntries(keys, new ArrayList<>(positions.values()),
				LONGEST_WAIT);
		if (!this.waiting.values().stream().allMatch(this::isBlockedFor)) {
			// One came between looking and being blocked
			unblock(TOGETHER);
		}
		entries.whenComplete((found, failure) -> {
			this.blocked = null;
			if (failure != null) {
				connection.close();
				again(failure);
				return;
			}
			this.failures.set(0);
			this.threads.later(found.isEmpty() ? Duration.ZERO : TOGETHER, this::look);
			Set<ByteBuffer> rung = found.stream().map(ByteBuffer::wrap).collect(Collectors.toSet());
			ring((bell) -> rung.contains(ByteBuffer.wrap(bell.key().bytes())));
		});
	}

	private void open() {
		this.connection.openBlocking().whenComplete((opened, failure) -> {
			if (failure != null) {
				again(failure);
				return;
			}
			this.blocking = opened;
			look();
		});
	}

	private void again(Throwable failure) {
		int times = this.failures.getAndIncrement();
		if (times == 0) {
			logger.debug("Cannot wait for new entries; containers poll meanwhile", failure);
		}
		// Until the next wait for them, containers look by themselves
		ring((bell) -> true);
		this.threads.later(RECONNECTS.after(times + 1), this::look);
	}

	// The groups of a stream may be at different entries: the first of these positions
	// wakes all
	private Map<ByteBuffer, String> positions() {
		Map<ByteBuffer, String> positions = new LinkedHashMap<>();
		this.waiting.values()
			.forEach((waiter) -> waiter.bells.forEach((bell) -> positions.merge(ByteBuffer.wrap(bell.key().bytes()),
					bell.after(), (one, other) -> isBefore(one, other) ? one : other)));
		return positions;
	}

	static boolean isBefore(String id, String other) {
		int dash = id.indexOf('-');
		int otherDash = other.indexOf('-');
		int time = Long.compareUnsigned(Long.parseUnsignedLong(id.substring(0, dash)),
				Long.parseUnsignedLong(other.substring(0, otherDash)));
		return (time != 0) ? time < 0 : Long.compareUnsigned(Long.parseUnsignedLong(id.substring(dash + 1)),
				Long.parseUnsignedLong(other.substring(otherDash + 1))) < 0;
	}

	/**
	 * A container that waits, by its identity: one that waits again is another.
	 */
	private static final class Waiter {

		private final List<Doorbell> bells;

		Waiter(List<Doorbell> bells) {
			this.bells = bells;
		}

	}

}
