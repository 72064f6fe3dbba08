// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.guard;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.invocation.GuardDescription;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.GuardedOperation;
import io.ge.redis.core.invocation.OperationSource;
import io.ge.redis.core.invocation.ReturnTypes;
import io.ge.redis.test.TestCalls;
import org.aopalliance.intercept.MethodInvocation;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.aop.framework.ProxyFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link GuardInterceptor}: one guard, all forms of results.
 */
class GuardInterceptorTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private final GuardedCalls calls = TestCalls.plain();

	private final List<String> told = new CopyOnWriteArrayList<>();

	private final ThreadLocal<@Nullable String> bound = new ThreadLocal<>();

	private final Door door = new Door();

	private Asked ask = () -> CompletableFuture.completedFuture(true);

	private Decided decide = (work, open) -> work;

	private boolean interruptible;

	private boolean cancellable;

	private Door guarded() {
		return guarded(this.door);
	}

	@SuppressWarnings("unchecked")
	private <T> T guarded(T target) {
		Entrances source = new Entrances();
		GuardAdvisor.Parts<Entrance> parts = new GuardAdvisor.Parts<>(source, this.calls, Entry::new, () -> this);
		ProxyFactory factory = new ProxyFactory(target);
		factory.setProxyTargetClass(true);
		factory.addAdvice(new GuardInterceptor<>(() -> parts));
		return (T) factory.getProxy();
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
		this.ask = () -> {
			throw new IllegalStateException("closed");
		};
		assertThatIllegalStateException().isThrownBy(() -> form.call(guarded())).withMessage("closed");
		assertThat(this.door.entered).isZero();
	}

	@ParameterizedTest
	@EnumSource
	void callIsAnsweredInPlaceOfTheMethod(Form form) {
		this.decide = (work, open) -> () -> form.promise("outside");
		assertThat(form.call(guarded())).isEqualTo("outside");
		assertThat(this.door.entered).isZero();
	}

	@ParameterizedTest
	@EnumSource
	void decisionIsWaitedFor(Form form) {
		CompletableFuture<Boolean> decision = new CompletableFuture<>();
		this.ask = () -> {
			decision.completeAsync(() -> true);
			return decision;
		};
		assertThat(form.call(guarded())).isEqualTo("inside");
		assertThat(this.told).containsExactly("inside", "told");
	}

	@ParameterizedTest
	@EnumSource
	void decisionMayRefuse(Form form) {
		this.decide = (work, open) -> {
			throw new IllegalStateException("closed");
		};
		assertThatIllegalStateException().isThrownBy(() -> form.call(guarded())).withMessage("closed");
		assertThat(this.told).isEmpty();
	}

	@ParameterizedTest
	@EnumSource
	void endIsToldOfTheValueBeforeTheCaller(Form form) {
		assertThat(form.call(guarded())).isEqualTo("inside");
		assertThat(this.told).containsExactly("inside", "told");
	}

	@ParameterizedTest
	@EnumSource
	void endIsToldOfTheFailure(Form form) {
		this.door.failure = new IllegalStateException("stumbled");
		assertThatIllegalStateException().isThrownBy(() -> form.call(guarded())).withMessage("stumbled");
		assertThat(this.told).containsExactly("stumbled", "told");
	}

	@ParameterizedTest
	@EnumSource
	void failureOfTheMethodIsNotReplacedByThatOfItsEnd(Form form) {
		AssertionError unended = new AssertionError("stuck");
		this.decide = (work, open) -> new GuardedCall.Work() {

			@Override
			public @Nullable Object start() throws Throwable {
				return work.start();
			}

			@Override
			public CompletionStage<?> end(@Nullable Object value, @Nullable Throwable failure) {
				return CompletableFuture.failedFuture(unended);
			}

		};
		this.door.failure = new IllegalStateException("stumbled");
		assertThatIllegalStateException().isThrownBy(() -> form.call(guarded()))
			.withMessage("stumbled")
			.satisfies((failure) -> assertThat(failure.getSuppressed()).contains(unended));
	}

	@ParameterizedTest
	@EnumSource
	void workFindsWhatIsBoundToItsThread(Form form) {
		this.door.bound = this.bound;
		assertThat(form.call(guarded())).isEqualTo("inside");
		assertThat(this.door.found).isEqualTo((form == Form.FUTURE) ? null : "bound");
		assertThat(this.bound.get()).isNull();
	}

	@Test
	void resultHasTheFormThatTheClassOfTheBeanDeclares() {
		assertThat(((Mono<?>) guarded(new LateEntrance()).pass(Mono.just("inside"))).block(LONG)).isEqualTo("inside");
		assertThat(this.told).containsExactly("inside", "told");
	}

	@ParameterizedTest
	@MethodSource
	void resultThatGoesOnUnseenIsRefused(Object result) {
		assertThatExceptionOfType(GuardConfigurationException.class).isThrownBy(() -> guarded(this.door).open(result))
			.withMessageContainingAll("@Guarded on", "Door.open(Object)", "which its return type does not show",
					"Declare the type that it returns");
		assertThatExceptionOfType(GuardConfigurationException.class)
			.isThrownBy(() -> guarded(this.door).openLater(result).block(LONG))
			.withMessageContainingAll("Door.openLater(Object)", "which its return type does not show");
		assertThat(this.told).hasSize(4)
			.allSatisfy((note) -> assertThat(note).matches(".*(continues after the guarding has ended.*|told)"));
	}

	static Stream<Object> resultThatGoesOnUnseenIsRefused() {
		return Stream.of(Mono.just("inside"), Flux.just("inside"), new CompletableFuture<>(),
				Optional.of(Mono.just("inside")), new FutureTask<>(() -> "inside"));
	}

	@Test
	void decisionForAnAbandonedCallIsGivenBack() {
		CompletableFuture<Boolean> decision = new CompletableFuture<>();
		this.ask = () -> decision;
		Disposable caller = guarded().enterLater().subscribe();
		caller.dispose();
		assertThat(decision.complete(true)).isTrue();
		Awaitility.await().untilAsserted(() -> assertThat(this.told).containsExactly("given back"));
		assertThat(this.door.entered).isZero();
	}

	@Test
	void questionOfAnAbandonedCallIsCancelledIfItMayBe() {
		this.cancellable = true;
		CompletableFuture<Boolean> decision = new CompletableFuture<>();
		this.ask = () -> decision;
		guarded().enterLater().subscribe().dispose();
		assertThat(decision).isCancelled();
		assertThat(this.told).isEmpty();
	}

	@Test
	void interruptEndsTheWaitOfAPlainCallThatAllowsIt() {
		this.interruptible = true;
		this.ask = CompletableFuture::new;
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(CancellationException.class).isThrownBy(() -> guarded().enter())
			.withMessage("left the queue");
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void interruptIsKeptByAPlainCallThatIsCertainToEndSoon() {
		CompletableFuture<Boolean> decision = new CompletableFuture<>();
		this.ask = () -> {
			decision.completeOnTimeout(true, 20, TimeUnit.MILLISECONDS);
			return decision;
		};
		Thread.currentThread().interrupt();
		assertThat(guarded().enter()).isEqualTo("inside");
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

	abstract static class AnyEntrance<R> {

		@Guarded
		R pass(R result) {
			return result;
		}

	}

	static class LateEntrance extends AnyEntrance<Mono<String>> {

	}

	static class Door {

		@Guarded
		Object open(Object result) {
			return result;
		}

		@Guarded
		Mono<Object> openLater(Object result) {
			return Mono.just(result);
		}

		int entered;

		@Nullable RuntimeException failure;

		@Nullable ThreadLocal<@Nullable String> bound;

		@Nullable String found;

		@Guarded
		String enter() {
			this.entered++;
			this.found = (this.bound != null) ? this.bound.get() : null;
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

	private interface Asked {

		CompletableFuture<Boolean> ask();

	}

	private interface Decided {

		GuardedCall.Work decide(GuardedCall.Work work, boolean open) throws Throwable;

	}

	private final class Entry implements GuardedCall<Boolean> {

		private final Entrance entrance;

		private final MethodInvocation invocation;

		Entry(Entrance entrance, MethodInvocation invocation) {
			this.entrance = entrance;
			this.invocation = invocation;
		}

		@Override
		public CompletableFuture<Boolean> ask() {
			return GuardInterceptorTests.this.ask.ask();
		}

		@Override
		public boolean isCancellable() {
			return GuardInterceptorTests.this.cancellable;
		}

		@Override
		public boolean isInterruptible() {
			return GuardInterceptorTests.this.interruptible;
		}

		@Override
		public RuntimeException interrupted(InterruptedException interrupt) {
			return new CancellationException("left the queue");
		}

		@Override
		public Work decide(Boolean open) throws Throwable {
			return GuardInterceptorTests.this.decide
				.decide(new Listening(() -> Guard.proceed(this.entrance, this.invocation)), open);
		}

		@Override
		public void release(Boolean open) {
			GuardInterceptorTests.this.told.add("given back");
		}

	}

	private final class Listening implements GuardedCall.Work {

		private final GuardedCall.Work method;

		Listening(GuardedCall.Work method) {
			this.method = method;
		}

		@Override
		public void begin(GuardedCall.Beginning beginning) throws Throwable {
			GuardInterceptorTests.this.bound.set("bound");
			try {
				beginning.run();
			}
			finally {
				GuardInterceptorTests.this.bound.remove();
			}
		}

		@Override
		public @Nullable Object start() throws Throwable {
			return this.method.start();
		}

		@Override
		public CompletionStage<?> end(@Nullable Object value, @Nullable Throwable failure) {
			GuardInterceptorTests.this.told
				.add((failure != null) ? String.valueOf(failure.getMessage()) : String.valueOf(value));
			return DONE;
		}

		@Override
		public void publishCompletion() {
			GuardInterceptorTests.this.told.add("told");
		}

	}

}
