// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;

import javax.sql.DataSource;

import io.ge.redis.PrincipalProvider;
import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.bus.Reports;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.endpoint.GuardResource;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.event.GuardFigures;
import io.ge.redis.core.guard.FirstUse;
import io.ge.redis.core.guard.GuardAdvisor;
import io.ge.redis.core.guard.GuardPattern;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.ExpressionCompiler;
import io.ge.redis.core.transaction.TransactionObserver;
import io.ge.redis.idempotency.Idempotency;
import io.ge.redis.idempotency.IdempotencyProperties;
import io.ge.redis.idempotency.spi.IdempotencyKeySource;
import io.ge.redis.idempotency.spi.ResultCodecFactory;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.aop.Advisor;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.util.function.SingletonSupplier;

/**
 * Assembles idempotency: the advisors for annotated methods and the API for code share
 * one engine, which is created on first use.
 */
@RegisterReflectionForBinding({ IdempotencyControl.Listing.class, IdempotencyControl.ClearReport.class })
public final class IdempotencyPattern implements GuardPattern, TransactionObserver, DisposableBean {

	private final IdempotencyOperationSource source;

	private final TransactionWatch transactions = new TransactionWatch();

	private final GuardedCalls calls;

	private final IdempotencyRegistry operations;

	private final AvailableRecords records;

	private final FirstUse<IdempotencyEngine> engine;

	private final Supplier<Reports<IdempotencyReport>> reports;

	private final Supplier<DefaultIdempotency> idempotency;

	private volatile boolean used;

	/**
	 * Assembles the guard.
	 */
	public IdempotencyPattern(Supplier<IdempotencyProperties> properties, AttributeReader attributes,
			ExpressionCompiler expressions, Extensions extensions, Supplier<JsonMapper> mapper, DoubleSupplier verified,
			Supplier<RedisBackend> backend, GuardEvents events, GuardedCalls calls) {
		this.calls = calls;
		Supplier<IdempotencyProperties> settings = SingletonSupplier.of(properties);
		this.operations = new IdempotencyRegistry(settings);
		ResultCodecs codecs = new ResultCodecs(mapper, verified, extensions.codecs(),
				() -> settings.get().maxResultSize().toBytes());
		this.source = new IdempotencyOperationSource(this.operations, attributes, expressions, codecs,
				extensions.keySources());
		this.records = new AvailableRecords(settings, extensions.database());
		this.engine = new FirstUse<>(() -> IdempotencyEngine.on(backend.get()));
		this.reports = () -> IdempotencyReport.over(backend.get().bus());
		this.idempotency = SingletonSupplier.of(() -> new DefaultIdempotency(this.operations, codecs,
				SingletonSupplier.of(extensions.principals()), new IdempotentCall.Parts(this.engine.get(), events,
						this.records, this.transactions, calls, ConcurrentHashMap.newKeySet())));
	}

	@Override
	public TransactionExecutionListener transactionListener() {
		return this.transactions.ofThreads;
	}

	@Override
	public TransactionExecutionListener reactiveTransactionListener() {
		return this.transactions.ofSubscribers;
	}

	public GuardAdvisor advisor(int order) {
		this.used = true;
		return new GuardAdvisor(this.source, this.calls, new IdempotencyGuard(this.idempotency), order,
				this.idempotency);
	}

	/**
	 * Notes which calls have reached the method. It has the last position.
	 */
	public static Advisor reachedAdvisor() {
		return new ReachedAdvisor();
	}

	public Idempotency idempotency() {
		this.used = true;
		return this.idempotency.get();
	}

	public GuardResource control(GuardFigures figures) {
		return new IdempotencyControl(this.operations, () -> this.engine.get().redis(), this.reports, figures);
	}

	/**
	 * Looks for the table of an application that has idempotent calls, so that the start
	 * fails if it is required and missing.
	 */
	@Override
	public void verify() {
		if (this.used || this.operations.isWitnessConfigured()) {
			this.records.get();
		}
	}

	boolean isIdle() {
		IdempotencyEngine made = this.engine.created();
		return made == null || made.isIdle();
	}

	@Override
	public void destroy() {
		this.records.stop();
		this.engine.ifCreated(IdempotencyEngine::stop);
	}

	/**
	 * Extensions by other libraries, looked up on first use.
	 */
	public record Extensions(Supplier<List<IdempotencyKeySource>> keySources, Supplier<List<ResultCodecFactory>> codecs,
			Supplier<List<PrincipalProvider>> principals, Supplier<@Nullable DataSource> database) {
	}

}
