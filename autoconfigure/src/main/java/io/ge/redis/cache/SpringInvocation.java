/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.regex.Pattern;

import io.ge.redis.cache.CacheEvent.Access;
import io.ge.redis.core.call.Handover;
import io.ge.redis.core.invocation.InvalidKeyException;
import io.ge.redis.core.outage.Waiting;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.cache.interceptor.CacheOperationInvoker;
import org.springframework.util.ObjectUtils;

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

	private static final Pattern RESULT = Pattern.compile("#result\\b");

	private final MethodInvocation call;

	private final Function<SpringOperation, SpringProbe> probes;

	private volatile boolean asynchronous;

	/** Told by Spring before anything else happens. */
	private final List<SpringCacheView> views = new ArrayList<>(2);

	private final Map<CacheKey, Held> held = new ConcurrentHashMap<>(2);

	/** What is announced. */
	private final Set<CacheKey> done = ConcurrentHashMap.newKeySet();

	/** What an asynchronous method changes, at each end, as far as known beforehand. */
	private volatile List<Target> pending = List.of();

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
		if (miss.expired() == null) {
			view.parts().split().tell(miss, miss.access());
		}
		if (this.held.putIfAbsent(miss.key(), new Held(miss, view)) != null) {
			view.parts().split().giveBack(miss, false);
		}
		if (this.ended) {
			end(new CancellationException());
		}
	}

	/**
	 * Returns whether another operation of the call has asked for an entry and not found
	 * it.
	 */
	boolean isHeld(CacheKey key) {
		return this.held.containsKey(key);
	}

	@Nullable SplitMiss take(CacheKey key) {
		Held taken = this.held.remove(key);
		return (taken != null) ? taken.miss() : null;
	}

	/**
	 * Evaluates the expressions of an operation anew.
	 */
	SpringProbe probe(SpringOperation operation) {
		return this.probes.apply(operation);
	}

	CacheSource source(CacheKey key, CacheType type, Callable<? extends @Nullable Object> loader,
			SpringCacheView view) {
		return new Called(key, type, loader, this, view);
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
		List<Target> targets = targets();
		CacheTransactions transactions = this.views.get(0).parts().transactions();
		List<CacheKey> entered = new ArrayList<>(1);
		for (Held each : this.held.values()) {
			each.miss().begin();
			if (transactions.beginLoad(each.miss().key())) {
				entered.add(each.miss().key());
			}
		}
		try {
			return this.asynchronous ? promise(method, targets) : value(method, targets);
		}
		finally {
			entered.forEach((key) -> transactions.endLoad());
		}
	}

	private @Nullable Object value(CacheOperationInvoker method, List<Target> targets) {
		try {
			Object value = write(method, targets, 0);
			if (!this.asynchronous) {
				this.held.values().forEach(Held::loaded);
			}
			return value;
		}
		catch (CacheOperationInvoker.ThrowableWrapper ex) {
			List<Held> failed = fail();
			Expired expired = isReplaceable(ex.getOriginal(), targets) ? Waiting.await(expired(failed)) : null;
			if (expired == null) {
				throw ex;
			}
			Object value = expired.content().value();
			return (this.call.getMethod().getReturnType() == Optional.class) ? Optional.ofNullable(value) : value;
		}
	}

	private @Nullable Object promise(CacheOperationInvoker method, List<Target> targets) {
		this.pending = targets;
		// The part of the change that is made at once belongs to the caller's transaction
		targets.forEach((target) -> target.parts().caches().evictWithTransaction(target.key()));
		Object promise = method.invoke();
		if (!(promise instanceof CompletableFuture<?> future)) {
			return promise;
		}
		CompletableFuture<@Nullable Object> value = new CompletableFuture<>();
		CompletableFuture<Void> told = new CompletableFuture<>();
		this.told = told;
		future.whenComplete((loaded, failure) -> {
			if (failure == null) {
				this.held.values().forEach(Held::loaded);
				value.complete(loaded);
				told.complete(null);
			}
			else {
				instead(Waiting.cause(failure), targets, value).whenComplete((none, unexpected) -> told.complete(null));
			}
		});
		return value;
	}

	private CompletableFuture<?> instead(Throwable failure, List<Target> targets,
			CompletableFuture<@Nullable Object> value) {
		List<Held> failed = fail();
		CompletableFuture<@Nullable Expired> expired = isReplaceable(failure, targets) ? expired(failed)
				: Handover.done(null);
		return this.views.get(0).parts().handover().then(expired, (found) -> {
			if (found != null) {
				value.complete(found.held().view().promised(found.content().value()));
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

	private List<Held> fail() {
		List<Held> all = new ArrayList<>(this.held.values());
		all.forEach(Held::failed);
		return all;
	}

	private static boolean isReplaceable(Throwable failure, List<Target> targets) {
		return targets.isEmpty() && !(failure instanceof Error) && !(failure instanceof UncacheableValueException)
				&& !(failure instanceof InterruptedException);
	}

	// A value that has expired, for a method that has failed
	private CompletableFuture<@Nullable Expired> expired(List<Held> failed) {
		CompletableFuture<@Nullable Expired> found = Handover.done(null);
		for (Held each : failed) {
			found = found.thenCompose((before) -> (before != null) ? Handover.done(before) : each.expired());
		}
		return found;
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
		for (CacheKey key : this.held.keySet()) {
			Held left = this.held.remove(key);
			if (left != null) {
				left.end(failure, this.ran);
			}
		}
		for (Target target : this.pending) {
			target.parts().removeSoon(target.key());
		}
	}

	// Announcing

	private List<Target> targets() {
		List<Target> targets = new ArrayList<>(1);
		SpringOperation last = null;
		SpringProbe probe = null;
		for (SpringCacheView view : this.views) {
			SpringOperation operation = view.operation();
			if (!operation.isWriter()) {
				continue;
			}
			if (probe == null || operation != last) {
				probe = this.probes.apply(operation);
				last = operation;
			}
			if (!isExcluded(operation, probe)) {
				Target target = target(view, probe);
				if (target != null) {
					targets.add(target);
				}
			}
		}
		return targets;
	}

	private static boolean isExcluded(SpringOperation operation, SpringProbe probe) {
		String condition = operation.operation().getCondition();
		try {
			return !RESULT.matcher(condition).find() && !probe.passes(null);
		}
		catch (RuntimeException ex) {
			// Perhaps it can be evaluated when the method has run; if not, Spring tells
			return false;
		}
	}

	private static @Nullable Target target(SpringCacheView view, SpringProbe probe) {
		SpringOperation operation = view.operation();
		if (operation.isPut()) {
			// Refuses what cannot be read back before anything is changed
			view.type();
		}
		if (operation.isCacheWide()) {
			return new Target(view, CacheKey.whole(view.getName()));
		}
		Object key = keyBefore(operation, probe);
		if (key == null) {
			return null;
		}
		try {
			return new Target(view, view.key(key));
		}
		catch (InvalidKeyException ex) {
			if (ex.isCausedByArguments() && operation.hasOwnKey()) {
				// The method may make it, such as the id of a new row
				return null;
			}
			throw ex;
		}
	}

	private static @Nullable Object keyBefore(SpringOperation operation, SpringProbe probe) {
		if (RESULT.matcher(operation.operation().getKey()).find()) {
			return null;
		}
		try {
			return probe.key(null);
		}
		catch (RuntimeException ex) {
			// Perhaps it can be evaluated when the method has run; if not, Spring tells
			return null;
		}
	}

	private @Nullable Object write(CacheOperationInvoker method, List<Target> targets, int index) {
		if (index == targets.size()) {
			Object result = method.invoke();
			if (result != null && SpringTypes.isLater(result)) {
				comesLater(targets);
			}
			return result;
		}
		Target target = targets.get(index);
		DefaultCaches.Work work = () -> write(method, targets, index + 1);
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
	private void comesLater(List<Target> targets) {
		this.pending = targets;
		this.asynchronous = true;
		this.held.values().forEach(Held::giveBackAtEnd);
	}

	/**
	 * What was not found, and by which operation.
	 */
	private record Held(SplitMiss miss, SpringCacheView view) {

		private SplitReader split() {
			return this.view.parts().split();
		}

		void giveBackAtEnd() {
			split().giveBackAtEnd(this.miss);
		}

		void loaded() {
			split().loaded(this.miss, true);
			split().tell(this.miss, this.miss.access());
		}

		void failed() {
			split().loaded(this.miss, false);
			split().giveBack(this.miss, true);
		}

		CompletableFuture<@Nullable Expired> expired() {
			return split().expired(this.miss).thenApply((content) -> {
				if (content == null) {
					return null;
				}
				split().tell(this.miss, Access.STALE);
				return new Expired(this, content);
			});
		}

		void end(@Nullable Throwable failure, boolean ran) {
			if (ran) {
				split().loaded(this.miss, failure == null);
			}
			split().tell(this.miss, this.miss.access());
			if (failure == null && ran) {
				split().discard(this.miss);
			}
			else {
				split().giveBack(this.miss, ran && !(failure instanceof CancellationException));
			}
		}

	}

	private record Expired(Held held, CacheType.Content content) {
	}

	/**
	 * What an operation changes in one cache.
	 */
	private record Target(SpringCacheView view, CacheKey key) {

		SpringCacheParts parts() {
			return this.view.parts();
		}

		@Nullable Object write(DefaultCaches.Work work) throws Throwable {
			SpringOperation operation = this.view.operation();
			DefaultCaches caches = parts().caches();
			TransactionBoundary boundary = parts().boundary(operation);
			if (this.key.isWhole()) {
				return caches.invalidate(this.key.cache(), boundary, work, (result) -> CacheTags.ALL);
			}
			return caches.write(this.key, boundary, work,
					operation.isPut() ? this::value : DefaultCaches.Valuation.NOTHING);
		}

		private CacheWrite.@Nullable NewValue value(@Nullable Object result, long stamp) {
			if (this.view.isAsynchronous()) {
				return null;
			}
			Object value = ObjectUtils.unwrapOptional(result);
			// Another one, since each remembers whether its condition held
			SpringProbe after = this.view.probe();
			Object now = after.key(value);
			if (now == null || !this.view.key(now).equals(this.key) || !after.passes(value) || !after.stores(value)) {
				return null;
			}
			return parts().caches().newValue(this.key.cache(), value, stamp, null);
		}

	}

	/**
	 * The rest of a call whose cache asks for the value.
	 */
	private record Called(CacheKey key, CacheType type, Callable<? extends @Nullable Object> loader,
			SpringInvocation invocation, SpringCacheView view) implements CacheSource {

		@Override
		public @Nullable Object load() throws Exception {
			return this.loader.call();
		}

		@Override
		public CacheSource detached() {
			return (this.invocation.call instanceof ProxyMethodInvocation proxied)
					? new Repeated(this, proxied.invocableClone()) : this;
		}

		boolean isChanged() {
			Object now = this.view.probe().key(null);
			return now == null || !this.view.key(now).equals(this.key);
		}

	}

	/**
	 * A call that is repeated while its caller goes on, and may change the arguments.
	 */
	private static final class Repeated implements CacheSource {

		private final Called call;

		private final MethodInvocation rest;

		private boolean changed;

		Repeated(Called call, MethodInvocation rest) {
			this.call = call;
			this.rest = rest;
		}

		@Override
		public CacheKey key() {
			return this.call.key();
		}

		@Override
		public CacheType type() {
			return this.call.type();
		}

		@Override
		public @Nullable Object load() throws Throwable {
			this.changed = this.call.isChanged();
			Object value = ObjectUtils.unwrapOptional(this.rest.proceed());
			this.changed |= this.call.isChanged();
			return value;
		}

		@Override
		public boolean isStorable(@Nullable Object value) {
			return !this.changed;
		}

	}

}
