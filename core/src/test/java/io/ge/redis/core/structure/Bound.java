// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.structure;

import java.util.HashMap;
import java.util.Map;

import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Properties as an application binds them.
 */
public final class Bound {

	private Bound() {
	}

	/**
	 * Binds properties.
	 * @param definitions where they are, such as {@code ge.redis.leaderboard.boards}
	 * @param properties keys below and values in turn
	 */
	public static <T> T of(Class<T> type, String definitions, String... properties) {
		Map<String, String> values = new HashMap<>();
		for (int i = 0; i < properties.length; i += 2) {
			values.put(definitions + "." + properties[i], properties[i + 1]);
		}
		return new Binder(new MapConfigurationPropertySource(values))
			.bindOrCreate(definitions.substring(0, definitions.lastIndexOf('.')), type);
	}

	/**
	 * Asserts that properties are refused.
	 */
	public static void refuses(String problem, Class<?> type, String definitions, String... properties) {
		assertThatExceptionOfType(BindException.class).isThrownBy(() -> of(type, definitions, properties))
			.havingRootCause()
			.withMessageContaining(problem);
	}

}
