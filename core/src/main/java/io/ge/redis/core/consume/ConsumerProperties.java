// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.consume;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;

import io.ge.redis.core.invocation.PropertyChecks;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;
import org.springframework.util.unit.DataSize;

/**
 * Settings by which this instance takes work from all sources.
 *
 * @param name name of this instance in consumer groups, such as the name of its pod; host
 * name and a random suffix if not set. Must not begin with ~
 * @param shutdownTimeout longest time that the shutdown waits for listeners; messages
 * that are not finished by then are delivered to other instances
 * @param reapAfter time without a heartbeat after which a consumer without messages is
 * removed from its group
 * @param maxProcessingTime time after which health reports a call of a listener; never if
 * not set
 * @param maxTakeBytes size of the messages that are taken together; a larger one is taken
 * alone
 */
@ConfigurationProperties("ge.redis.consumer")
public record ConsumerProperties(@Nullable String name, @DefaultValue("20s") Duration shutdownTimeout,
		@DefaultValue("1h") Duration reapAfter, @Nullable Duration maxProcessingTime,
		@DefaultValue("4MB") DataSize maxTakeBytes) {

	private static final String PREFIX = "ge.redis.consumer.";

	public ConsumerProperties {
		Assert.isTrue(name == null || !(name.isBlank() || name.startsWith("~")),
				PREFIX + "name must not be blank and not begin with '~', was '" + name + "'");
		Assert.isTrue(!shutdownTimeout.isNegative(),
				() -> PREFIX + "shutdown-timeout must not be negative, was " + shutdownTimeout);
		PropertyChecks.atLeastMillis(PREFIX + "max-processing-time", 1, maxProcessingTime);
		Assert.isTrue(reapAfter.toSeconds() >= 1, () -> PREFIX + "reap-after must be at least 1s, was " + reapAfter);
		PropertyChecks.atLeast(PREFIX + "max-take-bytes", 1, maxTakeBytes.toBytes());
		name = (name != null) ? name : host() + "-" + Long.toString(ThreadLocalRandom.current().nextLong(1L << 40), 36);
	}

	private static String host() {
		String pod = System.getenv("HOSTNAME");
		try {
			return (pod != null && !pod.isBlank()) ? pod : InetAddress.getLocalHost().getHostName();
		}
		catch (UnknownHostException ex) {
			return "consumer";
		}
	}

	/**
	 * Returns the name of this instance, one for each application context.
	 */
	public String consumerName() {
		return Objects.requireNonNull(this.name);
	}

}
