// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.Socket;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * One direction of all connections of a {@link TcpProxy}.
 */
final class TcpLane {

	private static final int BUFFER_SIZE = 16 * 1024;

	private static final int PORTIONS_PER_SECOND = 50;

	private static final long NEVER = Long.MAX_VALUE;

	private Mode mode = Mode.OPEN;

	private Duration latency = Duration.ZERO;

	private long bytesPerSecond;

	private long bytesUntilReset = NEVER;

	private int resets;

	private final Set<Link> lossy = new HashSet<>();

	void open() {
		for (Link link : opened()) {
			link.reset();
		}
	}

	private synchronized List<Link> opened() {
		this.mode = Mode.OPEN;
		notifyAll();
		List<Link> broken = List.copyOf(this.lossy);
		this.lossy.clear();
		this.resets += broken.size();
		return broken;
	}

	synchronized void hold() {
		this.mode = Mode.HOLD;
	}

	synchronized void swallow() {
		this.mode = Mode.SWALLOW;
		notifyAll();
	}

	synchronized void latency(Duration latency) {
		this.latency = latency;
	}

	synchronized void bandwidth(long bytesPerSecond) {
		this.bytesPerSecond = bytesPerSecond;
	}

	synchronized void resetAfter(long bytes) {
		this.bytesUntilReset = bytes;
	}

	synchronized int resets() {
		return this.resets;
	}

	/**
	 * Forwards until one side has ended the connection, and then ends it for the other
	 * one: at once, or when the news is no longer swallowed.
	 */
	void pump(Socket from, Socket to, Link link, TcpLane opposite, RespCommandCounts.@Nullable Connection counted)
			throws IOException {
		TcpLane news = this;
		try {
			InputStream input = from.getInputStream();
			byte[] buffer = new byte[BUFFER_SIZE];
			for (int length = input.read(buffer); length >= 0; length = input.read(buffer)) {
				boolean delivered = awaitDelivery(link);
				if (counted != null) {
					counted.sent(buffer, length);
				}
				if (delivered) {
					// Whoever no longer takes anything says so the other way
					news = opposite;
					deliver(buffer, length, to.getOutputStream(), link);
					news = this;
				}
			}
		}
		finally {
			news.awaitEndOfLoss();
			link.close();
		}
	}

	/**
	 * Waits while things are held back.
	 * @return {@code false} if this is swallowed
	 */
	private boolean awaitDelivery(Link link) throws IOException {
		sleep(latency().toNanos());
		synchronized (this) {
			while (this.mode == Mode.HOLD) {
				await();
			}
			if (this.mode == Mode.SWALLOW) {
				this.lossy.add(link);
				return false;
			}
			// What follows a loss makes no sense
			return !this.lossy.contains(link);
		}
	}

	private synchronized void awaitEndOfLoss() throws IOException {
		while (this.mode == Mode.SWALLOW) {
			await();
		}
	}

	private void deliver(byte[] bytes, int length, OutputStream output, Link link) throws IOException {
		int sent = 0;
		while (sent < length) {
			long rate = rate();
			long portion = (rate > 0) ? Math.max(1, rate / PORTIONS_PER_SECOND) : length;
			Claim claim = claim((int) Math.min(portion, length - sent));
			output.write(bytes, sent, claim.bytes());
			sent += claim.bytes();
			if (claim.last()) {
				link.reset();
				return;
			}
			if (rate > 0) {
				sleep(TimeUnit.SECONDS.toNanos(1) * claim.bytes() / rate);
			}
		}
	}

	private synchronized Claim claim(int wanted) {
		int bytes = (int) Math.min(wanted, this.bytesUntilReset);
		if (this.bytesUntilReset == NEVER) {
			return new Claim(bytes, false);
		}
		this.bytesUntilReset -= bytes;
		if (this.bytesUntilReset > 0) {
			return new Claim(bytes, false);
		}
		this.bytesUntilReset = NEVER;
		this.resets++;
		return new Claim(bytes, true);
	}

	private void await() throws IOException {
		try {
			wait();
		}
		catch (InterruptedException ex) {
			throw new InterruptedIOException();
		}
	}

	private static void sleep(long nanos) throws IOException {
		try {
			TimeUnit.NANOSECONDS.sleep(nanos);
		}
		catch (InterruptedException ex) {
			throw new InterruptedIOException();
		}
	}

	private synchronized Duration latency() {
		return this.latency;
	}

	private synchronized long rate() {
		return this.bytesPerSecond;
	}

	/**
	 * A connection of a client together with its one to the server.
	 */
	interface Link {

		/**
		 * Ends the connection with FIN.
		 */
		void close();

		/**
		 * Ends the connection with RST.
		 */
		void reset();

	}

	private record Claim(int bytes, boolean last) {
	}

	private enum Mode {

		OPEN, HOLD, SWALLOW

	}

}
