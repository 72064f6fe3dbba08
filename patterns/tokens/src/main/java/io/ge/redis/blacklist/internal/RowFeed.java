// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist.internal;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import io.ge.redis.blacklist.internal.RedisTokenBlacklist.PageEnd;
import io.ge.redis.blacklist.internal.RedisTokenBlacklist.Position;
import io.ge.redis.core.bus.InstanceBus;
import io.ge.redis.core.bus.Poll;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.core.NestedExceptionUtils;

/**
 * Keeps this instance's memory of the rows up to date, and knows whether it is.
 * <p>
 * Changes are read from the stream, each time from the last known one, so none is
 * skipped. If that one is missing, the stream was cut or lost. Then all rows are read
 * again, page by page, and afterwards the changes since before that reading. The same
 * happens if the stream has an entry that this release cannot read; the rows include its
 * change. A message announces each change. Irrevocable refusals are taken from the
 * message itself, which makes them quick: it may arrive in any order, and twice. Without
 * any message the stream is read several times within the longest staleness, which makes
 * it certain.
 * <p>
 * The memory is up to date while the last complete look was <em>sent</em> less than the
 * longest staleness ago. A pause of this process, a slow network or a server that hangs
 * make it old, never wrong: then Redis is asked. Redis is also asked after a write of
 * this instance, until a later look: an instance always sees its own writes. Looks follow
 * one another, so reversible changes are applied to memory in one order.
 * <p>
 * While the memory is incomplete, a check once a minute finds out whether all rows would
 * fit; then they are read again. Looks end when nothing was checked for a while, and
 * begin with the next check, which asks Redis.
 */
final class RowFeed {

	private static final Log logger = LogFactory.getLog(RowFeed.class);

	static final String CHANGED = "blacklist.changed";

	public static final int PAGE = 1000;

	/** Looks within the longest staleness. One or two of them may get lost. */
	private static final int LOOKS = 4;

	private static final long USED_FOR = TimeUnit.SECONDS.toNanos(30);

	private static final long NOTED_EVERY = TimeUnit.SECONDS.toNanos(1);

	private static final Duration LAST_LOOK = Duration.ofMillis(500);

	private static final long TIDIED_EVERY = TimeUnit.MINUTES.toNanos(1);

	private final RedisTokenBlacklist redis;

	private final LocalRows rows;

	private final ServerClock clock;

	private final InstanceBus bus;

	private final Duration maxStaleness;

	private final long maxStalenessNanos;

	private final int page;

	private final AtomicLong writtenAt = new AtomicLong(longAgo());

	private final AtomicLong acknowledgedAt = new AtomicLong(this.writtenAt.get());

	private volatile long freshAt = this.writtenAt.get();

	private volatile long usedAt = this.writtenAt.get();

	/** Awake while it is started. */
	private final Poll poll;

	private final AtomicBoolean warned = new AtomicBoolean();

	/** The failure of the last look. */
	private volatile @Nullable Throwable failure;

	private volatile boolean paused;

	private volatile CompletableFuture<Boolean> looking = CompletableFuture.completedFuture(false);

	/** Only changed by one look after the other. */
	private volatile @Nullable Position position;

	private long tidiedAt = System.nanoTime();

	public RowFeed(RedisTokenBlacklist redis, LocalRows rows, ServerClock clock, InstanceBus bus, Duration maxStaleness,
			int page) {
		this.redis = redis;
		this.rows = rows;
		this.clock = clock;
		this.bus = bus;
		this.maxStaleness = maxStaleness;
		this.maxStalenessNanos = maxStaleness.toNanos();
		this.page = page;
		this.poll = new Poll(this::look, maxStaleness.dividedBy(LOOKS), this::lookAgain);
	}

	/**
	 * Listens. Nothing is read before the first check.
	 */
	public void start() {
		this.bus.handle(CHANGED, this::heard);
		this.bus.onSubscribed(this::lookIfAwake);
		this.redis.guarded().onRecovery(this::lookIfAwake);
	}

	/**
	 * Returns whether memory knows every change that Redis had acknowledged at the last
	 * confirmation, and every change of this instance.
	 */
	public boolean isFresh(long nanos) {
		long fresh = this.freshAt;
		return nanos - fresh <= this.maxStalenessNanos && fresh - this.writtenAt.get() >= 0;
	}

	/**
	 * Returns the id of the last known change, or {@code null} if all rows must be read.
	 */
	public @Nullable String position() {
		Position known = this.position;
		return (known != null) ? known.id() : null;
	}

	/**
	 * Returns the time since memory was last known to be up to date.
	 */
	public Duration age(long nanos) {
		return Duration.ofNanos(nanos - this.freshAt);
	}

	public @Nullable String problem() {
		Throwable failed = this.failure;
		long now = System.nanoTime();
		if (failed == null || !this.poll.isStarted() || isFresh(now)) {
			return null;
		}
		Duration age = age(now);
		return "Revocations "
				+ ((age.toDays() < 1) ? "have not been followed for " + age.toSeconds() + " s" : "are not followed")
				+ ", so that every check asks Redis: " + NestedExceptionUtils.getMostSpecificCause(failed).getMessage();
	}

	/**
	 * Returns whether memory knows every write of this instance that Redis has
	 * acknowledged. An unknown one must not be forgotten because Redis became
	 * unavailable.
	 */
	boolean knowsOwn() {
		return this.freshAt - this.acknowledgedAt.get() >= 0;
	}

	public CompletableFuture<Long> unaware(String change) {
		return this.redis.unaware(change, this.maxStaleness);
	}

	void used(long nanos) {
		if (nanos - this.usedAt > NOTED_EVERY || !this.poll.isStarted()) {
			this.usedAt = nanos;
			wake();
		}
	}

	/**
	 * Notes that this instance has written, or may have.
	 */
	void wrote() {
		advance(this.writtenAt);
		lookIfAwake();
	}

	void acknowledged() {
		advance(this.acknowledgedAt);
	}

	private static void advance(AtomicLong instant) {
		instant.accumulateAndGet(System.nanoTime(), (one, other) -> (one - other >= 0) ? one : other);
	}

	private void wake() {
		if (!this.paused && this.poll.start()) {
			this.poll.read();
		}
	}

	private void lookIfAwake() {
		if (this.poll.isStarted()) {
			this.poll.read();
		}
	}

	/**
	 * Takes a change from its message, if it needs no order, and looks: a message does
	 * not prove that nothing else has changed.
	 */
	private void heard(String change) {
		if (!this.poll.isStarted()) {
			return;
		}
		try {
			Row row = Row.of(change);
			if (row.isForGood()) {
				this.rows.apply(row);
			}
		}
		finally {
			this.poll.read();
		}
	}

	private CompletableFuture<Boolean> look() {
		CompletableFuture<Boolean> look = lookOnce();
		this.looking = look;
		return look.whenComplete((again, failure) -> {
			this.failure = failure;
			if (failure != null && logger.isDebugEnabled()) {
				logger.debug("The blacklist could not be followed", failure);
			}
			if (Boolean.TRUE.equals(again)) {
				this.poll.read();
			}
		});
	}

	/**
	 * Looks once. Not while another look is under way.
	 * @return whether to look once more, which shows writers that their changes are known
	 */
	CompletableFuture<Boolean> lookOnce() {
		try {
			Position known = this.position;
			if (this.paused) {
				return CompletableFuture.completedFuture(false);
			}
			return (known != null) ? follow(known, true) : readAll();
		}
		catch (RuntimeException | Error ex) {
			// An error too, or no further look would follow
			return CompletableFuture.failedFuture(ex);
		}
	}

	private CompletableFuture<Boolean> follow(Position known, boolean again) {
		long sent = System.nanoTime();
		return this.redis.follow(this.bus.instanceId(), known, this.page, this.maxStaleness).thenCompose((changes) -> {
			if (changes == null || !changes.readable()) {
				if (changes != null && this.warned.compareAndSet(false, true)) {
					logger.warn(
							"The changes of the blacklist have an entry that cannot be read, written by another program or release. It is skipped, and all rows are read again. "
									+ "Further ones are not logged.");
				}
				this.position = null;
				// An instance that falls behind while it reads all rows waits for the
				// next
				// look
				return again ? readAll()
						: CompletableFuture.failedFuture(new IllegalStateException("Changes were lost meanwhile"));
			}
			this.clock.set(changes.micros(), sent);
			changes.rows().forEach(this.rows::apply);
			this.position = changes.position();
			if (!changes.complete()) {
				return follow(changes.position(), again);
			}
			this.freshAt = sent;
			boolean more = !changes.isEmpty(known);
			return isTidied(sent) && !this.rows.isComplete() ? complete(more) : CompletableFuture.completedFuture(more);
		});
	}

	private CompletableFuture<Boolean> readAll() {
		long sent = System.nanoTime();
		return this.redis.lastChange().thenCompose((last) -> {
			this.clock.set(last.micros(), sent);
			this.rows.beginReading();
			Set<Row.Id> blocks = new HashSet<>();
			return readAfter(null, blocks).thenCompose((read) -> {
				this.rows.keepBlocks(blocks);
				this.rows.endReading();
				this.position = last.position();
				return follow(last.position(), false);
			});
		});
	}

	private CompletableFuture<Void> readAfter(@Nullable PageEnd last, Set<Row.Id> blocks) {
		return this.redis.rows(last, this.page).thenCompose((read) -> {
			for (Row row : read.rows()) {
				this.rows.apply(row);
				if (row.kind() == RowKind.BLOCK) {
					blocks.add(row.id());
				}
			}
			return (read.end() != null) ? readAfter(read.end(), blocks) : CompletableFuture.completedFuture(null);
		});
	}

	/**
	 * Has the next look read all rows, if they fit into memory.
	 */
	private CompletableFuture<Boolean> complete(boolean more) {
		return this.redis.lastChange().thenApply((last) -> {
			boolean fits = this.rows.hasRoomFor(last.rows());
			if (fits) {
				this.position = null;
			}
			return more || fits;
		});
	}

	private boolean isTidied(long now) {
		boolean due = now - this.tidiedAt > TIDIED_EVERY;
		if (due) {
			this.tidiedAt = now;
			this.rows.forgetEnded();
		}
		return due;
	}

	private void lookAgain() {
		if (this.paused || System.nanoTime() - this.usedAt > USED_FOR) {
			this.poll.stop();
		}
		else {
			this.poll.read();
		}
	}

	/**
	 * Ends the looks, while the connection is closed. Waits a moment for the one that is
	 * under way.
	 */
	public void pause() {
		this.paused = true;
		this.poll.stop();
		this.looking.handle((done, failure) -> true)
			.completeOnTimeout(false, LAST_LOOK.toMillis(), TimeUnit.MILLISECONDS)
			.join();
	}

	/**
	 * Allows looks again. The next check begins with them, also if a concurrent
	 * {@link #pause()} has left no look scheduled.
	 */
	public void resume() {
		this.poll.stop();
		this.paused = false;
	}

	private static long longAgo() {
		return System.nanoTime() - Long.MAX_VALUE / 2;
	}

}
