// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.RedisUnavailableException;
import io.ge.redis.actuate.GeRedisMetricsAutoConfiguration;
import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.autoconfigure.GeRedisPrincipalAutoConfiguration;
import io.ge.redis.autoconfigure.IdempotencyAutoConfiguration;
import io.ge.redis.core.endpoint.GuardRequest;
import io.ge.redis.core.endpoint.GuardResource;
import io.ge.redis.core.event.GuardEvent;
import io.ge.redis.core.event.GuardFigures;
import io.ge.redis.core.event.GuardListener;
import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.idempotency.FailureWithoutTransaction;
import io.ge.redis.idempotency.Idempotency;
import io.ge.redis.idempotency.IdempotencyContext;
import io.ge.redis.idempotency.IdempotencyEvent;
import io.ge.redis.idempotency.IdempotencyEvent.Outcome;
import io.ge.redis.idempotency.IdempotencyInFlightException;
import io.ge.redis.idempotency.IdempotencyKeyException;
import io.ge.redis.idempotency.IdempotencyMismatchException;
import io.ge.redis.idempotency.IdempotencyRecord;
import io.ge.redis.idempotency.IdempotencyRecord.State;
import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.idempotency.OnDuplicate;
import io.ge.redis.idempotency.OutcomeUnknownException;
import io.ge.redis.idempotency.ResponseLostException;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Sized;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Wide;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.aopalliance.intercept.MethodInterceptor;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.util.context.Context;

import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.context.ReactiveSecurityContextHolder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Idempotent methods whose results come later.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(OutputCaptureExtension.class)
@Sized
class IdempotencyFormsIntegrationTests {

	/** Reactor logs what fails at the moment at which it is cancelled. */
	private static final Context FAILURES_AFTER_CANCELLATION_ARE_SILENT = Context.of("reactor.onErrorDropped.local",
			(Consumer<Throwable>) (failure) -> {
			});

	private static final Duration LONG = Duration.ofSeconds(30);

	private ConfigurableApplicationContext context;

	private Desk desk;

	private Idempotency idempotency;

	private MeterRegistry meters;

	private Events events;

	private Refusal refusal;

	@BeforeAll
	void start() {
		this.context = new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.properties(SharedRedis.properties())
			.properties("spring.main.banner-mode=off", "ge.redis.idempotency.max-result-size=1KB",
					"ge.redis.idempotency.wait-timeout=30s")
			.run();
		this.desk = this.context.getBean(Desk.class);
		this.idempotency = this.context.getBean(Idempotency.class);
		this.meters = this.context.getBean(MeterRegistry.class);
		this.events = this.context.getBean(Events.class);
		this.refusal = this.context.getBean(Refusal.class);
	}

	@AfterAll
	void stop() {
		this.context.close();
	}

	@BeforeEach
	void emptyRedis() {
		SharedRedis.standalone().flushAll();
		this.desk.clear();
	}

	@Test
	void firstCallsCostTwoScriptsAndRepetitionsOneInEachForm() {
		assertThat(
				scripts(() -> assertThat(this.desk.future("f", 1)).succeedsWithin(LONG).isEqualTo(new Receipt("f", 1))))
			.isEqualTo(2);
		assertThat(
				scripts(() -> assertThat(this.desk.future("f", 1)).succeedsWithin(LONG).isEqualTo(new Receipt("f", 1))))
			.isEqualTo(1);
		assertThat(scripts(() -> assertThat(this.desk.stage("s", 2).toCompletableFuture()).succeedsWithin(LONG)))
			.isEqualTo(2);
		assertThat(scripts(() -> assertThat(this.desk.stage("s", 2).toCompletableFuture()).succeedsWithin(LONG)
			.isEqualTo(new Receipt("s", 2)))).isEqualTo(1);
		assertThat(scripts(() -> assertThat(this.desk.mono("m", 3).block(LONG)).isEqualTo(new Receipt("m", 3))))
			.isEqualTo(2);
		assertThat(scripts(() -> assertThat(this.desk.mono("m", 3).block(LONG)).isEqualTo(new Receipt("m", 3))))
			.isEqualTo(1);
		assertThat(scripts(() -> assertThat(this.desk.flux("x", 3).collectList().block(LONG)).hasSize(3))).isEqualTo(2);
		assertThat(scripts(() -> assertThat(this.desk.flux("x", 3).collectList().block(LONG))
			.containsExactly(new Receipt("x", 0), new Receipt("x", 1), new Receipt("x", 2)))).isEqualTo(1);
		assertThat(scripts(() -> this.desk.nothing("n").block(LONG))).isEqualTo(2);
		assertThat(scripts(() -> assertThat(this.desk.nothing("n").blockOptional(LONG)).isEmpty())).isEqualTo(1);
		assertThat(this.desk.runs()).containsOnly(Map.entry("f", 1), Map.entry("s", 1), Map.entry("m", 1),
				Map.entry("x", 1), Map.entry("n", 1));
	}

	@Test
	void publishersClaimTheirKeyWhenTheyAreSubscribedTo() {
		Mono<Receipt> mono = this.desk.mono("m", 1);
		Flux<Receipt> flux = this.desk.flux("x", 2);
		assertThat(this.desk.runs()).isEmpty();
		assertThat(state("m")).isEqualTo(State.NONE);
		assertThat(mono.block(LONG)).isEqualTo(new Receipt("m", 1));
		// To be subscribed to again is to call again
		assertThat(mono.block(LONG)).isEqualTo(new Receipt("m", 1));
		assertThat(flux.collectList().block(LONG)).isEqualTo(flux.collectList().block(LONG));
		assertThat(this.desk.runs()).containsOnly(Map.entry("m", 1), Map.entry("x", 1));
	}

	@Test
	void repetitionsAreRefusedInTheirForm() {
		Sinks.One<Receipt> result = this.desk.pending("k");
		CompletableFuture<Receipt> first = this.desk.held("k", 1).toFuture();
		Awaitility.await().untilAsserted(() -> assertThat(this.desk.runs()).containsEntry("k", 1));
		assertThatExceptionOfType(IdempotencyInFlightException.class)
			.isThrownBy(() -> this.desk.held("k", 1).block(LONG));
		assertThat(this.desk.future("k", 2)).failsWithin(LONG)
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(IdempotencyMismatchException.class);
		result.tryEmitValue(new Receipt("k", 1));
		assertThat(first).succeedsWithin(LONG);
		assertThat(this.desk.held("k", 1).block(LONG)).isEqualTo(new Receipt("k", 1));
		assertThatExceptionOfType(IdempotencyMismatchException.class)
			.isThrownBy(() -> this.desk.held("k", 2).block(LONG));
		assertThat(this.desk.future("", 1)).failsWithin(LONG)
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(IdempotencyKeyException.class);
	}

	@Test
	void whoWaitsForTheFirstCallHasNoThread() {
		Sinks.One<Receipt> result = this.desk.pending("w");
		CompletableFuture<Receipt> first = this.desk.waiting("w").toFuture();
		Awaitility.await().untilAsserted(() -> assertThat(this.desk.runs()).containsEntry("w", 1));
		// One thread subscribes to all of them
		CompletableFuture<List<Receipt>> repetitions = Flux.range(0, 500)
			.flatMap((i) -> this.desk.waiting("w"), 500)
			.collectList()
			.toFuture();
		CompletableFuture<Receipt> future = this.desk.waitingFuture("w");
		Disposable gone = this.desk.waiting("w").subscribe();
		assertThat(repetitions).isNotDone();
		assertThat(future).isNotDone();
		gone.dispose();
		long before = scripts();
		result.tryEmitValue(new Receipt("w", 1));
		assertThat(first).succeedsWithin(LONG);
		assertThat(repetitions).succeedsWithin(LONG)
			.satisfies((all) -> assertThat(all).hasSize(500).containsOnly(new Receipt("w", 1)));
		assertThat(future).succeedsWithin(LONG).isEqualTo(new Receipt("w", 1));
		assertThat(scripts() - before).isEqualTo(1);
		assertThat(this.desk.runs()).containsEntry("w", 1);
		Awaitility.await().until(this::isIdle);
	}

	@Test
	void whatAFailureLeavesBehindIsDecidedAsForPlainMethods() {
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> this.desk.fails("f").block(LONG));
		assertThatExceptionOfType(OutcomeUnknownException.class).isThrownBy(() -> this.desk.fails("f").block(LONG));
		assertThat(this.desk.failsLater("l")).failsWithin(LONG);
		assertThat(this.desk.failsLater("l")).failsWithin(LONG)
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(OutcomeUnknownException.class);
		for (int i = 1; i <= 2; i++) {
			assertThatExceptionOfType(IllegalStateException.class)
				.isThrownBy(() -> this.desk.failsBefore("b").block(LONG));
			assertThatExceptionOfType(IllegalStateException.class)
				.isThrownBy(() -> this.desk.throwsBefore("t").block(LONG));
			assertThat(this.desk.runs()).containsEntry("b", i).containsEntry("t", i);
		}
		for (int i = 0; i < 2; i++) {
			assertThatExceptionOfType(RefusedException.class).isThrownBy(() -> this.desk.refuses("r").block(LONG))
				.withMessage("not 1");
		}
		assertThat(this.desk.refusesLater("s")).failsWithin(LONG);
		assertThat(this.desk.refusesLater("s")).failsWithin(LONG)
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(RefusedException.class);
		assertThat(this.desk.runs()).containsEntry("r", 1).containsEntry("s", 1);
		Awaitility.await().until(this::isIdle);
	}

	@Test
	void whatIsNotKeptIsRecoveredInTheSameForm() {
		String text = "x".repeat(2000);
		assertThat(this.desk.large("l", 2000).block(LONG)).isEqualTo(text);
		assertThat(this.desk.large("l", 2000).block(LONG)).isEqualTo("recovered " + 2000);
		assertThat(this.desk.largeFuture("f", 2000)).succeedsWithin(LONG).isEqualTo(text);
		assertThat(this.desk.largeFuture("f", 2000)).failsWithin(LONG)
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(ResponseLostException.class);
	}

	@Test
	void severalValuesAreKeptAsTheyWereUpToASize() {
		// What is done to a value after it was passed on is not kept
		Flux<List<String>> lists = this.desk.lists("l", 3);
		assertThat(lists.doOnNext((list) -> list.add("later")).collectList().block(LONG)).hasSize(3);
		assertThat(lists.collectList().block(LONG)).containsExactly(List.of("0"), List.of("1"), List.of("2"));
		assertThat(this.desk.flux("none", 0).collectList().block(LONG)).isEmpty();
		assertThat(this.desk.flux("none", 0).collectList().block(LONG)).isEmpty();
		// Passed on one by one, as the subscriber asks for them, and too many to be kept
		assertThat(this.desk.flux("many", 100_000).limitRate(3).count().block(LONG)).isEqualTo(100_000);
		assertThat(state("many")).isEqualTo(State.LOST);
		assertThatExceptionOfType(ResponseLostException.class)
			.isThrownBy(() -> this.desk.flux("many", 100_000).blockLast(LONG));
		assertThat(this.desk.runs()).containsOnly(Map.entry("l", 1), Map.entry("none", 1), Map.entry("many", 1));
	}

	@Test
	void whoGoesAfterTheMethodHasBegunLeavesAnUnknownOutcome(CapturedOutput output) {
		this.desk.pending("c");
		Disposable call = this.desk.held("c", 1).subscribe();
		Awaitility.await().untilAsserted(() -> assertThat(this.desk.runs()).containsEntry("c", 1));
		call.dispose();
		Awaitility.await().untilAsserted(() -> assertThat(state("c")).isEqualTo(State.UNKNOWN));
		// Although it would free the key if it failed
		CompletableFuture<Receipt> future = this.desk.never("n");
		Awaitility.await().untilAsserted(() -> assertThat(this.desk.runs()).containsEntry("n", 1));
		future.cancel(true);
		Awaitility.await().untilAsserted(() -> assertThat(state("changes-nothing", "n")).isEqualTo(State.UNKNOWN));
		// A subtype of what it stores
		CompletableFuture<Receipt> stored = this.desk.neverStored("s");
		Awaitility.await().untilAsserted(() -> assertThat(this.desk.runs()).containsEntry("s", 1));
		stored.cancel(true);
		Awaitility.await().untilAsserted(() -> assertThat(state("s")).isEqualTo(State.UNKNOWN));
		assertThat(this.desk.flux("x", 5).take(2).collectList().block(LONG)).hasSize(2);
		assertThat(this.desk.flux("y", 5).next().block(LONG)).isNotNull();
		Awaitility.await().untilAsserted(() -> assertThat(state("x")).isEqualTo(State.UNKNOWN));
		Awaitility.await().untilAsserted(() -> assertThat(state("y")).isEqualTo(State.UNKNOWN));
		assertThatExceptionOfType(OutcomeUnknownException.class)
			.isThrownBy(() -> this.desk.flux("y", 5).collectList().block(LONG))
			.withMessageContaining("has failed or was cancelled");
		assertThat(output.toString()).containsOnlyOnce("has cancelled its publisher before the end, as take(n)")
			.contains("collectList()");
		Awaitility.await().until(this::isIdle);
	}

	@Test
	void methodThatIsCancelledByItselfHasFailedAsByAnythingElse() {
		assertThatExceptionOfType(CancellationException.class)
			.isThrownBy(() -> this.desk.cancelledByItself("m").block(LONG));
		assertThat(state("changes-nothing", "m")).isEqualTo(State.FREE);
		assertThat(this.desk.cancelledFuture("f")).failsWithin(LONG);
		assertThat(state("changes-nothing", "f")).isEqualTo(State.FREE);
	}

	@Test
	void nothingIsLeftHeldAfterCancellations() {
		Set<String> keys = new HashSet<>();
		ThreadLocalRandom random = ThreadLocalRandom.current();
		Flux.range(0, Wide.RUN ? 10_000 : 1_000).flatMap((i) -> {
			if (i % 100 == 51) {
				// However quick the methods are, somebody goes before one has ended
				keys.add("left " + i);
				Mono<Void> begun = this.desk.begun("left " + i);
				return this.desk.endless("left " + i).takeUntilOther(begun);
			}
			String key = "random " + i / 2;
			keys.add(key);
			Mono<?> call = (i % 3 == 0) ? Mono.fromFuture(() -> this.desk.slowFuture(key))
					: (i % 3 == 1) ? this.desk.slow(key) : this.desk.slowWaiting(key);
			// However slow it is, somebody stays until the end
			Duration patience = (i % 100 == 0) ? LONG : Duration.ofNanos(random.nextLong(3_000_000));
			return call.timeout(patience).onErrorComplete();
		}, 200).contextWrite(FAILURES_AFTER_CANCELLATION_ARE_SILENT).blockLast(Duration.ofMinutes(2));
		Awaitility.await().atMost(LONG).until(this::isIdle);
		// Whatever has begun has left what it must, and the rest nothing
		Set<State> seen = EnumSet.noneOf(State.class);
		for (String key : keys) {
			State state = state("random", key);
			seen.add(state);
			if (this.desk.runs().containsKey(key)) {
				assertThat(state).as(key).isIn(State.UNKNOWN, State.COMPLETED);
			}
			else {
				assertThat(state).as(key).isIn(State.NONE, State.FREE);
			}
		}
		assertThat(seen).contains(State.UNKNOWN, State.COMPLETED);
		assertThat(this.desk.runs().values()).containsOnly(1);
	}

	@Test
	void leaseIsProlongedWhileTheResultIsAwaited() {
		Sinks.One<Receipt> result = this.desk.pending("h");
		CompletableFuture<Receipt> first = this.desk.shortLease("h").toFuture();
		Awaitility.await().untilAsserted(() -> assertThat(this.desk.runs()).containsEntry("h", 1));
		long before = scripts("idempotency/beat");
		Awaitility.await().until(() -> scripts("idempotency/beat") >= before + 6);
		assertThatExceptionOfType(IdempotencyInFlightException.class)
			.isThrownBy(() -> this.desk.shortLease("h").block(LONG));
		result.tryEmitValue(new Receipt("h", 1));
		assertThat(first).succeedsWithin(LONG);
		assertThat(this.desk.shortLease("h").block(LONG)).isEqualTo(new Receipt("h", 1));
	}

	@Test
	void callThatHasLostItsKeyStillGivesItsResult() {
		Sinks.One<Receipt> result = this.desk.pending("g");
		CompletableFuture<Receipt> first = this.desk.shortLease("g").toFuture();
		Awaitility.await().untilAsserted(() -> assertThat(this.desk.runs()).containsEntry("g", 1));
		Object cleared = control().delete(new GuardRequest(List.of("short"),
				Map.of("key", "g", "fence", Objects.requireNonNull(record("short", "g").fence()))));
		assertThat(cleared).hasFieldOrPropertyWithValue("cleared", true);
		this.events.clear();
		result.tryEmitValue(new Receipt("g", 1));
		assertThat(first).succeedsWithin(LONG).isEqualTo(new Receipt("g", 1));
		assertThat(this.events).extracting(Told::outcome).containsExactly(Outcome.LEASE_LOST);
		assertThat(isIdle()).isTrue();
	}

	@Test
	void eventsAreToldOnThreadsOfTheApplication() {
		this.events.clear();
		this.desk.mono("e", 1).block(LONG);
		this.desk.mono("e", 1).block(LONG);
		assertThat(this.desk.future("e", 2)).failsWithin(LONG);
		assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> this.desk.failsBefore("e2").block(LONG));
		assertThat(this.events).extracting(Told::outcome)
			.containsExactly(Outcome.EXECUTED, Outcome.REPLAYED, Outcome.MISMATCH, Outcome.RELEASED);
		assertThat(this.events).extracting(Told::thread).noneMatch((name) -> name.contains("lettuce"));
		assertThat(this.desk.threads()).noneMatch((name) -> name.contains("lettuce"));
	}

	@Test
	void whatIsRefusedFurtherInFreesTheKey() {
		this.refusal.refuse = true;
		try {
			assertThatExceptionOfType(IllegalCallerException.class)
				.isThrownBy(() -> this.desk.guarded("r").block(LONG));
			assertThat(this.desk.guardedFuture("q")).failsWithin(LONG);
		}
		finally {
			this.refusal.refuse = false;
		}
		assertThat(this.desk.guarded("r").block(LONG)).isEqualTo("done");
		assertThat(this.desk.guardedFuture("q")).succeedsWithin(LONG).isEqualTo("done");
	}

	@Test
	void keysBelongToThePrincipalOfTheSubscriber() {
		Mono<Receipt> mono = this.desk.mono("p", 1);
		assertThat(mono.contextWrite(ReactiveSecurityContextHolder.withAuthentication(user("anna"))).block(LONG))
			.isNotNull();
		assertThat(mono.contextWrite(ReactiveSecurityContextHolder.withAuthentication(user("boris"))).block(LONG))
			.isNotNull();
		assertThat(mono.block(LONG)).isNotNull();
		assertThat(this.desk.runs()).containsEntry("p", 3);
		assertThat(mono.contextWrite(ReactiveSecurityContextHolder.withAuthentication(user("anna"))).block(LONG))
			.isNotNull();
		assertThat(this.desk.runs()).containsEntry("p", 3);
	}

	private static TestingAuthenticationToken user(String name) {
		return new TestingAuthenticationToken(name, "", "USER");
	}

	@Test
	void claimIsFoundWhereTheMethodRuns() {
		assertThat(this.desk.fence("1").block(LONG)).isPositive();
		assertThat(this.desk.fenceFromContext("2").block(LONG)).isPositive();
		assertThat(this.desk.fenceOfFuture("3")).succeedsWithin(LONG)
			.satisfies((fence) -> assertThat(fence).isPositive());
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(IdempotencyContext::current);
		// Not that of the call around it
		assertThat(this.desk.around("4", this.desk.optional(null)).block(LONG)).isEqualTo("no claim");
	}

	@Test
	void apiHasTwinsThatDoNotBlock() {
		AtomicInteger runs = new AtomicInteger();
		CompletableFuture<String> running = new CompletableFuture<>();
		CompletableFuture<String> first = this.idempotency.executeAsync("code", "k", "payload", String.class, () -> {
			runs.incrementAndGet();
			return running;
		}).toCompletableFuture();
		Awaitility.await().until(() -> runs.get() == 1);
		assertThat(this.idempotency.executeAsync("code", "k", "payload", String.class, () -> running)
			.toCompletableFuture()).failsWithin(LONG)
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(IdempotencyInFlightException.class);
		running.complete("done");
		assertThat(first).succeedsWithin(LONG).isEqualTo("done");
		assertThat(scripts(() -> assertThat(this.idempotency
			.executeAsync("code", "k", "payload", String.class, () -> CompletableFuture.completedStage("again"))
			.toCompletableFuture()).succeedsWithin(LONG).isEqualTo("done"))).isEqualTo(1);
		// The plain and the asynchronous one are the same operation
		assertThat(this.idempotency.execute("code", "k", "payload", String.class, () -> "again")).isEqualTo("done");
		assertThat(scripts(() -> assertThat(
				this.idempotency.runAsync("code", "other", null, () -> CompletableFuture.completedStage(null))
					.toCompletableFuture())
			.succeedsWithin(LONG))).isEqualTo(2);
		assertThatExceptionOfType(IdempotencyKeyException.class).isThrownBy(() -> this.idempotency.executeAsync("code",
				"", null, String.class, () -> CompletableFuture.completedStage("done")));
	}

	@Test
	void redisAwayIsTheResultUnlessItIsAllowed() {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			redis.primary().kill();
			runner().withBean(Desk.class).withPropertyValues(redis.properties()).run((context) -> {
				Desk away = context.getBean(Desk.class);
				assertThatExceptionOfType(RedisUnavailableException.class)
					.isThrownBy(() -> away.mono("k", 1).block(LONG));
				assertThat(away.future("k", 1)).failsWithin(LONG)
					.withThrowableOfType(ExecutionException.class)
					.withCauseInstanceOf(RedisUnavailableException.class);
				assertThat(away.runs()).isEmpty();
				assertThat(away.allowed("k").block(LONG)).isEqualTo("no claim");
				assertThat(away.allowed("k").block(LONG)).isEqualTo("no claim");
				assertThat(away.runs()).containsEntry("k", 2);
			});
		}
	}

	@Test
	void whatCannotHoldIsRefusedAtTheStart() {
		assertRefused(WithFuture.class, "the return type Future cannot be guarded", "CompletableFuture");
		assertRefused(WithUntyped.class, "does not say what to read a kept result as", "Declare the type");
		assertRefused(WithHidden.class, "nothing is written of " + Hidden.class.getName(), "a record");
		assertRefused(WithStream.class, "results of type InputStream can be read only once", "whole result");
		assertRefused(WithNested.class, "the return type Flux<Mono<String>> cannot be guarded",
				"Return the plain value");
		assertRefused(WithOtherRecover.class, "there is no recover method 'plain' that fits", "Mono plain");
		runner().withBean(Desk.class)
			.withPropertyValues("ge.redis.idempotency.witness=required")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(GuardConfigurationException.class)
				.hasMessageContaining("Desk.")
				.hasMessageContaining("an asynchronous method has no transactional record"));
	}

	private static void assertRefused(Class<?> bean, String problem, String remedy) {
		runner().withBean(bean)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(GuardConfigurationException.class)
				.hasMessageContaining(bean.getSimpleName())
				.hasMessageContaining(problem)
				.hasMessageContaining(remedy));
	}

	private static ApplicationContextRunner runner() {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
					GeRedisAutoConfiguration.class, IdempotencyAutoConfiguration.class))
			.withPropertyValues(SharedRedis.properties());
	}

	private State state(String key) {
		return state("desk", key);
	}

	private State state(String operation, String key) {
		return record(operation, key).state();
	}

	private IdempotencyRecord record(String operation, String key) {
		return (IdempotencyRecord) control().read(new GuardRequest(List.of(operation), Map.of("key", key)));
	}

	private GuardResource control() {
		return this.context.getBean(IdempotencyPattern.class).control(new GuardFigures());
	}

	private long scripts(String name) {
		return this.meters.find("ge.redis.script").tag("script", name).timers().stream().mapToLong(Timer::count).sum();
	}

	private long scripts(Runnable call) {
		long before = scripts();
		call.run();
		return scripts() - before;
	}

	private long scripts() {
		return this.meters.find("ge.redis.script").timers().stream().mapToLong(Timer::count).sum();
	}

	private boolean isIdle() {
		return this.context.getBean(IdempotencyPattern.class).isIdle();
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
			GeRedisAutoConfiguration.class, GeRedisPrincipalAutoConfiguration.class, IdempotencyAutoConfiguration.class,
			GeRedisMetricsAutoConfiguration.class })
	static class Application {

		@Bean
		SimpleMeterRegistry meters() {
			return new SimpleMeterRegistry();
		}

		@Bean
		Desk desk() {
			return new Desk();
		}

		@Bean
		Events events() {
			return new Events();
		}

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static Refusal refusal() {
			return new Refusal();
		}

	}

	record Receipt(String id, int cents) {
	}

	record Told(Outcome outcome, String thread) {
	}

	static class Events extends CopyOnWriteArrayList<Told> implements GuardListener {

		private static final long serialVersionUID = 1L;

		@Override
		public void onEvent(GuardEvent event) {
			add(new Told(((IdempotencyEvent) event).outcome(), Thread.currentThread().getName()));
		}

	}

	/**
	 * Refuses between the guard and the method, such as a lock does.
	 */
	static class Refusal extends DefaultPointcutAdvisor {

		private static final long serialVersionUID = 1L;

		private volatile boolean refuse;

		Refusal() {
			NameMatchMethodPointcut pointcut = new NameMatchMethodPointcut();
			pointcut.addMethodName("guarded*");
			pointcut.setClassFilter(Desk.class::isAssignableFrom);
			setPointcut(pointcut);
			setAdvice((MethodInterceptor) (invocation) -> {
				if (!this.refuse) {
					return invocation.proceed();
				}
				IllegalCallerException refusal = new IllegalCallerException("refused");
				return (invocation.getMethod().getReturnType() == Mono.class)
						? Mono.error(refusal).delaySubscription(Duration.ofMillis(1))
						: CompletableFuture.failedFuture(refusal);
			});
		}

	}

	static class RefusedException extends RuntimeException {

		private static final long serialVersionUID = 1L;

		RefusedException(String message) {
			super(message);
		}

	}

	static class Desk {

		private final Map<String, Integer> runs = new ConcurrentHashMap<>();

		private final Map<String, Sinks.One<Receipt>> pending = new ConcurrentHashMap<>();

		private final Map<String, Sinks.Empty<Void>> begun = new ConcurrentHashMap<>();

		private final List<String> threads = new CopyOnWriteArrayList<>();

		Map<String, Integer> runs() {
			return this.runs;
		}

		List<String> threads() {
			return this.threads;
		}

		void clear() {
			this.runs.clear();
			this.threads.clear();
		}

		private Receipt run(String id, int cents) {
			this.runs.merge(id, 1, Integer::sum);
			this.threads.add(Thread.currentThread().getName());
			return new Receipt(id, cents);
		}

		@Idempotent(name = "desk", key = "#id")
		public CompletableFuture<Receipt> future(String id, int cents) {
			return CompletableFuture.completedFuture(run(id, cents));
		}

		@Idempotent(name = "desk", key = "#id")
		public CompletionStage<Receipt> stage(String id, int cents) {
			return CompletableFuture.supplyAsync(() -> run(id, cents));
		}

		@Idempotent(name = "desk", key = "#id")
		public Mono<Receipt> mono(String id, int cents) {
			return Mono.just(run(id, cents));
		}

		@Idempotent(name = "desk", key = "#id")
		public Flux<Receipt> flux(String id, int count) {
			run(id, count);
			return Flux.range(0, count).map((cents) -> new Receipt(id, cents));
		}

		@Idempotent(name = "desk", key = "#id")
		public Mono<Void> nothing(String id) {
			return Mono.fromRunnable(() -> run(id, 0));
		}

		Sinks.One<Receipt> pending(String id) {
			Sinks.One<Receipt> result = Sinks.one();
			this.pending.put(id, result);
			return result;
		}

		private Mono<Receipt> await(String id) {
			run(id, 0);
			return this.pending.get(id).asMono();
		}

		@Idempotent(name = "desk", key = "#id")
		public Mono<Receipt> held(String id, int cents) {
			return await(id);
		}

		@Idempotent(name = "waiting", key = "#id", onDuplicate = OnDuplicate.WAIT)
		public Mono<Receipt> waiting(String id) {
			return await(id);
		}

		@Idempotent(name = "waiting", key = "#id", onDuplicate = OnDuplicate.WAIT)
		public CompletableFuture<Receipt> waitingFuture(String id) {
			return await(id).toFuture();
		}

		@Idempotent(name = "short", key = "#id", lease = "300ms")
		public Mono<Receipt> shortLease(String id) {
			return await(id);
		}

		@Idempotent(name = "desk", key = "#id")
		public Mono<String> fails(String id) {
			return Mono.defer(() -> Mono.error(new IllegalStateException(run(id, 0).id())));
		}

		@Idempotent(name = "desk", key = "#id")
		public CompletableFuture<String> failsLater(String id) {
			return CompletableFuture.supplyAsync(() -> {
				throw new IllegalStateException(run(id, 0).id());
			});
		}

		@Idempotent(name = "changes-nothing", key = "#id",
				onFailureWithoutTransaction = FailureWithoutTransaction.RELEASE)
		public Mono<String> failsBefore(String id) {
			return Mono.error(new IllegalStateException(run(id, 0).id()));
		}

		@Idempotent(name = "changes-nothing", key = "#id",
				onFailureWithoutTransaction = FailureWithoutTransaction.RELEASE)
		public Mono<String> throwsBefore(String id) {
			throw new IllegalStateException(run(id, 0).id());
		}

		@Idempotent(name = "desk", key = "#id", storeExceptions = RefusedException.class)
		public Mono<String> refuses(String id) {
			return Mono.error(() -> new RefusedException("not " + (run(id, 0).cents() + 1)));
		}

		@Idempotent(name = "desk", key = "#id", storeExceptions = RefusedException.class)
		public CompletableFuture<String> refusesLater(String id) {
			return CompletableFuture.supplyAsync(() -> {
				throw new RefusedException(run(id, 0).id());
			});
		}

		@Idempotent(name = "large", key = "#id", recover = "recovered")
		public Mono<String> large(String id, int length) {
			return Mono.just("x".repeat(length));
		}

		Mono<String> recovered(String id, int length) {
			return Mono.just("recovered " + length);
		}

		@Idempotent(name = "large", key = "#id")
		public CompletableFuture<String> largeFuture(String id, int length) {
			return CompletableFuture.completedFuture("x".repeat(length));
		}

		@Idempotent(name = "desk", key = "#id")
		public Flux<List<String>> lists(String id, int count) {
			run(id, 0);
			return Flux.range(0, count).map((i) -> new ArrayList<>(List.of(i.toString())));
		}

		@Idempotent(name = "changes-nothing", key = "#id",
				onFailureWithoutTransaction = FailureWithoutTransaction.RELEASE)
		public CompletableFuture<Receipt> never(String id) {
			run(id, 0);
			return new CompletableFuture<>();
		}

		@Idempotent(name = "changes-nothing", key = "#id",
				onFailureWithoutTransaction = FailureWithoutTransaction.RELEASE)
		public Mono<Receipt> cancelledByItself(String id) {
			return Mono.error(() -> new CancellationException(run(id, 0).id()));
		}

		@Idempotent(name = "changes-nothing", key = "#id",
				onFailureWithoutTransaction = FailureWithoutTransaction.RELEASE)
		public CompletableFuture<Receipt> cancelledFuture(String id) {
			CompletableFuture<Receipt> work = never(id);
			work.cancel(true);
			return work;
		}

		@Idempotent(name = "desk", key = "#id", storeExceptions = IllegalStateException.class)
		public CompletableFuture<Receipt> neverStored(String id) {
			run(id, 0);
			return new CompletableFuture<>();
		}

		@Idempotent(name = "random", key = "#id", onDuplicate = OnDuplicate.WAIT)
		public Mono<Receipt> slow(String id) {
			return Mono.just(run(id, 0)).delayElement(Duration.ofMillis(1));
		}

		@Idempotent(name = "random", key = "#id", onDuplicate = OnDuplicate.WAIT)
		public CompletableFuture<Receipt> slowFuture(String id) {
			run(id, 0);
			return new CompletableFuture<Receipt>().completeOnTimeout(new Receipt(id, 0), 1, TimeUnit.MILLISECONDS);
		}

		@Idempotent(name = "random", key = "#id", onDuplicate = OnDuplicate.WAIT)
		public Mono<Receipt> slowWaiting(String id) {
			return Mono.just(run(id, 0)).delayElement(Duration.ofMillis(1));
		}

		Mono<Void> begun(String id) {
			return this.begun.computeIfAbsent(id, (added) -> Sinks.empty()).asMono();
		}

		@Idempotent(name = "random", key = "#id", onDuplicate = OnDuplicate.WAIT)
		public Mono<Receipt> endless(String id) {
			run(id, 0);
			this.begun.get(id).tryEmitEmpty();
			return Mono.never();
		}

		@Idempotent(name = "guarded", key = "#id")
		public Mono<String> guarded(String id) {
			return Mono.just("done");
		}

		@Idempotent(name = "guarded", key = "#id")
		public CompletableFuture<String> guardedFuture(String id) {
			return CompletableFuture.completedFuture("done");
		}

		@Idempotent(name = "fence", key = "#id")
		public Mono<Long> fence(String id) {
			long fence = IdempotencyContext.current().fence();
			return Mono.fromSupplier(() -> (fence == IdempotencyContext.current().fence()) ? fence : -1);
		}

		@Idempotent(name = "fence", key = "#id")
		public Mono<Long> fenceFromContext(String id) {
			return Mono.deferContextual((context) -> Mono.just(context.get(IdempotencyContext.class).fence()))
				.delaySubscription(Duration.ofMillis(1));
		}

		@Idempotent(name = "fence", key = "#id")
		public CompletableFuture<Long> fenceOfFuture(String id) {
			return CompletableFuture.completedFuture(IdempotencyContext.current().fence());
		}

		@Idempotent(name = "around", key = "#id", fingerprint = "#id")
		public Mono<String> around(String id, Mono<String> inner) {
			return inner;
		}

		@Idempotent(name = "optional", key = "#id", required = false)
		public Mono<String> optional(String id) {
			return claim();
		}

		@Idempotent(name = "allowed", key = "#id", onOutage = OutagePolicy.ALLOW)
		public Mono<String> allowed(String id) {
			run(id, 0);
			return claim();
		}

		private Mono<String> claim() {
			return Mono.deferContextual((context) -> {
				try {
					return Mono.just("claim " + context.get(IdempotencyContext.class).fence());
				}
				catch (IllegalStateException ex) {
					return Mono.just("no claim");
				}
			});
		}

	}

	static class WithFuture {

		@Idempotent(key = "#id")
		public Future<String> handle(String id) {
			return CompletableFuture.completedFuture(id);
		}

	}

	static class WithUntyped {

		@Idempotent(key = "#id")
		public Mono<?> handle(String id) {
			return Mono.just(id);
		}

	}

	static class WithHidden {

		@Idempotent(key = "#id")
		public Flux<Hidden> handle(String id) {
			return Flux.just(new Hidden());
		}

	}

	static class Hidden {

		String text = "a";

	}

	static class WithStream {

		@Idempotent(key = "#id")
		public CompletableFuture<InputStream> handle(String id) {
			return CompletableFuture.completedFuture(InputStream.nullInputStream());
		}

	}

	static class WithNested {

		@Idempotent(key = "#id")
		public Flux<Mono<String>> handle(String id) {
			return Flux.just(Mono.just(id));
		}

	}

	static class WithOtherRecover {

		@Idempotent(key = "#id", recover = "plain")
		public Mono<String> handle(String id) {
			return Mono.just(id);
		}

		String plain(String id) {
			return id;
		}

	}

}
