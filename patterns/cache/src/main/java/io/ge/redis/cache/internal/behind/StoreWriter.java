// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.behind;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;

import io.ge.redis.cache.Change;
import io.ge.redis.cache.WriteBehindEvent.Outcome;
import io.ge.redis.cache.WriteBehindProperties;
import io.ge.redis.cache.WriteBehindStore;
import io.ge.redis.cache.internal.behind.RedisWriteBehind.Settled;
import io.ge.redis.cache.internal.behind.RedisWriteBehind.WaitingChange;
import io.ge.redis.core.event.FailureText;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.ObjectReader;

/**
 * Hands changes to a store: all at once, and each alone if that fails because of one of
 * them. So a change that cannot be written does not block the others.
 *
 * @param store writes the changes
 * @param reader reads the store's type of values
 * @param <V> the values
 */
record StoreWriter<V>(WriteBehindStore<V> store, ObjectReader reader, WriteBehindProperties properties) {

	private static final Log logger = LogFactory.getLog(StoreWriter.class);

	/** A store that is really unavailable may take long to say so. */
	private static final int PROBES = 5;

	/**
	 * Writes changes.
	 * @param leased asked before each call of the store, and ends it
	 * @param doubtful whether a store that seems unavailable is asked for single changes
	 */
	Written write(List<WaitingChange> waiting, BooleanSupplier leased, boolean doubtful) {
		List<Settled> settled = new ArrayList<>(waiting.size());
		Map<WaitingChange, Change<V>> changes = new LinkedHashMap<>();
		for (WaitingChange each : waiting) {
			Throwable unreadable = failure(() -> changes.put(each, read(each)));
			if (unreadable != null) {
				settled.add(settled(each, unreadable));
			}
		}
		if (changes.isEmpty() || !leased.getAsBoolean()) {
			return new Written(settled, null);
		}
		Throwable failure = failureOf(List.copyOf(changes.values()));
		boolean outage = failure != null && isTransient(failure);
		if (failure != null && (outage ? doubtful : changes.size() > 1)) {
			return writeEach(changes, settled, leased, outage ? failure : null);
		}
		if (!outage) {
			changes.keySet().forEach((each) -> settled.add(settled(each, failure)));
		}
		return new Written(settled, outage ? failure : null);
	}

	/**
	 * Writes each change alone, until the store seems unavailable. After an outage that
	 * is in doubt that takes some failures of any kind. If the store writes one of the
	 * others, it is available, and the changes that failed are to blame. The order is
	 * random then, since those to blame might always be the first.
	 */
	private Written writeEach(Map<WaitingChange, Change<V>> changes, List<Settled> settled, BooleanSupplier leased,
			@Nullable Throwable outage) {
		boolean doubtful = outage != null;
		List<Map.Entry<WaitingChange, Change<V>>> order = new ArrayList<>(changes.entrySet());
		if (doubtful) {
			Collections.shuffle(order);
		}
		Map<WaitingChange, Throwable> doubted = new LinkedHashMap<>();
		Throwable last = outage;
		boolean available = false;
		for (Map.Entry<WaitingChange, Change<V>> each : order) {
			if (doubted.size() == (doubtful ? PROBES : 1) || !leased.getAsBoolean()) {
				break;
			}
			Throwable failure = failureOf(List.of(each.getValue()));
			boolean unavailable = failure != null && isTransient(failure);
			last = unavailable ? failure : last;
			if (failure != null && (unavailable || (doubtful && !available))) {
				doubted.put(each.getKey(), failure);
			}
			else {
				available |= failure == null;
				settled.add(settled(each.getKey(), failure));
			}
		}
		if (available && doubtful) {
			doubted.forEach((each, failure) -> settled.add(settled(each, failure)));
			return new Written(settled, null);
		}
		return new Written(settled, last);
	}

	private Change<V> read(WaitingChange change) {
		V value = (change.json().length > 0) ? this.reader.readValue(change.json()) : null;
		return new Change<>(KeyParts.split(change.key()), value, change.version());
	}

	private @Nullable Throwable failureOf(List<Change<V>> changes) {
		return failure(() -> {
			this.store.writeAll(changes);
			return changes;
		});
	}

	/**
	 * Returns the failure of a call. Whatever is thrown is counted, or it would be tried
	 * for ever, unless it means that the process is broken. Too little memory or stack
	 * may be a matter of one value.
	 */
	private static @Nullable Throwable failure(Callable<?> call) {
		try {
			call.call();
			return null;
		}
		catch (InternalError | UnknownError ex) {
			throw ex;
		}
		catch (Throwable ex) {
			return ex;
		}
	}

	private boolean isTransient(Throwable failure) {
		try {
			return this.store.isTransient(failure);
		}
		catch (Exception | StackOverflowError | LinkageError ex) {
			logger.warn("The store of cache '" + this.store.cache() + "' failed to classify a failure: " + ex);
			return false;
		}
	}

	private Settled settled(WaitingChange change, @Nullable Throwable failure) {
		if (failure == null) {
			return new Settled(change, Outcome.WRITTEN, change.failures(), "");
		}
		int times = change.failures() + 1;
		if (times < this.properties.maxAttempts()) {
			return new Settled(change, Outcome.RETRIED, times, "" + this.properties.delay(times).toMillis());
		}
		FailureText reason = FailureText.of(failure);
		logger.warn("A change of cache '" + this.store.cache() + "' was given up after " + times
				+ " attempts and is a dead letter now: " + reason);
		return new Settled(change, Outcome.DEAD, times, reason.toString());
	}

	/**
	 * The result of writing changes.
	 *
	 * @param settled those of which it is known; the others are still to be written
	 * @param outage why the store could not be reached, or {@code null} if it could
	 */
	record Written(List<Settled> settled, @Nullable Throwable outage) {
	}

}
