// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.call;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Schedulers;

import org.springframework.util.function.SingletonSupplier;

/**
 * A caller that takes a look-up to find, such as of a session, which most code on a
 * thread never needs. It is looked up once, when a guard on that thread asks and no other
 * provider knows. A failed look-up is a failure of the guarded call: no caller becomes
 * anonymous because a session could not be read.
 */
public final class PendingCaller {

	private static final ThreadBound<PendingCaller> CURRENT = new ThreadBound<>();

	private final Supplier<CompletableFuture<UnaryOperator<Runnable>>> search;

	private PendingCaller(Supplier<CompletableFuture<UnaryOperator<Runnable>>> search) {
		this.search = SingletonSupplier.of(search);
	}

	/**
	 * Lets tasks find a caller.
	 * @param search looks up the caller on demand
	 * @return runs a task whose guards may ask for the caller
	 */
	public static UnaryOperator<Runnable> binding(Supplier<CompletableFuture<UnaryOperator<Runnable>>> search) {
		return CURRENT.binding(new PendingCaller(search));
	}

	/**
	 * Asks for the caller.
	 * @throws RuntimeException if the caller cannot be looked up
	 */
	public static <T> @Nullable T ask(Supplier<@Nullable T> question) {
		T known = question.get();
		PendingCaller pending = CURRENT.get();
		if (known != null || pending == null) {
			return known;
		}
		AtomicReference<@Nullable T> answer = new AtomicReference<>();
		pending.found().apply(() -> answer.set(question.get())).run();
		return answer.get();
	}

	static UnaryOperator<Runnable> capture() {
		return CURRENT.capture();
	}

	/**
	 * Hides the caller of a thread from tasks for which another one is bound.
	 */
	static UnaryOperator<Runnable> hiding(UnaryOperator<Runnable> bound) {
		return (task) -> bound.apply(CURRENT.binding(null).apply(task));
	}

	private UnaryOperator<Runnable> found() {
		CompletableFuture<UnaryOperator<Runnable>> found = this.search.get();
		if (!found.isDone() && Schedulers.isInNonBlockingThread()) {
			throw new NotYetFoundException(found);
		}
		return Waiting.await(found);
	}

	/**
	 * The caller has to be waited for, on a thread that must not wait.
	 */
	static final class NotYetFoundException extends IllegalStateException {

		private final transient CompletableFuture<?> search;

		NotYetFoundException(CompletableFuture<?> search) {
			super("The caller must be looked up, which may block, but the lookup was requested on "
					+ Thread.currentThread().getName() + ", a thread that must not wait, such as an event loop's. "
					+ "Return a Mono, or have the handler called on a thread that may wait: by "
					+ "WebFluxConfigurer.configureBlockingExecution or spring.threads.virtual.enabled=true.");
			this.search = search;
		}

		CompletableFuture<?> search() {
			return this.search;
		}

	}

}
