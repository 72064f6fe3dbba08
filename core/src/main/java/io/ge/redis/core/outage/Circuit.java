// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.outage;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.ge.redis.OutageCause;
import io.ge.redis.core.connection.Shard;
import org.jspecify.annotations.Nullable;

/**
 * The state of a breaker for one server, or for a deployment as a whole.
 * <p>
 * It is one reference: {@code null} while closed, the known outage while open.
 */
final class Circuit {

	private final String name;

	private final int threshold;

	private final AtomicInteger failures = new AtomicInteger();

	private final AtomicReference<@Nullable Outage> outage = new AtomicReference<>();

	Circuit(String name, int threshold) {
		this.name = name;
		this.threshold = threshold;
	}

	String name() {
		return this.name;
	}

	@Nullable OutageCause openCause() {
		Outage current = this.outage.get();
		return (current != null) ? current.cause() : null;
	}

	@Nullable OutageCause openCause(byte[] key) {
		Outage current = this.outage.get();
		return (current != null && (current.shard() == null || current.shard().holds(key))) ? current.cause() : null;
	}

	void succeeded() {
		if (this.failures.get() != 0) {
			this.failures.set(0);
		}
	}

	/**
	 * Counts a failure.
	 * @return whether there have been too many in a row
	 */
	boolean failed() {
		return this.failures.incrementAndGet() >= this.threshold;
	}

	boolean open(Outage found) {
		return this.outage.compareAndSet(null, found);
	}

	void close() {
		this.outage.set(null);
	}

	/**
	 * The outage behind an open circuit.
	 *
	 * @param shard the keys it concerns, or {@code null} for all
	 */
	record Outage(OutageCause cause, @Nullable Shard shard, byte @Nullable [] key) {
	}

}
