// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.state;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

import io.ge.redis.core.structure.BlockingCalls;
import org.jspecify.annotations.Nullable;

/**
 * Fields that many agents change at the same time. Each field is a JSON value, a list, or
 * a number that is incremented.
 * <p>
 * Each change raises the version of the workspace by one, and its fields get that
 * version; a field that does not exist has version 0. So writers of different fields
 * never conflict. Versions begin anew once a workspace has expired.
 * <p>
 * Redis: one script call for each method unless it says otherwise, whatever the size of
 * the workspace. A change whose reply is lost is sent again within
 * {@code ge.redis.outage.command-timeout}, and applied once. If the outcome stays unknown
 * ({@link io.ge.redis.RedisUnavailableException#isOutcomeUnknown()}), it may have been
 * applied; {@link #withOperation} makes it possible to repeat the call.
 * <p>
 * All methods throw {@link IllegalArgumentException} before Redis is asked: for names as
 * in {@link Workspaces#open}, for values that cannot be written as JSON, are larger than
 * {@code ge.redis.state.max-value-size} or have half of a surrogate pair. They complete
 * exceptionally with {@link io.ge.redis.core.structure.StructureMismatchException} if a
 * field, or a key, holds something else; then nothing is written. A version that is not
 * the expected one is no exception but a {@link WriteResult}. The method without
 * {@code Async} in its name waits for the result.
 */
public interface Workspace {

	/**
	 * Returns this workspace as an agent uses it: its changes name the agent in the feed
	 * and make it a {@linkplain #members() member}.
	 */
	Workspace by(String agent);

	/**
	 * Returns this workspace for one change that may be repeated: a further change with
	 * the same id is not applied, and returns the version of the first one. That holds
	 * while the first one is among the last {@code ge.redis.state.changes-kept}.
	 * {@link #update} and {@link #mergePatch} of nested objects compute their values
	 * anew, and these are dropped if the first one was applied.
	 * @param id such as an idempotency key; Redis holds only its hash
	 */
	Workspace withOperation(String id);

	/** Sets a field to JSON, replacing any value, and completes with the version. */
	CompletableFuture<Long> putAsync(String field, @Nullable Object value);

	/**
	 * Adds an entry to a list, which begins with the first one. Costs the same for any
	 * length; the oldest entry is removed beyond {@code ge.redis.state.max-list-length}.
	 * @return completes with the version
	 */
	CompletableFuture<Long> appendAsync(String field, @Nullable Object entry);

	/** Adds to a whole number, which begins with zero, and completes with the sum. */
	CompletableFuture<Long> incrementAsync(String field, long by);

	/** Sets a field unless it exists. */
	CompletableFuture<WriteResult> putIfAbsentAsync(String field, @Nullable Object value);

	/**
	 * Sets a field if it has not changed meanwhile.
	 * @param expected the version that it should have, 0 if it should not exist
	 */
	CompletableFuture<WriteResult> compareAndSetAsync(String field, long expected, @Nullable Object value);

	/** Removes a field, and completes with whether it existed. */
	CompletableFuture<Boolean> removeAsync(String field);

	/**
	 * Sets a field to the result of a function. After a concurrent change the function is
	 * called again with the new value, after a short random pause, up to
	 * {@code ge.redis.state.update-attempts} times. Each attempt costs two script calls.
	 * @param function takes the value or {@code null}, and returns the new one, or
	 * {@code null} to remove the field; called on another thread, and should have no side
	 * effects
	 * @return completes with the new value, or exceptionally with
	 * {@link UpdateConflictException} or the exception of the function
	 */
	<T> CompletableFuture<@Nullable T> updateAsync(String field, Class<T> type, UnaryOperator<@Nullable T> function);

	/**
	 * Applies a merge patch (RFC 7396) to the fields, all or nothing, as one change.
	 * Members that are null remove a field, whatever {@code @JsonInclude} says; objects
	 * are merged into the present ones: these are read first and written as
	 * {@link #update} does.
	 * @param patch an object in JSON, of at most 1,000 members with the names of JSON
	 * @return completes with the version
	 */
	CompletableFuture<Long> mergePatchAsync(Object patch);

	/**
	 * Reads fields, all of the same version of the workspace.
	 * @param fields which ones, none for all
	 */
	CompletableFuture<WorkspaceSnapshot> snapshotAsync(String... fields);

	/**
	 * Reads changes.
	 * @param since a version; later changes are returned, up to 1,000
	 */
	CompletableFuture<StateChanges> changesAsync(long since);

	/**
	 * Has a listener called with each change in order, until the subscription or the
	 * application is closed. Costs a script call every 25 ms while there are changes, and
	 * every 250 ms while there are none.
	 * @param since the version after which to begin
	 */
	ChangeSubscription listen(long since, ChangeListener listener);

	/**
	 * Makes an agent a member, or keeps it one, for {@code ge.redis.state.member-ttl}. To
	 * be repeated, unless the agent {@linkplain #by changes} something meanwhile.
	 * @return completes with the members
	 */
	CompletableFuture<List<String>> joinAsync(String agent);

	/** Completes with the agents that were seen lately, longest seen first. */
	CompletableFuture<List<String>> membersAsync();

	/**
	 * Sets a field of the private memory of an agent: the hash
	 * {@code {session:101}:agent:A:memory}, which has no versions and lives for
	 * {@code ge.redis.state.ttl} after the last change by the agent.
	 * @param value written as JSON, or {@code null} to remove the field
	 * @return completes with whether the field was added or removed
	 */
	CompletableFuture<Boolean> rememberAsync(String agent, String field, @Nullable Object value);

	/** Reads the memory of an agent. Its fields have version 0, as has the snapshot. */
	CompletableFuture<WorkspaceSnapshot> memoryAsync(String agent);

	/**
	 * Moves a field from the memory of an agent to the workspace, as a change by the
	 * agent. It replaces a field of that name.
	 * @return completes with whether there was such a field, and the version of the
	 * workspace
	 */
	CompletableFuture<WriteResult> moveAsync(String agent, String field);

	default long put(String field, @Nullable Object value) {
		return BlockingCalls.await("Workspace.put", () -> putAsync(field, value));
	}

	default long append(String field, @Nullable Object entry) {
		return BlockingCalls.await("Workspace.append", () -> appendAsync(field, entry));
	}

	default long increment(String field, long by) {
		return BlockingCalls.await("Workspace.increment", () -> incrementAsync(field, by));
	}

	default WriteResult putIfAbsent(String field, @Nullable Object value) {
		return BlockingCalls.await("Workspace.putIfAbsent", () -> putIfAbsentAsync(field, value));
	}

	default WriteResult compareAndSet(String field, long expected, @Nullable Object value) {
		return BlockingCalls.await("Workspace.compareAndSet", () -> compareAndSetAsync(field, expected, value));
	}

	default boolean remove(String field) {
		return BlockingCalls.await("Workspace.remove", () -> removeAsync(field));
	}

	default <T> @Nullable T update(String field, Class<T> type, UnaryOperator<@Nullable T> function) {
		return BlockingCalls.<@Nullable T>await("Workspace.update", () -> updateAsync(field, type, function));
	}

	default long mergePatch(Object patch) {
		return BlockingCalls.await("Workspace.mergePatch", () -> mergePatchAsync(patch));
	}

	default WorkspaceSnapshot snapshot(String... fields) {
		return BlockingCalls.await("Workspace.snapshot", () -> snapshotAsync(fields));
	}

	default StateChanges changes(long since) {
		return BlockingCalls.await("Workspace.changes", () -> changesAsync(since));
	}

	default List<String> join(String agent) {
		return BlockingCalls.await("Workspace.join", () -> joinAsync(agent));
	}

	default List<String> members() {
		return BlockingCalls.await("Workspace.members", this::membersAsync);
	}

	default boolean remember(String agent, String field, @Nullable Object value) {
		return BlockingCalls.await("Workspace.remember", () -> rememberAsync(agent, field, value));
	}

	default WorkspaceSnapshot memory(String agent) {
		return BlockingCalls.await("Workspace.memory", () -> memoryAsync(agent));
	}

	default WriteResult move(String agent, String field) {
		return BlockingCalls.await("Workspace.move", () -> moveAsync(agent, field));
	}

}
