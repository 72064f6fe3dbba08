// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the commands in what clients send, however the bytes are cut into packets.
 */
final class RespCommandCounts {

	private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();

	long total() {
		return this.counts.values().stream().mapToLong(LongAdder::sum).sum();
	}

	long of(String name) {
		LongAdder count = this.counts.get(name.toUpperCase(Locale.ROOT));
		return (count != null) ? count.sum() : 0;
	}

	void reset() {
		this.counts.clear();
	}

	Connection newConnection() {
		return new Connection();
	}

	/**
	 * The bytes of one connection: arrays of bulk strings, whose first one is the name.
	 */
	final class Connection {

		private final ByteArrayOutputStream line = new ByteArrayOutputStream();

		private final ByteArrayOutputStream name = new ByteArrayOutputStream();

		private boolean nameExpected;

		private int bulkRemaining;

		void sent(byte[] buffer, int length) {
			for (int i = 0; i < length; i++) {
				if (this.bulkRemaining > 0) {
					bulk(buffer[i]);
				}
				else if (buffer[i] == '\n') {
					header(this.line.toString(StandardCharsets.US_ASCII).trim());
					this.line.reset();
				}
				else {
					this.line.write(buffer[i]);
				}
			}
		}

		private void header(String header) {
			if (header.startsWith("*")) {
				this.nameExpected = true;
			}
			else if (header.startsWith("$")) {
				this.bulkRemaining = Integer.parseInt(header.substring(1)) + "\r\n".length();
			}
		}

		private void bulk(byte next) {
			this.bulkRemaining--;
			if (!this.nameExpected) {
				return;
			}
			this.name.write(next);
			if (this.bulkRemaining == 0) {
				count(this.name.toString(StandardCharsets.US_ASCII).trim());
				this.name.reset();
				this.nameExpected = false;
			}
		}

		private void count(String command) {
			RespCommandCounts.this.counts.computeIfAbsent(command.toUpperCase(Locale.ROOT), (key) -> new LongAdder())
				.increment();
		}

	}

}
