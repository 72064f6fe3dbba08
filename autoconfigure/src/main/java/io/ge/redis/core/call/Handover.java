/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.call;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.UnaryOperator;

import io.ge.redis.core.connection.DaemonThreads;
import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

/**
 * Lets an application go on with what Redis has answered: on threads of its own, with
 * what was bound to the thread that asked, and never on a thread of the driver, which
 * must not wait for anything. There are as many threads as wait.
 */
public final class Handover implements AutoCloseable {

	private static final int IDLE_SECONDS = 30;

	private final UnaryOperator<Runnable> context;

	private final ThreadPoolExecutor threads;

	private final Executor instead;

	/**
	 * Creates a handover.
	 * @param context takes along what the application has bound to the calling thread
	 * @param name of the threads
	 */
	public Handover(UnaryOperator<Runnable> context, String name) {
		this(context, Integer.MAX_VALUE, DaemonThreads.named(name));
	}

	Handover(UnaryOperator<Runnable> context, int most, ThreadFactory factory) {
		this.context = context;
		this.instead = new CompletableFuture<>().defaultExecutor();
		// Who waits for an answer must get it although the application is being closed
		this.threads = new ThreadPoolExecutor(0, most, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(),
				factory, (task, pool) -> this.instead.execute(task));
	}

	/**
	 * Does the next step when an answer is there: at once on the current thread if it is
	 * already.
	 * @param answer the answer
	 * @param next the next step
	 * @param <S> the type of the answer
	 * @param <T> the type of the next step
	 * @return completes as the next step does, exceptionally without wrappers
	 */
	public <S extends @Nullable Object, T extends @Nullable Object> CompletableFuture<T> then(
			CompletableFuture<S> answer, Function<S, CompletableFuture<T>> next) {
		CompletableFuture<T> result = new CompletableFuture<>();
		Runnable step = () -> answer.whenComplete((value, failure) -> go(value, failure, next, result));
		if (answer.isDone()) {
			step.run();
		}
		else {
			Runnable carried = this.context.apply(step);
			answer.whenComplete((value, failure) -> execute(carried));
		}
		return result;
	}

	/**
	 * Does something on another thread, with nothing carried along.
	 * @param step what to do
	 */
	public void execute(Runnable step) {
		try {
			this.threads.execute(step);
		}
		catch (Throwable ex) {
			// Such as no more threads: whoever waits must go on nevertheless
			this.instead.execute(step);
		}
	}

	private static <S extends @Nullable Object, T extends @Nullable Object> void go(S value,
			@Nullable Throwable failure, Function<S, CompletableFuture<T>> next, CompletableFuture<T> result) {
		if (failure != null) {
			result.completeExceptionally(Waiting.cause(failure));
			return;
		}
		try {
			next.apply(value).whenComplete((last, lastFailure) -> {
				if (lastFailure != null) {
					result.completeExceptionally(Waiting.cause(lastFailure));
				}
				else {
					result.complete(last);
				}
			});
		}
		catch (Throwable ex) {
			result.completeExceptionally(ex);
		}
	}

	@Override
	public void close() {
		this.threads.shutdown();
	}

}
