// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.engine;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.ge.redis.core.connection.ReplyErrors;
import io.ge.redis.core.outage.Waiting;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Checks whether Redis lets this instance publish invalidations to the others. Scripts do
 * not fail if it does not, so old values in the memory of others would go unnoticed.
 */
public final class NearCheck {

	private static final Log logger = LogFactory.getLog(NearCheck.class);

	private final Supplier<CompletionStage<?>> trial;

	private final String channel;

	private final String channels;

	private final Executor later;

	private final AtomicBoolean underWay = new AtomicBoolean();

	private volatile boolean refused;

	private volatile boolean closed;

	/**
	 * Creates a check.
	 * @param channels the pattern of all channels that instances need
	 * @param later runs the next check if it is not known that all is well
	 */
	public NearCheck(Supplier<CompletionStage<?>> trial, String channel, String channels, Executor later) {
		this.trial = trial;
		this.channel = channel;
		this.channels = channels;
		this.later = later;
	}

	/**
	 * Checks, in the background, until a message is let through.
	 */
	public void run() {
		if (!this.closed && this.underWay.compareAndSet(false, true)) {
			this.trial.get().whenComplete((done, failure) -> {
				this.underWay.set(false);
				tried(failure);
			});
		}
	}

	private void tried(@Nullable Throwable failure) {
		if (failure == null) {
			if (this.refused) {
				this.refused = false;
				logger.warn("Redis lets this instance publish to '" + this.channel + "' again");
			}
			return;
		}
		if (!this.refused && ReplyErrors.isNoPermission(failure)) {
			this.refused = true;
			logger.error("Redis does not let this instance publish to '" + this.channel
					+ "', so others serve what it changes from memory until it is too old. Give its user the ACL rights"
					+ " &" + this.channels + " and +publish: " + Waiting.cause(failure).getMessage());
		}
		if (!this.closed) {
			this.later.execute(this::run);
		}
	}

	public void close() {
		this.closed = true;
	}

}
