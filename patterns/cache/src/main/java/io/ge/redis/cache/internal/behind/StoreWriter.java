// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.behind;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

import io.ge.redis.cache.Change;
import io.ge.redis.cache.WriteBehindProperties;
import io.ge.redis.cache.WriteBehindStore;
import io.ge.redis.cache.internal.behind.WaitingChange.Settled;
import io.ge.redis.cache.internal.behind.WaitingChange.Settled.Outcome;
import io.ge.redis.core.event.FailureText;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.ObjectReader;

/**
 * Hands changes to a store: all at once, and each alone if that fails because of one of
 * them. So a change that cannot be written does not block the others.
 *
 * @param <V> the values
 */
final class StoreWriter<V> {

	private static final Log logger = LogFactory.getLog(StoreWriter.class);

	/** A store that is really unavailable may take long to say so. */
	private static final int PROBES = 5;

	private final WriteBehindStore<V> store;

	private final String cache;

	private final ObjectReader reader;

	private final WriteBehindProperties properties;

	/**
	 * Creates a writer.
	 * @param reader reads the store's type of values
	 */
	StoreWriter(WriteBehindStore<V> store, ObjectReader reader, WriteBehindProperties properties) {
		this.store = store;
		this.cache = store.cache();
		this.reader = reader;
		this.properties = properties;
	}

	/**
	 * Writes changes.
	 * @param leave asked before each call of the store, and ends it
	 * @param doubtful whether a store that seems unavailable is asked for single changes
	 */
	Written write(List<WaitingChange> waiting, BooleanSupplier leave, boolean doubtful) {
		List<Settled> settled = new ArrayList<>(waiting.size());
		List<WaitingChange> readable = new ArrayList<>(waiting.size());
		List<Change<V>> changes = new ArrayList<>(waiting.size());
		for (WaitingChange each : waiting) {
			try {
				changes.add(read(each));
				readable.add(each);
			}
			catch (Throwable ex) {
				settled.add(failed(each, counted(ex)));
			}
		}
		if (changes.isEmpty() || !leave.getAsBoolean()) {
			return new Written(settled, null);
		}
		Throwable failure = tryToWrite(changes);
		if (failure == null) {
			readable.forEach((each) -> settled.add(each.done()));
			return new Written(settled, null);
		}
		if (isTransient(failure)) {
			return doubtful ? probe(readable, changes, settled, leave, failure) : new Written(settled, failure);
		}
		if (changes.size() == 1) {
			settled.add(failed(readable.get(0), failure));
			return new Written(settled, null);
		}
		return writeEach(readable, changes, settled, leave);
	}

	private Written writeEach(List<WaitingChange> waiting, List<Change<V>> changes, List<Settled> settled,
			BooleanSupplier leave) {
		for (int i = 0; i < changes.size(); i++) {
			if (!leave.getAsBoolean()) {
				return new Written(settled, null);
			}
			Throwable failure = tryToWrite(List.of(changes.get(i)));
			if (failure == null) {
				settled.add(waiting.get(i).done());
			}
			else if (isTransient(failure)) {
				return new Written(settled, failure);
			}
			else {
				settled.add(failed(waiting.get(i), failure));
			}
		}
		return new Written(settled, null);
	}

	/**
	 * Asks whether a store that seems unavailable takes some of the changes. If it takes
	 * one it is available, and those that it did not take are to blame. Takes them at
	 * random, or those to blame might always be the first.
	 */
	private Written probe(List<WaitingChange> waiting, List<Change<V>> changes, List<Settled> settled,
			BooleanSupplier leave, Throwable outage) {
		List<Integer> order = new ArrayList<>(IntStream.range(0, changes.size()).boxed().toList());
		Collections.shuffle(order);
		List<Settled> written = new ArrayList<>();
		Map<WaitingChange, Throwable> failures = new LinkedHashMap<>();
		for (int i : order.subList(0, Math.min(PROBES, order.size()))) {
			if (!leave.getAsBoolean()) {
				break;
			}
			Throwable failure = tryToWrite(List.of(changes.get(i)));
			if (failure == null) {
				written.add(waiting.get(i).done());
			}
			else {
				failures.put(waiting.get(i), failure);
			}
		}
		if (written.isEmpty()) {
			return new Written(settled, outage);
		}
		settled.addAll(written);
		failures.forEach((change, failure) -> settled.add(failed(change, failure)));
		return new Written(settled, null);
	}

	private Change<V> read(WaitingChange change) {
		V value = (change.json().length > 0) ? this.reader.readValue(change.json()) : null;
		return new Change<>(KeyParts.split(change.key()), value, change.version());
	}

	private @Nullable Throwable tryToWrite(List<Change<V>> changes) {
		try {
			this.store.writeAll(changes);
			return null;
		}
		catch (Throwable ex) {
			return counted(ex);
		}
	}

	/**
	 * Returns a failure that is to be counted. What is thrown instead is counted nowhere
	 * and would be tried for ever, so this is left to what says that the process is
	 * broken: it may be for one value only that memory or stack are not enough.
	 */
	private static Throwable counted(Throwable failure) {
		if (failure instanceof VirtualMachineError error && !(error instanceof StackOverflowError)
				&& !(error instanceof OutOfMemoryError)) {
			throw error;
		}
		return failure;
	}

	private boolean isTransient(Throwable failure) {
		try {
			return this.store.isTransient(failure);
		}
		catch (Exception | StackOverflowError | LinkageError ex) {
			logger.warn("The store of cache '" + this.cache + "' failed to classify a failure: " + ex);
			return false;
		}
	}

	private Settled failed(WaitingChange change, Throwable failure) {
		Settled settled = change.failed(failure, this.properties);
		if (settled.outcome() == Outcome.DEAD) {
			logger.warn("A change of cache '" + this.cache + "' was given up after " + settled.failures()
					+ " attempts and is a dead letter now: " + FailureText.of(failure));
		}
		return settled;
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
