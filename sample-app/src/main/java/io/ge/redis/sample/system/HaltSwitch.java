// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.system;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.ge.redis.broadcast.RedisBroadcastListener;
import io.ge.redis.core.consume.Consumers;

import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/**
 * Whether agents are halted, on this instance as on all others. The listener of triggers
 * does not start by itself, so an instance takes none before it knows. Triggers that come
 * meanwhile wait in their streams.
 */
@Component
class HaltSwitch implements SmartLifecycle {

	static final String CHANNEL = "system";

	private static final String AGENTS = "triggers/executor-group";

	private static final long LOOK_MILLIS = 20;

	private final Consumers consumers;

	private volatile boolean running;

	private volatile boolean halted;

	/** Whether the channel was read, which may have no message. */
	private boolean known;

	HaltSwitch(Consumers consumers) {
		this.consumers = consumers;
	}

	boolean isHalted() {
		return this.halted;
	}

	/**
	 * The channel is sticky: an instance that starts or comes back gets the last message.
	 */
	@RedisBroadcastListener(channel = CHANNEL)
	synchronized void changed(Halt message) {
		this.known = true;
		this.halted = message.halted();
		if (this.halted) {
			this.consumers.pause(AGENTS);
		}
		else {
			this.consumers.start(AGENTS);
		}
	}

	@Override
	public void start() {
		this.running = true;
		awaitChannel();
	}

	private synchronized void awaitChannel() {
		if (this.known || !this.running) {
			return;
		}
		boolean read = this.consumers.reports()
			.stream()
			.anyMatch((report) -> report.source().equals(CHANNEL) && report.sinceTaken() != null
					&& report.inFlight() == 0);
		if (read) {
			changed(new Halt(false));
		}
		else {
			CompletableFuture.delayedExecutor(LOOK_MILLIS, TimeUnit.MILLISECONDS).execute(this::awaitChannel);
		}
	}

	@Override
	public void stop() {
		this.running = false;
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	record Halt(boolean halted) {

	}

}
