// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.script;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.ge.redis.core.connection.GuardConnection;
import io.ge.redis.core.connection.ReplyErrors;
import org.jspecify.annotations.Nullable;

/**
 * Runs scripts by their SHA, one command and one round trip each, or by their text where
 * their order counts. A script that is nothing but a command is sent as that command.
 * <p>
 * A server that does not know a script (restarted, flushed, failed over, or a cluster
 * node that is new) answers {@code NOSCRIPT}; the call is then repeated with the text,
 * which loads the script into that server. {@code NOSCRIPT} means that nothing ran, so
 * the repetition executes the script once. It is omitted for an abandoned call. No
 * connection is blocked and no thread waits.
 * <p>
 * A server of a cluster answers {@code TRYAGAIN} while it moves a slot and has only some
 * of the keys. The call is repeated as long as its caller waits, and fails with that
 * answer.
 */
public final class ScriptExecutor {

	private static final long PAUSE_NANOS = 20_000_000;

	private final GuardConnection connection;

	private final ScriptListener listener;

	private final ReplicaLanes lanes;

	private final Map<LuaScript, LuaScript> withoutFlags = new ConcurrentHashMap<>();

	private volatile boolean flagsUnknown;

	public ScriptExecutor(GuardConnection connection, ScriptListener listener) {
		this.connection = connection;
		this.listener = listener;
		this.lanes = new ReplicaLanes(connection, listener);
	}

	/**
	 * Returns whether keys of different slots may live on different servers.
	 */
	public boolean isClustered() {
		return this.connection.isClustered();
	}

	/**
	 * Runs a script.
	 * @return a stage that completes with the reply, on a thread of the driver, or
	 * exceptionally with what the driver reported
	 */
	public CompletableFuture<ScriptReply> run(ScriptCall call) {
		return run(call, 0, null);
	}

	/**
	 * Runs a script for a caller with a limited wait.
	 * @param nanos the time for which the caller waits
	 * @param tooLate called when Redis has replied, or the driver has given up, after the
	 * caller has completed the stage; or {@code null}
	 */
	public CompletableFuture<ScriptReply> run(ScriptCall call, long nanos, @Nullable Runnable tooLate) {
		Execution execution = new Execution(call, variant(call.script()), nanos, tooLate);
		execution.start();
		return execution;
	}

	/**
	 * Loads scripts into the server, so that no first call has to. Does nothing on a
	 * cluster, where each server would need them.
	 * @return completes when the server has answered; never exceptionally, since a call
	 * loads a missing script
	 */
	public CompletionStage<?> teach(Collection<LuaScript> scripts) {
		return isClustered() ? CompletableFuture.completedStage(null)
				: CompletableFuture.allOf(scripts.stream()
					.map((script) -> this.connection.load(script.text()).handle((sha, failure) -> null))
					.map(CompletionStage::toCompletableFuture)
					.toArray(CompletableFuture[]::new));
	}

	private LuaScript variant(LuaScript script) {
		return script.hasFlags() && this.flagsUnknown ? withoutFlags(script) : script;
	}

	private LuaScript withoutFlags(LuaScript script) {
		return this.withoutFlags.computeIfAbsent(script, LuaScript::withoutFlags);
	}

	/**
	 * Runs a script on a connection of its own. Waits until replicas have its writes, and
	 * all earlier writes of the server.
	 * @param call the call; of a script without flags, and idempotent, since it may be
	 * sent on the common connection too
	 * @param replicas the number of required replicas, above zero
	 * @param timeout the time that they may take, counted from now even if others wait
	 * too; a round trip is added
	 * @param connecting the time for connecting, if that is necessary
	 * @return completes with the reply and the number of replicas, also if there were too
	 * few; exceptionally if that is not known
	 */
	public CompletableFuture<ReplicatedReply> runReplicated(ScriptCall call, int replicas, Duration timeout,
			Duration connecting) {
		return this.lanes.run(call, replicas, timeout, connecting);
	}

	private final class Execution extends CompletableFuture<ScriptReply> {

		private final ScriptCall call;

		private final LuaScript script;

		private final @Nullable Runnable tooLate;

		private final long started = System.nanoTime();

		/** Time for which it is sent again after {@code TRYAGAIN}. */
		private final long repeatNanos;

		Execution(ScriptCall call, LuaScript script, long nanos, @Nullable Runnable tooLate) {
			this.call = call;
			this.repeatNanos = nanos - 3 * PAUSE_NANOS; // with time for the answer
			this.script = script;
			this.tooLate = tooLate;
		}

		void start() {
			if (this.call.isInOrder()) {
				sendText(this.script);
				return;
			}
			send().whenComplete((reply, failure) -> {
				if (failure != null && ReplyErrors.isNoScript(failure) && !isDone()) {
					sendText(this.script);
				}
				else {
					finish(reply, failure);
				}
			});
		}

		private CompletionStage<List<?>> send() {
			GuardConnection connection = ScriptExecutor.this.connection;
			String command = this.script.command();
			return (command != null) ? connection.send(command, this.call.keys()[0], this.call.arguments())
					: connection.evalSha(this.script.sha(), this.call.keys(), this.call.arguments());
		}

		private void sendText(LuaScript variant) {
			ScriptExecutor.this.connection.eval(variant.text(), this.call.keys(), this.call.arguments())
				.whenComplete((reply, failure) -> {
					if (failure != null && variant.hasFlags() && ReplyErrors.isNotCompiled(failure)) {
						ScriptExecutor.this.flagsUnknown = true;
						sendText(withoutFlags(variant));
					}
					else {
						finish(reply, failure);
					}
				});
		}

		private void finish(@Nullable List<?> reply, @Nullable Throwable problem) {
			// A script looks why nothing is read, and there is nothing to acknowledge
			boolean absent = problem != null && this.script.command() != null && ReplyErrors.isNoGroup(problem);
			Throwable failure = absent ? null : problem;
			if (failure != null && System.nanoTime() - this.started < this.repeatNanos
					&& ReplyErrors.isTryAgain(failure)) {
				new CompletableFuture<>().completeOnTimeout(null, PAUSE_NANOS, TimeUnit.NANOSECONDS)
					.thenRun(this::start);
				return;
			}
			ScriptExecutor.this.listener.onExecuted(this.script, System.nanoTime() - this.started, failure);
			boolean inTime = (failure != null) ? completeExceptionally(failure)
					: complete(new ScriptReply((reply != null) ? reply : List.of()));
			if (!inTime && this.tooLate != null) {
				this.tooLate.run();
			}
		}

	}

}
