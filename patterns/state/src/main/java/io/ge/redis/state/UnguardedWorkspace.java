/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.state;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * A workspace that is empty and forgets what is written.
 */
final class UnguardedWorkspace implements Workspace, ChangeSubscription {

	private static final WorkspaceSnapshot EMPTY = new WorkspaceSnapshot(0, Map.of(), JsonMapper.shared());

	private static <T> CompletableFuture<T> done(T value) {
		return CompletableFuture.completedFuture(value);
	}

	@Override
	public Workspace by(String agent) {
		return this;
	}

	@Override
	public Workspace withOperation(String id) {
		return this;
	}

	@Override
	public CompletableFuture<Long> putAsync(String field, @Nullable Object value) {
		return done(0L);
	}

	@Override
	public CompletableFuture<Long> appendAsync(String field, @Nullable Object entry) {
		return done(0L);
	}

	@Override
	public CompletableFuture<Long> incrementAsync(String field, long by) {
		return done(by);
	}

	@Override
	public CompletableFuture<WriteResult> putIfAbsentAsync(String field, @Nullable Object value) {
		return done(new WriteResult(true, 0));
	}

	@Override
	public CompletableFuture<WriteResult> compareAndSetAsync(String field, long expected, @Nullable Object value) {
		return done(new WriteResult(true, 0));
	}

	@Override
	public CompletableFuture<Boolean> removeAsync(String field) {
		return done(false);
	}

	@Override
	public <T> CompletableFuture<@Nullable T> updateAsync(String field, Class<T> type,
			UnaryOperator<@Nullable T> function) {
		return CompletableFuture.<@Nullable T>completedFuture(function.apply(null));
	}

	@Override
	public CompletableFuture<Long> mergePatchAsync(Object patch) {
		return done(0L);
	}

	@Override
	public CompletableFuture<WorkspaceSnapshot> snapshotAsync(String... fields) {
		return done(EMPTY);
	}

	@Override
	public CompletableFuture<StateChanges> changesAsync(long since) {
		return done(new StateChanges(List.of(), 0, 0, false));
	}

	@Override
	public ChangeSubscription listen(long since, ChangeListener listener) {
		return this;
	}

	@Override
	public long version() {
		return 0;
	}

	@Override
	public void close() {
	}

	@Override
	public CompletableFuture<List<String>> joinAsync(String agent) {
		return done(List.of(agent));
	}

	@Override
	public CompletableFuture<List<String>> membersAsync() {
		return done(List.of());
	}

	@Override
	public CompletableFuture<Boolean> rememberAsync(String agent, String field, @Nullable Object value) {
		return done(true);
	}

	@Override
	public CompletableFuture<WorkspaceSnapshot> memoryAsync(String agent) {
		return done(EMPTY);
	}

	@Override
	public CompletableFuture<WriteResult> moveAsync(String agent, String field) {
		return done(new WriteResult(false, 0));
	}

}
