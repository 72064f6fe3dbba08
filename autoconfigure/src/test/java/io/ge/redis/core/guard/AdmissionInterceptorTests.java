/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.guard;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.invocation.GuardDescription;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.GuardedOperation;
import io.ge.redis.core.invocation.OperationSource;
import io.ge.redis.core.invocation.ReturnTypes;
import io.ge.redis.test.TestCalls;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

import org.springframework.aop.framework.ProxyFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link AdmissionInterceptor}: one guard, all forms of results.
 */
class AdmissionInterceptorTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private final GuardedCalls calls = TestCalls.plain();

	private final List<String> told = new CopyOnWriteArrayList<>();

	private final Door door = new Door();

	private Guard<Entrance> guard = (operation, invocation) -> Admission.proceed();

	private Door guarded() {
		Entrances source = new Entrances();
		ProxyFactory factory = new ProxyFactory(this.door);
		factory.setProxyTargetClass(true);
		factory.addAdvice(new AdmissionInterceptor<>(source, this.calls,
				(operation, invocation) -> this.guard.admit(operation, invocation)));
		return (Door) factory.getProxy();
	}

	@AfterEach
	void close() {
		this.calls.close();
	}

	@ParameterizedTest
	@EnumSource
	void callThatIsAdmittedProceeds(Form form) {
		assertThat(form.call(guarded())).isEqualTo("inside");
	}

	@ParameterizedTest
	@EnumSource
	void refusedCallDoesNotRun(Form form) {
		this.guard = (operation, invocation) -> {
			throw new IllegalStateException("closed");
		};
		assertThatIllegalStateException().isThrownBy(() -> form.call(guarded())).withMessage("closed");
		assertThat(this.door.entered).isZero();
	}

	@ParameterizedTest
	@EnumSource
	void callIsAnsweredInPlaceOfTheMethod(Form form) {
		this.guard = (operation, invocation) -> Admission.answer(() -> form.promise("outside"));
		assertThat(form.call(guarded())).isEqualTo("outside");
		assertThat(this.door.entered).isZero();
	}

	@ParameterizedTest
	@EnumSource
	void decisionIsWaitedFor(Form form) {
		CompletableFuture<Boolean> decision = new CompletableFuture<>();
		this.guard = (operation, invocation) -> {
			decision.completeAsync(() -> true);
			return Admission.pending(decision, (open) -> Admission.proceed(), (open) -> this.told.add("compensated"));
		};
		assertThat(form.call(guarded())).isEqualTo("inside");
		assertThat(this.told).isEmpty();
	}

	@ParameterizedTest
	@EnumSource
	void decisionMayRefuse(Form form) {
		this.guard = (operation, invocation) -> Admission.pending(CompletableFuture.completedFuture(false), (open) -> {
			throw new IllegalStateException("closed");
		}, (open) -> this.told.add("compensated"));
		assertThatIllegalStateException().isThrownBy(() -> form.call(guarded())).withMessage("closed");
		assertThat(this.told).isEmpty();
	}

	@ParameterizedTest
	@EnumSource
	void scopeHearsOfTheValueBeforeTheCaller(Form form) {
		this.guard = (operation, invocation) -> Admission.proceed(new Listening());
		assertThat(form.call(guarded())).isEqualTo("inside");
		assertThat(this.told).containsExactly("inside");
	}

	@ParameterizedTest
	@EnumSource
	void scopeHearsOfTheFailure(Form form) {
		this.guard = (operation, invocation) -> Admission.proceed(new Listening());
		this.door.failure = new IllegalStateException("stumbled");
		assertThatIllegalStateException().isThrownBy(() -> form.call(guarded())).withMessage("stumbled");
		assertThat(this.told).containsExactly("stumbled");
	}

	@ParameterizedTest
	@EnumSource
	void failureOfTheMethodIsNotReplacedByThatOfItsCompletion(Form form) {
		AssertionError uncompleted = new AssertionError("stuck");
		this.guard = (operation, invocation) -> Admission.proceed(new GuardScope() {

			@Override
			public CompletionStage<?> complete(@Nullable Object value, @Nullable Throwable failure) {
				return CompletableFuture.failedFuture(uncompleted);
			}

		});
		this.door.failure = new IllegalStateException("stumbled");
		assertThatIllegalStateException().isThrownBy(() -> form.call(guarded()))
			.withMessage("stumbled")
			.satisfies((failure) -> assertThat(failure.getSuppressed()).contains(uncompleted));
	}

	@Test
	void decisionForAnAbandonedCallIsCompensated() {
		CompletableFuture<Boolean> decision = new Uncancellable();
		this.guard = (operation, invocation) -> Admission.pending(decision, (open) -> Admission.proceed(),
				(open) -> this.told.add("compensated"));
		Disposable caller = guarded().enterLater().subscribe();
		caller.dispose();
		decision.complete(true);
		Awaitility.await().untilAsserted(() -> assertThat(this.told).containsExactly("compensated"));
		assertThat(this.door.entered).isZero();
	}

	@Test
	void interruptEndsTheWaitOfAPlainCallThatAllowsIt() {
		this.guard = (operation, invocation) -> Admission
			.pending(new CompletableFuture<Boolean>(), (open) -> Admission.proceed(), (open) -> {
			})
			.interruptible((interrupt) -> new CancellationException("left the queue"));
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(CancellationException.class).isThrownBy(() -> guarded().enter())
			.withMessage("left the queue");
		assertThat(Thread.interrupted()).isTrue();
	}

	/**
	 * The forms of results.
	 */
	enum Form {

		PLAIN {
			@Override
			Object call(Door door) {
				return door.enter();
			}

			@Override
			Object promise(String value) {
				return value;
			}
		},

		FUTURE {
			@Override
			Object call(Door door) {
				try {
					return door.enterAsync().orTimeout(30, TimeUnit.SECONDS).join();
				}
				catch (CompletionException ex) {
					throw (RuntimeException) ex.getCause();
				}
			}

			@Override
			Object promise(String value) {
				return CompletableFuture.completedFuture(value);
			}
		},

		PUBLISHER {
			@Override
			Object call(Door door) {
				return door.enterLater().block(LONG);
			}

			@Override
			Object promise(String value) {
				return Mono.just(value);
			}
		};

		abstract Object call(Door door);

		abstract Object promise(String value);

	}

	@Retention(RetentionPolicy.RUNTIME)
	@interface Guarded {

	}

	record Entrance(ResultForm form) implements GuardedOperation {

		@Override
		public List<GuardDescription> describe() {
			return List.of();
		}

	}

	private static final class Entrances extends OperationSource<Guarded, Entrance> {

		Entrances() {
			super(Guarded.class);
		}

		@Override
		protected Entrance parse(List<Guarded> annotations, GuardedMethod method) {
			return new Entrance(ReturnTypes.form(method));
		}

	}

	static class Door {

		int entered;

		@Nullable RuntimeException failure;

		@Guarded
		String enter() {
			this.entered++;
			if (this.failure != null) {
				throw this.failure;
			}
			return "inside";
		}

		@Guarded
		CompletableFuture<String> enterAsync() {
			return CompletableFuture.supplyAsync(this::enter);
		}

		@Guarded
		Mono<String> enterLater() {
			return Mono.fromCallable(this::enter);
		}

	}

	private final class Listening implements GuardScope {

		@Override
		public CompletionStage<?> complete(@Nullable Object value, @Nullable Throwable failure) {
			AdmissionInterceptorTests.this.told
				.add((failure != null) ? String.valueOf(failure.getMessage()) : String.valueOf(value));
			return DONE;
		}

	}

	/**
	 * Has been sent and is answered, whoever waits for it.
	 */
	private static final class Uncancellable extends CompletableFuture<Boolean> {

		@Override
		public boolean cancel(boolean mayInterruptIfRunning) {
			return false;
		}

	}

}
