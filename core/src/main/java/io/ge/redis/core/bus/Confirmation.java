// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.bus;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import io.ge.redis.core.connection.GuardConnection;

/**
 * Messages of an instance to itself. One that comes back shows that every earlier message
 * has arrived. Its content is the time at which it was sent, which other instances
 * ignore.
 */
final class Confirmation {

	static final Duration PERIOD = Duration.ofMillis(300);

	static final String TOPIC = "bus.ping";

	/** The most messages without an answer; more of them would show nothing new. */
	private static final int MOST_UNDER_WAY = 8;

	private final GuardConnection connection;

	private final byte[] channel;

	private final List<BooleanSupplier> wanted = new CopyOnWriteArrayList<>();

	private final AtomicInteger underWay = new AtomicInteger();

	private volatile long confirmedAt = never();

	Confirmation(GuardConnection connection, String channel) {
		this.connection = connection;
		this.channel = channel.getBytes(StandardCharsets.UTF_8);
	}

	void sendWhile(BooleanSupplier wanted) {
		this.wanted.add(wanted);
	}

	long confirmedAt() {
		return this.confirmedAt;
	}

	void sendIfWanted() {
		if (!isWanted() || this.underWay.get() >= MOST_UNDER_WAY) {
			return;
		}
		this.underWay.incrementAndGet();
		String message = TOPIC + ' ' + System.nanoTime();
		this.connection.publish(this.channel, message.getBytes(StandardCharsets.UTF_8))
			.whenComplete((done, failure) -> this.underWay.decrementAndGet());
	}

	// Asks all, since they free memory when asked
	private boolean isWanted() {
		boolean any = false;
		for (BooleanSupplier one : this.wanted) {
			any |= one.getAsBoolean();
		}
		return any;
	}

	void received(String sentAt) {
		this.confirmedAt = Long.parseLong(sentAt);
	}

	void forget() {
		this.confirmedAt = never();
	}

	private static long never() {
		return System.nanoTime() - Long.MAX_VALUE / 2;
	}

}
