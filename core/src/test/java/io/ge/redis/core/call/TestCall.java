// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.call;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * A call that takes one permit and notes what becomes of it.
 */
final class TestCall implements GuardedCall<String> {

	final CompletableFuture<String> answer = new CompletableFuture<>();

	final CompletableFuture<Void> ending = new CompletableFuture<>();

	final List<String> notes = new CopyOnWriteArrayList<>();

	final CompletableFuture<Void> interruption = new CompletableFuture<>();

	boolean interruptible = true;

	/** Taken and not yet given back in any way. */
	final AtomicInteger held = new AtomicInteger();

	/** Bound to the thread while the work begins. */
	static final ThreadLocal<@Nullable TestCall> current = new ThreadLocal<>();

	private final Supplier<@Nullable Object> work;

	volatile @Nullable Thread decidedOn;

	volatile @Nullable ContextView subscriber;

	volatile @Nullable ContextView subscriberWhenAsked;

	volatile Runnable deciding = () -> {
	};

	volatile Runnable telling = () -> {
	};

	TestCall(Supplier<@Nullable Object> work) {
		this.work = work;
	}

	/**
	 * Answers, as an engine does: who has cancelled in time has nothing.
	 */
	TestCall grant() {
		this.held.incrementAndGet();
		if (!this.answer.complete("granted")) {
			this.held.decrementAndGet();
		}
		return this;
	}

	TestCall end() {
		this.ending.complete(null);
		return this;
	}

	/**
	 * Returns whether it was never granted, or has ended in exactly one way.
	 */
	boolean isOver() {
		long ends = this.notes.stream().filter((note) -> note.startsWith("ended") || note.equals("given back")).count();
		return this.held.get() == 0 && ends == (this.answer.isCancelled() ? 0 : 1);
	}

	@Override
	public void subscribed(Object context) {
		this.subscriber = (ContextView) context;
	}

	@Override
	public CompletableFuture<String> ask() {
		this.subscriberWhenAsked = this.subscriber;
		this.notes.add("asked");
		return this.answer;
	}

	@Override
	public boolean isCancellable() {
		return true;
	}

	@Override
	public Work decide(String granted) {
		this.decidedOn = Thread.currentThread();
		this.notes.add(granted);
		this.deciding.run();
		if (granted.equals("refused")) {
			throw new IllegalArgumentException("refused");
		}
		return new Work() {

			@Override
			public void begin(Beginning beginning) throws Throwable {
				current.set(TestCall.this);
				try {
					beginning.run();
				}
				finally {
					current.remove();
				}
			}

			@Override
			public Object contextual(Object context) {
				return ((Context) context).put(TestCall.class, TestCall.this);
			}

			@Override
			public @Nullable Object start() {
				TestCall.this.notes.add("started");
				return TestCall.this.work.get();
			}

			@Override
			public @Nullable CompletionStage<?> interruption() {
				return TestCall.this.interruptible ? TestCall.this.interruption : null;
			}

			@Override
			public CompletionStage<?> end(@Nullable Object value, @Nullable Throwable failure) {
				TestCall.this.notes
					.add("ended with " + ((failure != null) ? failure.getClass().getSimpleName() : value));
				TestCall.this.held.decrementAndGet();
				return TestCall.this.ending;
			}

			@Override
			public void publishCompletion() {
				TestCall.this.telling.run();
			}

		};
	}

	@Override
	public void release(String granted) {
		this.notes.add("given back");
		this.held.decrementAndGet();
	}

}
