// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.script;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;

import io.ge.redis.core.connection.GuardConnection;
import io.ge.redis.core.connection.ReplicatedConnection;
import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.KeySpace;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

/**
 * Tests for {@link ReplicaLanes}.
 */
class ReplicaLanesTests {

	private static final LuaScript SET = LuaScript.load(ReplicaLanesTests.class, "set.lua");

	private static final Duration SHORT = Duration.ofMillis(20);

	private static final Duration LONG = Duration.ofSeconds(10);

	private final GuardConnection connection = mock(GuardConnection.class);

	private final CompletableFuture<ReplicatedConnection> opening = new CompletableFuture<>();

	private final Server server = new Server();

	private final ReplicaLanes lanes = new ReplicaLanes(this.connection, (script, nanos, failure) -> {
	});

	private CompletableFuture<ReplicatedReply> run(String key, Duration connecting) {
		when(this.connection.openReplicated(any())).thenReturn(this.opening);
		return this.lanes.run(ScriptCall.of(SET, new KeySpace("ge", "test").entity(KeyPart.of(key))), 1, LONG,
				connecting);
	}

	@Test
	void connectionThatComesLateServesTheNextCalls() {
		CompletableFuture<ReplicatedReply> early = run("a", SHORT);
		assertThat(early).failsWithin(LONG).withThrowableThat().withCauseInstanceOf(TimeoutException.class);
		CompletableFuture<ReplicatedReply> patient = run("b", LONG);
		this.opening.complete(this.server);
		assertThat(patient).isNotDone();
		assertThat(run("c", SHORT)).isNotDone();
		this.server.acknowledge();
		assertThat(patient).isCompleted();
		assertThat(this.server.closed).isFalse();
		verify(this.connection).openReplicated(null);
	}

	@ParameterizedTest
	@CsvSource({ "MOVED 1 127.0.0.1:2, true, 1", "ASK 1 127.0.0.1:2, true, 0",
			"TRYAGAIN Multiple keys request during rehashing of slot, true, 0", "READONLY a replica, false, 0" })
	void slotThatMovesFailsItsOwnCallsOnly(String answer, boolean staysOpen, int mapsRead) {
		CompletableFuture<ReplicatedReply> moved = run("a", LONG);
		CompletableFuture<ReplicatedReply> movedToo = run("b", LONG);
		CompletableFuture<ReplicatedReply> other = run("c", LONG);
		when(this.connection.awaken(any(), any())).thenReturn(new CompletableFuture<>());
		this.opening.complete(this.server);
		this.server.calls.subList(0, 2).forEach((call) -> call.reply().completeExceptionally(new IOException(answer)));
		assertThat(this.server.isOpen()).isEqualTo(staysOpen);
		this.server.acknowledge();
		assertThat(List.of(moved, movedToo)).allMatch(CompletableFuture::isCompletedExceptionally);
		assertThat(other).isCompleted();
		verify(this.connection, times(mapsRead)).awaken(any(), any());
	}

	/**
	 * Answers when told to.
	 */
	private static final class Server implements ReplicatedConnection {

		private List<Call> calls = List.of();

		private CompletableFuture<Acknowledged> acknowledged = new CompletableFuture<>();

		private boolean closed;

		@Override
		public CompletionStage<Acknowledged> run(List<Call> calls, int replicas, long millis) {
			this.calls = calls;
			this.acknowledged = new CompletableFuture<>();
			return this.acknowledged;
		}

		void acknowledge() {
			this.calls.forEach((call) -> call.reply().complete(List.of(1L)));
			this.acknowledged.complete(new Acknowledged(1, -1));
		}

		@Override
		public boolean isOpen() {
			return !this.closed;
		}

		@Override
		public void close() {
			this.closed = true;
		}

	}

}
