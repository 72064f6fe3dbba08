// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.bus;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Warns of messages that cannot be handled: at most once a minute, and with the beginning
 * of a message only. A client that may publish to the channels can send any content, at
 * any rate and of any length.
 */
final class UnreadableMessages {

	static final int LONGEST = 200;

	private static final long PERIOD = TimeUnit.MINUTES.toNanos(1);

	private static final Log logger = LogFactory.getLog(UnreadableMessages.class);

	private final LongSupplier clock;

	private final AtomicLong count = new AtomicLong();

	private final AtomicLong due;

	UnreadableMessages(LongSupplier clock) {
		this.clock = clock;
		this.due = new AtomicLong(clock.getAsLong());
	}

	void add(String message, RuntimeException failure) {
		long unreported = this.count.incrementAndGet();
		long now = this.clock.getAsLong();
		long allowed = this.due.get();
		if (now - allowed >= 0 && this.due.compareAndSet(allowed, now + PERIOD)) {
			this.count.addAndGet(-unreported);
			logger.warn("Messages on the bus that could not be handled since the last such warning: " + unreported
					+ ". The last one begins with '" + beginning(message) + "': " + beginning(failure.toString()));
			logger.debug("It could not be handled", failure);
		}
	}

	// On one line, so that no message can forge lines of the log
	private static String beginning(String text) {
		return text.substring(0, Math.min(text.length(), LONGEST)).replaceAll("\\p{Cntrl}", "?");
	}

}
