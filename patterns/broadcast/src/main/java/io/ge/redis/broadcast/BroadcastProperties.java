// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.broadcast;

import java.time.Duration;
import java.util.Map;

import io.ge.redis.core.consume.Backoff;
import io.ge.redis.core.invocation.NotConfiguredException;
import io.ge.redis.core.invocation.PropertyChecks;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;
import org.springframework.util.unit.DataSize;

/**
 * Broadcasts in the environment. All instances should agree.
 *
 * @param enabled whether messages are published and listened for
 * @param connectionFactory name of the connection factory bean to use, if not the
 * application's only or primary one
 * @param channels channels by name
 */
@ConfigurationProperties("ge.redis.broadcast")
public record BroadcastProperties(@DefaultValue("true") boolean enabled, @Nullable String connectionFactory,
		@DefaultValue Map<String, Channel> channels) {

	private static final String CHANNELS = "ge.redis.broadcast.channels";

	public BroadcastProperties {
		PropertyChecks.each(CHANNELS, channels, Channel::validate);
	}

	Channel channel(String name) {
		return NotConfiguredException.find(this.channels, "channel", name, CHANNELS, "retention=1000");
	}

	/**
	 * One channel.
	 *
	 * @param mode whether messages are kept for instances that are not connected:
	 * reliable or ephemeral
	 * @param retention number of messages that a reliable channel keeps
	 * @param sticky whether an instance that starts gets the last message of a reliable
	 * channel, regardless of its age
	 * @param onGap what a listener gets of the kept messages if earlier ones are missing:
	 * continue or latest
	 * @param maxAttempts number of calls of a listener of a reliable channel before it
	 * skips a message
	 * @param backoff delay before a listener that has failed is called again
	 * @param maxPayloadSize largest size of a message as JSON; a larger one is refused
	 * @param autoStartup whether its listener starts with the application; as the
	 * annotation says if not set
	 */
	public record Channel(@DefaultValue("reliable") Mode mode, @DefaultValue("0") int retention,
			@DefaultValue("false") boolean sticky, @DefaultValue("continue") OnGap onGap,
			@DefaultValue("5") int maxAttempts, @DefaultValue Backoff backoff,
			@DefaultValue("1MB") DataSize maxPayloadSize, @Nullable Boolean autoStartup) {

		boolean isReliable() {
			return this.mode == Mode.RELIABLE;
		}

		private void validate(String place) {
			Assert.isTrue(!isReliable() || this.retention >= 1, () -> place
					+ ".retention must be set to at least 1, such as 1000: a reliable channel keeps that many messages");
			Assert.isTrue(isReliable() || (this.retention == 0 && !this.sticky), () -> place
					+ ": an ephemeral channel keeps nothing. Remove retention and sticky, or set mode to reliable");
			PropertyChecks.atLeast(place + ".max-attempts", 1, this.maxAttempts);
			PropertyChecks.atLeast(place + ".max-payload-size", 1, this.maxPayloadSize.toBytes());
		}

	}

	/**
	 * Whether messages are kept and read by each instance from where it was, or reach the
	 * instances that are connected at the time.
	 */
	public enum Mode {

		RELIABLE, EPHEMERAL

	}

	/**
	 * Which of the messages behind missing ones a listener gets: all, or the last one of
	 * each read.
	 */
	public enum OnGap {

		CONTINUE, LATEST

	}

}
