// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.core.key.KeySpace;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;

/**
 * Settings of all guards.
 *
 * @param enabled whether annotated methods are guarded; if not, they run unguarded
 * @param keyPrefix first segment of every key and channel, without braces or white space;
 * applications that share a Redis database need different ones
 * @param startup whether the application starts if a Redis that it uses cannot be used
 * @param verifyRoundTrip share of cached values and idempotent results, from 0 to 1, that
 * are read back and compared before they are stored; the first of each type always is
 * @param aop where the guards stand among other advice
 */
@ConfigurationProperties("ge.redis")
record GeRedisProperties(@DefaultValue("true") boolean enabled, @DefaultValue("ge") String keyPrefix,
		@DefaultValue("lenient") Startup startup, @DefaultValue("0") double verifyRoundTrip, @DefaultValue Aop aop) {

	GeRedisProperties {
		if (!KeySpace.isPlain(keyPrefix)) {
			throw new GuardConfigurationException("ge.redis.key-prefix",
					"\"" + keyPrefix + "\" cannot be the first part of keys.",
					"Write a text without white space, braces and control characters, such as my-app.");
		}
		Assert.isTrue(verifyRoundTrip >= 0 && verifyRoundTrip <= 1,
				"ge.redis.verify-round-trip must be from 0 to 1, such as 0.01 for one value of a hundred");
	}

	/** The reaction of a start if Redis cannot be used. */
	enum Startup {

		/** The application starts; the policies for outages apply. */
		LENIENT,

		/** The start fails. */
		REQUIRE

	}

	/**
	 * The position of the guards among other advice.
	 *
	 * @param order order of the outermost guard, lower is further out; the other guards
	 * follow in steps of 100
	 */
	record Aop(@DefaultValue("" + AdviceOrder.DEFAULT_BASE) int order) {
	}

}
