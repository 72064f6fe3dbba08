// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.call;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;

import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

/**
 * Makes and follows the promises of methods of one form, not one of several values. The
 * promise of a plain result is the value itself.
 */
public record Promises(ResultForm form) {

	public Promises {
		if (form.kind() == ResultForm.Kind.MULTIPLE) {
			throw new IllegalArgumentException("Not a form of one value");
		}
	}

	public @Nullable Object of(@Nullable Object value) {
		return switch (this.form.kind()) {
			case PLAIN -> value;
			case FUTURE -> CompletableFuture.completedFuture(value);
			case SINGLE, MULTIPLE -> this.form.publishing(value);
		};
	}

	/**
	 * Starts work whose promise is replaced if it fails.
	 * @param recovery completes with the replacement, or with the failure; called on the
	 * thread on which the promise has failed
	 */
	public @Nullable Object recovered(GuardedCall.Work work,
			Function<Throwable, CompletableFuture<@Nullable Object>> recovery) throws Throwable {
		if (!this.form.isPlain()) {
			// A copy, so that cancelling the promise does not cancel a recovery
			return promise((context) -> chained(started(work, context), (value, failure) -> (failure != null)
					? recovery.apply(failure).copy() : CompletableFuture.completedFuture(value)));
		}
		try {
			return work.start();
		}
		catch (Throwable failure) {
			CompletableFuture<@Nullable Object> instead = recovery.apply(failure);
			Throwable problem = Waiting.await(instead.<@Nullable Throwable>handle((value, ex) -> ex));
			if (problem != null) {
				// As it was thrown, which may be checked
				throw (problem == failure) ? failure : Waiting.cause(problem);
			}
			return instead.join();
		}
	}

	/**
	 * Chains a next promise to one that completes.
	 * @param next makes the next promise of the value; called on the thread on which the
	 * first one has completed
	 * @return the promise of the next one; cancelling it cancels the one that is under
	 * way
	 */
	public @Nullable Object then(@Nullable Object promise, Next next) throws Throwable {
		return this.form.isPlain() ? next.after(promise)
				: promise((context) -> chained(follow(promise, context), (value, failure) -> (failure != null)
						? CompletableFuture.failedFuture(failure) : started(() -> next.after(value), context)));
	}

	private static CompletableFuture<@Nullable Object> chained(CompletableFuture<@Nullable Object> first,
			BiFunction<@Nullable Object, @Nullable Throwable, CompletableFuture<@Nullable Object>> next) {
		CompletableFuture<@Nullable Object> last = new CompletableFuture<>();
		first.whenComplete((value, failure) -> {
			CompletableFuture<@Nullable Object> second = next.apply(value,
					(failure != null) ? Waiting.cause(failure) : null);
			second.whenComplete(passingTo(last));
			cancelWith(last, second);
		});
		cancelWith(last, first);
		return last;
	}

	// A publisher makes its future when it is subscribed to
	private Object promise(Function<@Nullable Object, CompletableFuture<@Nullable Object>> course) {
		return (this.form.kind() == ResultForm.Kind.FUTURE) ? course.apply(null)
				: Publishers.deferred(this.form, course);
	}

	private CompletableFuture<@Nullable Object> started(GuardedCall.Work work, @Nullable Object context) {
		try {
			return follow(work.start(), context);
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/**
	 * Follows a promise without blocking.
	 * @param context the context of a publisher's subscriber, or {@code null} for none
	 * @return completes with the value, exceptionally without wrappers; cancelling it
	 * cancels the promise
	 */
	public CompletableFuture<@Nullable Object> follow(@Nullable Object promise, @Nullable Object context) {
		if (this.form.isPlain()) {
			return CompletableFuture.completedFuture(promise);
		}
		boolean published = this.form.kind() != ResultForm.Kind.FUTURE;
		if (promise != null && published) {
			return Publishers.future(this.form, promise, context);
		}
		if (!(promise instanceof CompletionStage<?> stage)) {
			return CompletableFuture.failedFuture(new IllegalStateException(
					"The method has returned " + promise + " instead of a " + (published ? "publisher" : "future")));
		}
		CompletableFuture<@Nullable Object> followed = new CompletableFuture<>();
		stage.whenComplete(passingTo(followed));
		if (stage instanceof Future<?> work) {
			cancelWith(followed, work);
		}
		return followed;
	}

	private static void cancelWith(CompletableFuture<?> wanted, Future<?> work) {
		wanted.whenComplete((value, failure) -> {
			if (wanted.isCancelled()) {
				work.cancel(true);
			}
		});
	}

	static <T extends @Nullable Object> BiConsumer<T, @Nullable Throwable> passingTo(CompletableFuture<? super T> to) {
		return (value, failure) -> {
			if (failure == null) {
				to.complete(value);
			}
			else {
				to.completeExceptionally(Waiting.cause(failure));
			}
		};
	}

	@FunctionalInterface
	public interface Next {

		@Nullable Object after(@Nullable Object value) throws Throwable;

	}

}
