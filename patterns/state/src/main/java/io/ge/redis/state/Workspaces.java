// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.state;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;

import io.ge.redis.core.StandIn;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * State that many instances and agents share: one workspace for each session, or for each
 * id of another kind.
 * <p>
 * Keys in Redis are a contract with other programs, and have no prefix:
 * {@code {session:101}:workspace} and its siblings, all in one slot. They live for
 * {@code ge.redis.state.ttl} after the last change.
 */
public interface Workspaces {

	/**
	 * Opens a workspace. Needs no Redis: a workspace exists once something is written.
	 * @param kind what it belongs to, such as {@code session}; also the name in meters,
	 * so there should be few
	 * @param id which one
	 * @throws IllegalArgumentException if kind or id is empty, longer than 200 bytes, or
	 * has braces, colons or control characters
	 */
	Workspace open(String kind, String id);

	/**
	 * Returns workspaces that are empty and forget what is written, for where shared
	 * state is switched off.
	 */
	static Workspaces unguarded() {
		WorkspaceSnapshot empty = new WorkspaceSnapshot(0, Map.of(), JsonMapper.shared());
		StandIn.Answer written = (call) -> new WriteResult(true, 0);
		Workspace workspace = StandIn.of(Workspace.class,
				Map.of("putIfAbsent", written, "compareAndSet", written, "move", (call) -> new WriteResult(false, 0),
						"update", (call) -> ofNothing(call[2]), "snapshot", (call) -> empty, "memory", (call) -> empty,
						"changes", (call) -> new StateChanges(List.of(), 0, 0, false), "join",
						(call) -> List.of(call[0]), "remember", (call) -> true));
		return (kind, id) -> workspace;
	}

	@SuppressWarnings("unchecked") // the parameter of update
	private static @Nullable Object ofNothing(@Nullable Object update) {
		return ((UnaryOperator<@Nullable Object>) Objects.requireNonNull(update)).apply(null);
	}

}
