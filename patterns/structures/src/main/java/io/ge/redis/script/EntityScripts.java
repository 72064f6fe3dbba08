// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.script;

import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.core.StandIn;
import io.ge.redis.core.structure.BlockingCalls;

/**
 * Runs {@linkplain EntityScript scripts} of the application on the keys of one entity, of
 * the kinds that are configured below {@code ge.redis.script.entities}. No other caller
 * sees half of what a script does.
 * <p>
 * Redis: one script call. The keys {@code prefix:script:{entity:id}:key} are in one slot.
 * A key that is left without a TTL gets the one of its kind. If the outcome of a call
 * stays unknown ({@link io.ge.redis.RedisUnavailableException}), the script may have run.
 */
public interface EntityScripts {

	/**
	 * Runs a script.
	 * @param entity the kind of the entity, such as {@code agents}
	 * @param id of 1 to 200 bytes without braces, colons and control characters
	 * @param arguments at most 1000 strings, byte arrays and whole numbers
	 * @return completes with the reply, or exceptionally with
	 * {@link EntityScriptException}, or with
	 * {@link io.ge.redis.core.structure.StructureMismatchException} if a key holds data
	 * of another type
	 * @throws io.ge.redis.core.invocation.NotConfiguredException if the kind is not
	 * configured
	 */
	<T> CompletableFuture<T> runAsync(EntityScript<T> script, String entity, String id, Object... arguments);

	/** Runs a script and waits for the reply. */
	default <T> T run(EntityScript<T> script, String entity, String id, Object... arguments) {
		return BlockingCalls.await("EntityScripts.run", () -> runAsync(script, entity, id, arguments));
	}

	/** Returns scripts that do nothing, for where they are switched off. */
	static EntityScripts unguarded() {
		return StandIn.of(EntityScripts.class, Map.of("run", (call) -> ((EntityScript<?>) call[0]).nothing()));
	}

}
