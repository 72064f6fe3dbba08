// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.script;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.ge.redis.core.connection.GuardConnection;
import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.key.RedisKey;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

/**
 * Tests for {@link ScriptExecutor}.
 */
class ScriptExecutorTests {

	private static final LuaScript SET = LuaScript.load(ScriptExecutorTests.class, "set.lua");

	private static final RedisKey KEY = new KeySpace("ge", "test").entity(KeyPart.of("key"));

	private static final ScriptCall CALL = ScriptCall.of(SET, KEY);

	private final GuardConnection connection = mock(GuardConnection.class);

	private final ScriptExecutor scripts = new ScriptExecutor(this.connection, (script, nanos, failure) -> {
	});

	private final CompletableFuture<List<?>> answer = new CompletableFuture<>();

	@Test
	void scriptThatIsNotKnownIsSentAgainByItsText() {
		when(this.connection.evalSha(any(), any(), any())).thenReturn(this.answer);
		when(this.connection.eval(any(), any(), any())).thenReturn(CompletableFuture.completedFuture(List.of(1L)));
		CompletableFuture<ScriptReply> reply = this.scripts.run(CALL);
		this.answer.completeExceptionally(new IOException("NOSCRIPT No matching script"));
		assertThat(reply).isCompletedWithValueMatching((ran) -> ran.number(0) == 1);
	}

	@Test
	void scriptThatIsNotKnownIsNotSentAgainForACallerWhoHasGivenUp() {
		when(this.connection.evalSha(any(), any(), any())).thenReturn(this.answer);
		AtomicInteger late = new AtomicInteger();
		CompletableFuture<ScriptReply> reply = this.scripts.run(CALL, 0, late::incrementAndGet);
		reply.cancel(false);
		this.answer.completeExceptionally(new IOException("NOSCRIPT No matching script"));
		assertThat(late).hasValue(1);
		verify(this.connection, never()).eval(any(), any(), any());
	}

	@Test
	void serverThatKnowsNoFlagsIsSentNoneAgainWhateverTheScript() {
		LuaScript count = LuaScript.load(ScriptExecutorTests.class, "count.lua");
		when(this.connection.evalSha(any(), any(), any())).thenReturn(this.answer);
		when(this.connection.eval(any(), any(), any())).thenReturn(CompletableFuture.completedFuture(List.of(1L)));
		when(this.connection.eval(eq(SET.runningWithoutMemory().text()), any(), any()))
			.thenReturn(CompletableFuture.failedFuture(new IOException("ERR Error compiling script (new function)")));
		assertThat(this.scripts.run(ScriptCall.of(SET.runningWithoutMemory(), KEY).inOrder())).isCompleted();
		this.scripts.run(ScriptCall.of(count.runningWithoutMemory(), KEY).inOrder());
		verify(this.connection).eval(eq(count.text()), any(), any());
		this.scripts.run(ScriptCall.of(count.runningWithoutMemory(), KEY));
		verify(this.connection).evalSha(eq(count.sha()), any(), any());
	}

	@Test
	void sendsAScriptThatIsACommandAsTheCommand() {
		LuaScript read = LuaScript.command(ScriptExecutorTests.class, "read", "HMGET");
		assertThat(read.name()).isEqualTo("script/read");
		ScriptCall call = ScriptCall.of(read, KEY, "field");
		when(this.connection.send(any(), any(), any())).thenReturn(this.answer);
		this.scripts.run(call);
		verify(this.connection, never()).evalSha(any(), any(), any());
		verify(this.connection).send(eq("HMGET"), eq(call.keys()[0]), eq(call.arguments()));
	}

}
