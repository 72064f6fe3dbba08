// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.endpoint.GuardResource;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.event.GuardFigures;
import io.ge.redis.core.guard.FirstUse;
import io.ge.redis.core.guard.GuardAdvisor;
import io.ge.redis.core.guard.GuardPattern;
import io.ge.redis.core.guard.GuardedMethods;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.ExpressionCompiler;
import io.ge.redis.core.transaction.TransactionObserver;
import io.ge.redis.lock.DistributedLocks;
import io.ge.redis.lock.LockAssert;
import io.ge.redis.lock.LockContext;
import io.ge.redis.lock.LockProperties;

import org.springframework.aop.Advisor;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.util.function.SingletonSupplier;

/**
 * Assembles the locks: the advisor for annotated methods and the API for code share one
 * engine, which is made when the first of them is used. Stops after everything that
 * serves requests or runs tasks and before the connections: calls that still wait get no
 * lock, and releases under way reach Redis, so that the next instance need not wait for a
 * lease.
 */
@RegisterReflectionForBinding({ LockControl.Listing.class, LockControl.Look.class, LockControl.ReleaseReport.class })
public final class LockPattern implements GuardPattern, TransactionObserver, DisposableBean {

	private final LockRegistry locks;

	private final LockOperationSource source;

	private final FirstUse<LockEngine> engine;

	private final GuardedCalls calls;

	private final TransactionExecutionListener transactions = TransactionLocks.veto();

	private final TransactionExecutionListener reactiveTransactions = TransactionLocks.underLocks();

	private final Supplier<DefaultDistributedLocks> api;

	public LockPattern(Supplier<LockProperties> properties, AttributeReader attributes, ExpressionCompiler expressions,
			Supplier<RedisBackend> backend, GuardEvents events, GuardedCalls calls) {
		this.locks = new LockRegistry(SingletonSupplier.of(properties));
		this.source = new LockOperationSource(this.locks, attributes, expressions);
		this.engine = new FirstUse<>(() -> {
			RedisLocks redis = new RedisLocks(backend.get());
			return new LockEngine(redis, new RedisShares(backend.get(), redis), events, calls);
		});
		this.calls = calls;
		this.api = SingletonSupplier
			.of(() -> new DefaultDistributedLocks(this.locks, this.engine.get(), events, calls));
	}

	public GuardAdvisor advisor(int order) {
		return new GuardAdvisor(this.source, this.calls, new LockGuard(this.api), order, this.api);
	}

	/**
	 * Returns the advisor where locks are switched off. Annotated methods run under
	 * {@linkplain DistributedLocks#unguarded() granted} locks: with a fencing token, and
	 * known to {@link LockContext} and {@link LockAssert}. Keys are not evaluated.
	 */
	public static Advisor unguardedAdvisor(Supplier<LockProperties> properties, AttributeReader attributes,
			GuardedCalls calls, int order) {
		LockOperationSource source = new LockOperationSource(new LockRegistry(SingletonSupplier.of(properties)),
				attributes, null);
		LockedCall.Locks locks = (settings, keys, together, chain) -> CompletableFuture
			.completedFuture(LockAttemptResult.granted(settings));
		return new GuardAdvisor(source, calls, new LockGuard(() -> locks), order, () -> locks).unguarded();
	}

	@Override
	public TransactionExecutionListener transactionListener() {
		return this.transactions;
	}

	@Override
	public TransactionExecutionListener reactiveTransactionListener() {
		return this.reactiveTransactions;
	}

	public DistributedLocks distributedLocks() {
		return this.api.get();
	}

	public GuardResource control(GuardedMethods methods, GuardFigures figures) {
		return new LockControl(this.locks, this.engine, methods, figures);
	}

	public int waiting() {
		LockEngine made = this.engine.created();
		return (made != null) ? made.waiting() : 0;
	}

	public int held() {
		LockEngine made = this.engine.created();
		return (made != null) ? made.held() : 0;
	}

	@Override
	public void resume() {
		this.engine.ifCreated(LockEngine::start);
	}

	@Override
	public void pause() {
		this.engine.ifCreated(LockEngine::stop);
	}

	@Override
	public void destroy() {
		this.engine.ifCreated(LockEngine::close);
	}

}
