// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.counter;

import java.time.Duration;
import java.util.Map;

import io.ge.redis.Window;
import io.ge.redis.core.structure.Arguments;
import io.ge.redis.core.structure.Definition;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;

/**
 * Unique counters in the environment. All instances should agree.
 *
 * @param enabled whether unique counters are available
 * @param connectionFactory name of the connection factory bean to use, if not the
 * application's only or primary one
 * @param counters unique counters by name
 */
@ConfigurationProperties("ge.redis.counter")
public record CounterProperties(@DefaultValue("true") boolean enabled, @Nullable String connectionFactory,
		@DefaultValue Map<String, Counter> counters) {

	private static final String COUNTERS = "ge.redis.counter.counters";

	public CounterProperties {
		Definition.check(COUNTERS, counters);
	}

	Counter counter(String name) {
		return Definition.find(this.counters, COUNTERS, "unique counter", name);
	}

	/** Returns a counter whose last windows all exist. */
	Counter counter(String name, int windows) {
		Counter counter = counter(name);
		Arguments.count("windows", windows, 1);
		Assert.isTrue(windows == 1 || counter.window() != Window.NONE,
				() -> "Unique counter '" + name + "' has one window for all time. Set " + COUNTERS + "." + name
						+ ".window, such as to day, to count several");
		Duration ttl = counter.ttl();
		Duration needed = counter.window().length().multipliedBy(windows);
		Assert.isTrue(ttl == null || ttl.compareTo(needed) >= 0,
				() -> "Unique counter '" + name + "' does not keep " + windows + " windows: " + COUNTERS + "." + name
						+ ".ttl is " + ttl + ", and must be at least " + needed);
		return counter;
	}

	/**
	 * One unique counter.
	 *
	 * @param window period for which values are counted; several periods can be counted
	 * together
	 * @param ttl time for which a window is kept after the last value was added to it
	 * @param permanent whether windows are kept for ever
	 */
	public record Counter(@DefaultValue("none") Window window, @Nullable Duration ttl,
			@DefaultValue("false") boolean permanent) implements Definition {

		@Override
		public void validate(String place) {
			Definition.requireKept(place, this.window, this.ttl);
		}

	}

}
