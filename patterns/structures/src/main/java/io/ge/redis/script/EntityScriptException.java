// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.script;

import io.ge.redis.GeRedisException;
import org.jspecify.annotations.Nullable;

/**
 * An entity script does not compile, has failed, or has replied with something else than
 * declared. Its earlier writes stay. Over HTTP a 500.
 */
public class EntityScriptException extends GeRedisException {

	EntityScriptException(EntityScript<?> script, String problem, @Nullable Throwable cause) {
		super("Entity script '" + script.name() + "': " + problem, cause);
	}

}
