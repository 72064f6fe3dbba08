// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.script;

import java.time.Duration;
import java.util.Map;

import io.ge.redis.core.structure.Definition;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Entities of scripts in the environment. All instances should agree.
 *
 * @param enabled whether entity scripts are available
 * @param connectionFactory name of the connection factory bean to use, if not the
 * application's only or primary one
 * @param entities kinds of entities by name
 */
@ConfigurationProperties("ge.redis.script")
public record ScriptProperties(@DefaultValue("true") boolean enabled, @Nullable String connectionFactory,
		@DefaultValue Map<String, Entity> entities) {

	private static final String ENTITIES = "ge.redis.script.entities";

	public ScriptProperties {
		Definition.check(ENTITIES, entities);
	}

	Entity entity(String name) {
		return Definition.find(this.entities, ENTITIES, "kind of entity", name);
	}

	/**
	 * One kind of entity.
	 *
	 * @param ttl time for which a key is kept that a script leaves without a TTL
	 * @param permanent whether keys without a TTL are kept for ever
	 */
	public record Entity(@Nullable Duration ttl, @DefaultValue("false") boolean permanent) implements Definition {
	}

}
