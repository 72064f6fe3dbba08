// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.structure;

import java.time.Duration;
import java.util.Map;

import io.ge.redis.Window;
import io.ge.redis.core.invocation.NotConfiguredException;
import io.ge.redis.core.invocation.PropertyChecks;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * A structure in the environment. Its keys have a TTL, or are declared permanent.
 */
public interface Definition {

	@Nullable Duration ttl();

	boolean permanent();

	/**
	 * Returns the TTL in milliseconds, as an argument of scripts.
	 * @return 0 if the keys are permanent
	 */
	default long timeToLive() {
		Duration ttl = ttl();
		return (ttl != null) ? ttl.toMillis() : 0;
	}

	/**
	 * Checks the further properties of this kind of structure.
	 * @param place the properties of this one, for messages
	 */
	default void validate(String place) {
	}

	/**
	 * Checks the names, the TTL and the rest of all definitions of a kind.
	 * @param properties where they are, such as {@code ge.redis.leaderboard.boards}
	 * @throws IllegalArgumentException names the property that is wrong
	 */
	static void check(String properties, Map<String, ? extends Definition> definitions) {
		PropertyChecks.each(properties, definitions, (definition, place) -> {
			Duration ttl = definition.ttl();
			Assert.isTrue(ttl != null || definition.permanent(),
					() -> place + ".ttl must be set, such as to 30d. For data that stays for ever, set " + place
							+ ".permanent=true");
			Assert.isTrue(ttl == null || !definition.permanent(),
					() -> "Set either " + place + ".ttl or " + place + ".permanent, not both");
			PropertyChecks.require(ttl == null || ttl.toMillis() >= 1, place + ".ttl", "at least 1ms", ttl);
			definition.validate(place);
		});
	}

	/**
	 * Returns the definition of a name.
	 * @param what the kind of structure, such as {@code leaderboard}
	 * @throws NotConfiguredException if there is none
	 */
	static <D extends Definition> D find(Map<String, D> definitions, String properties, String what, String name) {
		return NotConfiguredException.find(definitions, what, name, properties, "ttl=30d");
	}

	/** Checks that a window is kept until it ends. */
	static void requireKept(String place, Window window, @Nullable Duration ttl) {
		PropertyChecks.require(ttl == null || ttl.compareTo(window.length()) >= 0, place + ".ttl",
				"at least " + window.length() + ", the length of a window", ttl);
	}

}
