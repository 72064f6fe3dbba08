// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.stream;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.core.StandIn;
import io.ge.redis.core.outage.Waiting;

/**
 * Shows what is in the defined streams: lengths, unread and pending messages, ages and
 * dead letters.
 * <p>
 * Redis: one script call for each stream of a definition, which writes nothing.
 */
public interface StreamViews {

	/**
	 * Returns the names of the definitions.
	 */
	List<String> names();

	/**
	 * Looks at a definition and each of its streams.
	 * @throws io.ge.redis.core.invocation.NotConfiguredException if it is not configured
	 */
	CompletableFuture<StreamView> viewAsync(String name);

	/**
	 * Looks at a definition, as {@link #viewAsync}, and waits for the answer.
	 */
	default StreamView view(String name) {
		return Waiting.await(viewAsync(name));
	}

	/**
	 * Returns views of nothing, for where streams are switched off.
	 */
	static StreamViews unguarded() {
		return StandIn.of(StreamViews.class, Map.of("view",
				(call) -> new StreamView(String.valueOf(call[0]), 0, 0, 0, 0, 0, null, List.of(), List.of())));
	}

}
