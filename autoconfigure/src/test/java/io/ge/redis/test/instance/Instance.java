// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.instance;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.ge.redis.test.Signals;
import io.ge.redis.test.oracle.Journal;
import org.jspecify.annotations.Nullable;

/**
 * One instance of an application in a JVM of its own.
 */
public final class Instance implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofSeconds(120);

	private final String name;

	private final ChildJvm child;

	private final @Nullable Path journal;

	private final Map<Failpoint, String> failpoints = new ConcurrentHashMap<>();

	private volatile boolean paused;

	private volatile boolean closed;

	private boolean deathNoted;

	Instance(String name, ChildJvm child, @Nullable Path journal) {
		this.name = name;
		this.child = child;
		this.journal = journal;
	}

	/**
	 * The name of this instance, as it stands in journals.
	 * @return the name
	 */
	public String name() {
		return this.name;
	}

	/**
	 * The process.
	 * @return its id
	 */
	public long pid() {
		return this.child.pid();
	}

	/**
	 * Runs an operation of the application on a thread of its own.
	 * @param operation the name of a bean of type {@link Operation}
	 * @param arguments passed to it
	 * @return completes with what it returns; fails with {@link InstanceCallException} if
	 * it throws and with {@link InstanceGoneException} if the process ends before it
	 * answers
	 */
	public CompletableFuture<String> call(String operation, String... arguments) {
		if (this.closed) {
			return CompletableFuture.failedFuture(new InstanceGoneException(this.name));
		}
		Object[] fields = new Object[arguments.length + 1];
		fields[0] = operation;
		System.arraycopy(arguments, 0, fields, 1, arguments.length);
		return this.child.send("call", fields);
	}

	/**
	 * Runs an operation and waits for its result.
	 * @param operation the name of a bean of type {@link Operation}
	 * @param arguments passed to it
	 * @return what it returns
	 * @throws InstanceCallException if it throws
	 * @throws InstanceGoneException if the process ends before it answers
	 */
	public String get(String operation, String... arguments) {
		return await(call(operation, arguments), operation);
	}

	/**
	 * Ends the process at once (SIGKILL).
	 */
	public void kill() {
		noteDeath(System.nanoTime());
		this.child.kill();
	}

	/**
	 * Asks the process to end (SIGTERM).
	 * @return completes when it has
	 */
	public CompletableFuture<?> terminate() {
		this.child.spend();
		this.child.process().destroy();
		return this.child.process().onExit();
	}

	/**
	 * Freezes the process (SIGSTOP).
	 */
	public void pause() {
		this.paused = true;
		Signals.pause(pid());
	}

	/**
	 * Lets a paused process go on (SIGCONT).
	 */
	public void resume() {
		Signals.resume(pid());
		this.paused = false;
	}

	/**
	 * Whether the process exists, be it paused.
	 * @return whether
	 */
	public boolean isRunning() {
		return !this.closed && this.child.process().isAlive();
	}

	/**
	 * Sets failpoints, which count from when this returns. An instance at work may be
	 * halted at one of them before it has said that it is set.
	 * @param failpoints the failpoints
	 * @throws IllegalArgumentException if there is no such method
	 */
	public void arm(Failpoint... failpoints) {
		for (Failpoint failpoint : failpoints) {
			String id = this.child.newId("failpoint");
			this.failpoints.put(failpoint, id);
			try {
				await(this.child.send("failpoint", id, failpoint.type(), failpoint.method(), failpoint.position(),
						failpoint.action()), "arm");
			}
			catch (InstanceCallException ex) {
				throw new IllegalArgumentException("There is no such failpoint: " + failpoint, ex);
			}
			catch (InstanceGoneException ex) {
				if (!isHaltedAtOneOf(failpoints)) {
					throw ex;
				}
				return;
			}
		}
	}

	private boolean isHaltedAtOneOf(Failpoint... failpoints) {
		return Arrays.stream(failpoints).anyMatch((failpoint) -> failpoint.action() == Failpoint.Action.HALT)
				&& status() == Woven.HALTED;
	}

	/**
	 * Waits until a failpoint has ended the process.
	 */
	public void awaitHalted() {
		long end = await(this.child.ended(), "halt");
		noteDeath(end);
		int status = status();
		if (status != Woven.HALTED) {
			throw new IllegalStateException(this.name + " ended with " + status + ", not at a failpoint\n" + log());
		}
	}

	private int status() {
		try {
			return this.child.process().waitFor();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted", ex);
		}
	}

	/**
	 * Waits until a thread has come to a failpoint.
	 * @param failpoint the failpoint, armed
	 */
	public void awaitReached(Failpoint failpoint) {
		await(this.child.failpoint(id(failpoint)), failpoint.toString());
	}

	/**
	 * Lets go on who waits at a failpoint, and who comes there later.
	 * @param failpoint the failpoint, armed
	 */
	public void release(Failpoint failpoint) {
		await(this.child.send("release", id(failpoint)), "release");
	}

	boolean hasReached(Failpoint failpoint) {
		return this.child.failpoint(id(failpoint)).isDone();
	}

	private String id(Failpoint failpoint) {
		String id = this.failpoints.get(failpoint);
		if (id == null) {
			throw new IllegalArgumentException("Not armed: " + failpoint);
		}
		return id;
	}

	/**
	 * Stops the application in order and waits for its end; operations may still be under
	 * way.
	 */
	public void stop() {
		await(this.child.send("stop"), "stop");
	}

	/**
	 * What the process has printed over all its instances.
	 * @return the output, for messages
	 */
	public String log() {
		return this.child.log();
	}

	/**
	 * Stops the application in order, or ends the process at once if it is paused or at
	 * work.
	 */
	@Override
	public void close() {
		if (this.closed) {
			return;
		}
		if (!this.child.isReusable() || this.paused || !this.child.isIdle()) {
			this.closed = true;
			this.child.remove();
			return;
		}
		try {
			stop();
		}
		catch (RuntimeException ex) {
			this.child.spend();
		}
		this.closed = true;
		ChildJvms.giveBack(this.child);
	}

	private void noteDeath(long nanos) {
		synchronized (this.failpoints) {
			if (this.journal == null || this.deathNoted) {
				return;
			}
			this.deathNoted = true;
		}
		try (Journal opened = Journal.open(this.journal, "end-of-" + this.name)) {
			opened.writeAt(nanos, Journal.DIED, this.name);
		}
	}

	private <T> T await(CompletableFuture<T> future, String what) {
		try {
			return future.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (TimeoutException ex) {
			throw new IllegalStateException(this.name + " does not answer: " + what + "\n" + log(), ex);
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof RuntimeException cause) {
				throw cause;
			}
			throw new CompletionException(ex.getCause());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted", ex);
		}
	}

	@Override
	public String toString() {
		return this.name + " (" + pid() + ")";
	}

}
