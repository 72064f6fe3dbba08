// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.bus;

import java.util.concurrent.atomic.AtomicReference;

import io.ge.redis.core.connection.ReplyErrors;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Whether Redis lets this instance use the channels. Logged once per transition.
 */
final class ChannelRights {

	private static final Log logger = LogFactory.getLog(ChannelRights.class);

	private final String channels;

	private final AtomicReference<@Nullable String> problem = new AtomicReference<>();

	ChannelRights(String channels) {
		this.channels = channels;
	}

	/**
	 * Takes the outcome of a command on the channels.
	 */
	void tried(@Nullable Throwable failure) {
		if (failure == null) {
			if (this.problem.getAndSet(null) != null) {
				logger.info("Redis lets this instance use the channels '" + this.channels + "' again");
			}
		}
		else if (ReplyErrors.isNoPermission(failure)) {
			String text = "Redis does not let this instance use the channels '" + this.channels
					+ "', so it is notified late of changes and released locks, and does not know the other instances. "
					+ "Give its user the ACL rights &" + this.channels + ", +subscribe, +unsubscribe and +publish.";
			if (this.problem.getAndSet(text) == null) {
				logger.warn(text);
			}
		}
	}

	/**
	 * Returns the remedy if the rights are known to be missing.
	 */
	@Nullable String problem() {
		return this.problem.get();
	}

}
