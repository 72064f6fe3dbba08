/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import io.ge.redis.core.call.Handover;
import io.ge.redis.core.outage.Waiting;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.cache.interceptor.CacheOperationInvoker;

/**
 * One call of a method with Spring's annotations, from its beginning until its value is
 * there. Keeps the leases of what was not found, so that they are given back whatever
 * happens; lets the method run as a writer of what it puts or evicts, so that this is
 * announced before it commits.
 * <p>
 * An asynchronous method changes the database somewhere else, in transactions that nobody
 * here sees. What it puts or evicts is removed when it is done, each time: whoever
 * subscribes to a publisher once more changes the database once more. Whether a method is
 * one, its result tells if its declaration does not.
 */
final class SpringInvocation {

	private final MethodInvocation call;

	private final Function<SpringOperation, SpringProbe> probes;

	private volatile boolean asynchronous;

	/** Told by Spring before anything else happens. */
	private final List<SpringCacheView> views = new ArrayList<>(2);

	private final HeldMisses misses = new HeldMisses();

	/** The announced changes. */
	private final Set<CacheKey> done = ConcurrentHashMap.newKeySet();

	/** The changes of an asynchronous method, at each end, as far as known beforehand. */
	private volatile List<SpringTarget> pending = List.of();

	private volatile boolean ran;

	/** Completes when all that waits for the future of the method has gone on. */
	private volatile CompletableFuture<Void> told = CompletableFuture.completedFuture(null);

	private volatile boolean ended;

	/**
	 * Opens a call.
	 * @param probes evaluates the expressions of operations
	 */
	SpringInvocation(MethodInvocation call, Function<SpringOperation, SpringProbe> probes) {
		this.call = call;
		this.probes = probes;
		this.asynchronous = SpringTypes.isAsynchronous(call.getMethod());
	}

	SpringCacheView view(SpringCache cache, SpringOperation operation) {
		SpringCacheView view = cache.within(this, operation);
		this.views.add(view);
		return view;
	}

	@Nullable Object[] arguments() {
		return this.call.getArguments();
	}

	boolean isAsynchronous() {
		return this.asynchronous;
	}

	/**
	 * Returns the class by which the caller knows the bean.
	 */
	Class<?> proxyClass() {
		return (this.call instanceof ProxyMethodInvocation proxied) ? proxied.getProxy().getClass()
				: this.call.getMethod().getDeclaringClass();
	}

	// Readers

	void missed(SplitMiss miss, SpringCacheView view) {
		this.misses.add(miss, view);
		if (this.ended) {
			end(new CancellationException());
		}
	}

	/**
	 * Returns whether another operation of the call has asked for an entry and not found
	 * it.
	 */
	boolean isHeld(CacheKey key) {
		return this.misses.contains(key);
	}

	@Nullable SplitMiss take(CacheKey key) {
		return this.misses.take(key);
	}

	/**
	 * Evaluates the expressions of an operation anew.
	 */
	SpringProbe probe(SpringOperation operation) {
		return this.probes.apply(operation);
	}

	CacheSource source(CacheKey key, CacheType type, Callable<? extends @Nullable Object> loader,
			SpringCacheView view) {
		return new SpringSource(key, type, loader, this.call, view);
	}

	// Writers

	boolean isDone(CacheKey target) {
		return !this.asynchronous && this.done.contains(target);
	}

	// The method

	/**
	 * Runs the method.
	 * @throws CacheOperationInvoker.ThrowableWrapper if it throws
	 */
	@Nullable Object run(CacheOperationInvoker method) {
		if (this.views.isEmpty()) {
			return method.invoke();
		}
		this.ran = true;
		List<SpringTarget> targets = SpringTarget.of(this.views);
		CacheTransactions transactions = this.views.get(0).parts().transactions();
		int entered = this.misses.begin(transactions);
		try {
			return this.asynchronous ? promise(method, targets) : value(method, targets);
		}
		finally {
			for (int i = 0; i < entered; i++) {
				transactions.endLoad();
			}
		}
	}

	private @Nullable Object value(CacheOperationInvoker method, List<SpringTarget> targets) {
		try {
			Object value = write(method, targets, 0);
			if (!this.asynchronous) {
				this.misses.loaded();
			}
			return value;
		}
		catch (CacheOperationInvoker.ThrowableWrapper ex) {
			List<HeldMiss> failed = this.misses.fail();
			HeldMiss.Expired expired = isReplaceable(ex.getOriginal(), targets)
					? Waiting.await(HeldMisses.expired(failed)) : null;
			if (expired == null) {
				throw ex;
			}
			Object value = expired.content().value();
			return (this.call.getMethod().getReturnType() == Optional.class) ? Optional.ofNullable(value) : value;
		}
	}

	private @Nullable Object promise(CacheOperationInvoker method, List<SpringTarget> targets) {
		this.pending = targets;
		// The part of the change that is made at once belongs to the caller's transaction
		targets.forEach((target) -> target.parts().writer().evictWithTransaction(target.key()));
		Object promise = method.invoke();
		if (!(promise instanceof CompletableFuture<?> future)) {
			return promise;
		}
		CompletableFuture<@Nullable Object> value = new CompletableFuture<>();
		CompletableFuture<Void> told = new CompletableFuture<>();
		this.told = told;
		future.whenComplete((loaded, failure) -> {
			if (failure == null) {
				this.misses.loaded();
				value.complete(loaded);
				told.complete(null);
			}
			else {
				instead(Waiting.cause(failure), targets, value).whenComplete((none, unexpected) -> told.complete(null));
			}
		});
		return value;
	}

	private CompletableFuture<?> instead(Throwable failure, List<SpringTarget> targets,
			CompletableFuture<@Nullable Object> value) {
		List<HeldMiss> failed = this.misses.fail();
		CompletableFuture<HeldMiss.@Nullable Expired> expired = isReplaceable(failure, targets)
				? HeldMisses.expired(failed) : Handover.done(null);
		return this.views.get(0).parts().handover().then(expired, (found) -> {
			if (found != null) {
				value.complete(found.view().promised(found.content().value()));
			}
			else {
				value.completeExceptionally(failure);
			}
			return Handover.nothing();
		}).whenComplete((none, unexpected) -> {
			if (unexpected != null) {
				value.completeExceptionally(failure);
			}
		});
	}

	private static boolean isReplaceable(Throwable failure, List<SpringTarget> targets) {
		return targets.isEmpty() && !(failure instanceof Error) && !(failure instanceof UncacheableValueException)
				&& !(failure instanceof InterruptedException);
	}

	/**
	 * Ends the call when its value is there.
	 * @param result what Spring returns
	 * @param watcher tells when a value has come that was promised
	 * @return what the caller gets
	 */
	@Nullable Object ending(@Nullable Object result, CacheResultWatcher watcher) {
		if (this.views.isEmpty()) {
			return result;
		}
		if (!this.asynchronous || result == null || !SpringTypes.isLater(result)) {
			end(null);
			return result;
		}
		return (result instanceof CompletableFuture<?> future) ? ending(future) : watcher.watch(result, this::end);
	}

	// Of several puts Spring waits for the last one, which is told first
	private CompletableFuture<@Nullable Object> ending(CompletableFuture<?> future) {
		CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
		future.whenComplete((value, failure) -> this.told.whenComplete((none, unexpected) -> {
			end((failure != null) ? Waiting.cause(failure) : null);
			if (failure != null) {
				result.completeExceptionally(Waiting.cause(failure));
			}
			else {
				result.complete(value);
			}
		}));
		return result;
	}

	/**
	 * Ends the call, or one of several subscriptions to its result: what was not stored
	 * is given back, and what an asynchronous method has changed goes.
	 */
	void end(@Nullable Throwable failure) {
		this.ended = true;
		this.misses.end(failure, this.ran);
		for (SpringTarget target : this.pending) {
			target.parts().removeSoon(target.key());
		}
	}

	private @Nullable Object write(CacheOperationInvoker method, List<SpringTarget> targets, int index) {
		if (index == targets.size()) {
			Object result = method.invoke();
			if (result != null && SpringTypes.isLater(result)) {
				comesLater(targets);
			}
			return result;
		}
		SpringTarget target = targets.get(index);
		CacheWriter.Work work = () -> write(method, targets, index + 1);
		try {
			this.done.add(target.key());
			return target.write(work);
		}
		catch (RuntimeException | Error ex) {
			throw ex;
		}
		catch (Throwable ex) {
			throw new CacheOperationInvoker.ThrowableWrapper(ex);
		}
	}

	// The declared type has not told it
	private void comesLater(List<SpringTarget> targets) {
		this.pending = targets;
		this.asynchronous = true;
		this.misses.giveBackAtEnd();
	}

}
