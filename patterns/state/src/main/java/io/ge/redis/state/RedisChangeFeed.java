// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.state;

import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

import io.ge.redis.core.consume.ConsumerThreads;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Reads the changes of one workspace for one listener, one reading after the other. An
 * outage only delays them: versions say where to continue, and whether something is
 * missing.
 */
final class RedisChangeFeed implements ChangeSubscription {

	private static final long SHORTEST_PAUSE_MILLIS = 25;

	private static final long LONGEST_PAUSE_MILLIS = 250;

	private static final Log logger = LogFactory.getLog(RedisChangeFeed.class);

	private final RedisWorkspace workspace;

	private final ChangeListener listener;

	private final ConsumerThreads threads;

	private long pauseMillis = SHORTEST_PAUSE_MILLIS;

	private long epoch;

	private volatile long version;

	private volatile boolean closed;

	RedisChangeFeed(RedisWorkspace workspace, long since, ChangeListener listener) {
		this.workspace = workspace;
		this.version = since;
		this.listener = listener;
		this.threads = workspace.all().threads().get();
	}

	@Override
	public long version() {
		return this.version;
	}

	@Override
	public void close() {
		this.closed = true;
	}

	void read() {
		if (!this.closed) {
			this.workspace.changesAsync(this.version).whenCompleteAsync(this::found, this.threads.handlers());
		}
	}

	private void found(@Nullable StateChanges changes, @Nullable Throwable failure) {
		try {
			if (changes != null) {
				boolean found = changes.gap() || !changes.changes().isEmpty();
				this.pauseMillis = found ? SHORTEST_PAUSE_MILLIS : Math.min(LONGEST_PAUSE_MILLIS, 2 * this.pauseMillis);
				deliver(changes);
			}
			else {
				logger.debug("Cannot read the changes of " + this.workspace.root() + "; will retry", failure);
				this.pauseMillis = LONGEST_PAUSE_MILLIS;
			}
		}
		finally {
			again((changes != null && this.version < changes.version()) ? 0 : this.pauseMillis);
		}
	}

	private void deliver(StateChanges changes) {
		long since = this.version;
		boolean anew = since > changes.version() || (since > 0 && this.epoch != 0 && this.epoch != changes.epoch());
		this.epoch = changes.epoch();
		// Changes of the new workspace are read from the first one
		List<StateChange> known = anew ? List.of() : changes.changes();
		if (anew || changes.gap()) {
			long last = anew ? 0 : changes.version();
			long next = known.isEmpty() ? last + 1 : known.get(0).version();
			this.version = next - 1;
			call(() -> this.listener.onGap(since, next));
		}
		for (StateChange change : known) {
			this.version = change.version();
			call(() -> this.listener.onChange(change));
		}
	}

	private void call(Runnable action) {
		if (this.closed) {
			return;
		}
		try {
			action.run();
		}
		catch (RuntimeException ex) {
			logger.warn("A listener of " + this.workspace.root() + " failed at version " + this.version, ex);
		}
	}

	private void again(long pauseMillis) {
		try {
			this.threads.scheduler().schedule(this::read, pauseMillis, TimeUnit.MILLISECONDS);
		}
		catch (RejectedExecutionException ex) {
			// The application ends
			this.closed = true;
		}
	}

}
