// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.cache.WarmUpApplication.Words;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Stopwatch;
import io.ge.redis.test.Wide;
import io.ge.redis.test.instance.Instance;
import io.ge.redis.test.instance.Instances;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.availability.ApplicationAvailability;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Warm-ups run once in the fleet, and are taken over from instances that die.
 */
class CacheWarmUpIntegrationTests {

	private static final String STATE = "ge:cache:{warm-up:words}:u1";

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	/** Some start beside each other. */
	private final List<ConfigurableApplicationContext> contexts = new CopyOnWriteArrayList<>();

	/** The context of the application that is starting. */
	private final AtomicReference<ConfigurableApplicationContext> starting = new AtomicReference<>();

	@BeforeEach
	void emptyRedis() {
		SharedRedis.standalone().flushAll();
	}

	@AfterEach
	void close() {
		this.contexts.forEach(ConfigurableApplicationContext::close);
	}

	private Words start(String... properties) {
		return start((context) -> {
		}, properties);
	}

	private Words start(ApplicationContextInitializer<GenericApplicationContext> initializer, String... properties) {
		ConfigurableApplicationContext context = new SpringApplicationBuilder(WarmUpApplication.class)
			.web(WebApplicationType.NONE)
			.registerShutdownHook(false)
			.initializers(initializer, (created) -> this.starting.set(created))
			.properties(SharedRedis.standalone().properties())
			.properties("spring.main.banner-mode=off", "spring.main.log-startup-info=false",
					"ge.redis.outage.command-timeout=5s", "ge.redis.cache.warm-up.readiness=wait",
					"ge.redis.cache.warm-up.timeout=30s")
			.properties(properties)
			.run();
		this.contexts.add(context);
		return context.getBean(Words.class);
	}

	private CompletableFuture<Words> startAsync(String... properties) {
		return CompletableFuture.supplyAsync(() -> start(properties), (task) -> new Thread(task).start());
	}

	@Test
	void runsOnceInTheFleetAndNotAgainWhileItCounts() {
		Words first = start();
		Words second = start();
		assertThat(first.warmed()).isEqualTo(20);
		assertThat(first.loaded()).isEqualTo(20);
		assertThat(second.warmed()).isZero();
		assertThat(SharedRedis.standalone().primary().command("PTTL", STATE)).asString().matches("[1-9][0-9]{5}");
		SharedRedis.standalone().primary().command("DEL", STATE);
		Words third = start();
		assertThat(third.warmed()).isEqualTo(20);
		assertThat(third.loaded()).isZero();
	}

	@Test
	void refusesTrafficUntilItIsOver() throws Exception {
		CompletableFuture<Words> started = startAsync("test.stop-at=3");
		ConfigurableApplicationContext context = awaitRunning();
		context.getBean(Words.class).awaitStopped();
		ApplicationAvailability availability = context.getBean(ApplicationAvailability.class);
		assertThat(availability.getReadinessState()).isEqualTo(ReadinessState.REFUSING_TRAFFIC);
		assertThat(started).isNotDone();
		context.getBean(Words.class).goOn();
		assertThat(started.get(30, TimeUnit.SECONDS).warmed()).isEqualTo(20);
		assertThat(availability.getReadinessState()).isEqualTo(ReadinessState.ACCEPTING_TRAFFIC);
	}

	@Test
	void othersWaitForTheOneThatRunsIt() throws Exception {
		CompletableFuture<Words> first = startAsync("test.stop-at=3");
		ConfigurableApplicationContext running = awaitRunning();
		running.getBean(Words.class).awaitStopped();
		CompletableFuture<Words> second = startAsync();
		Awaitility.await()
			.atMost(PATIENCE)
			.until(() -> this.starting.get() != running && this.starting.get().isRunning());
		ApplicationAvailability availability = this.starting.get().getBean(ApplicationAvailability.class);
		assertThat(availability.getReadinessState()).isEqualTo(ReadinessState.REFUSING_TRAFFIC);
		running.getBean(Words.class).goOn();
		assertThat(first.get(30, TimeUnit.SECONDS).warmed()).isEqualTo(20);
		assertThat(second.get(30, TimeUnit.SECONDS).warmed()).isZero();
	}

	@Test
	@Wide
	void acceptsTrafficAtOnceIfNotToldToWait() throws Exception {
		Words words = start("test.stop-at=1", "ge.redis.cache.warm-up.readiness=ignore");
		words.awaitStopped();
		assertThat(this.contexts.get(0).getBean(ApplicationAvailability.class).getReadinessState())
			.isEqualTo(ReadinessState.ACCEPTING_TRAFFIC);
		words.goOn();
		Awaitility.await().until(() -> words.loaded() == 20);
	}

	@Test
	void acceptsTrafficWhenItTakesTooLong() {
		Words words = start("test.stop-at=1", "ge.redis.cache.warm-up.timeout=200ms");
		assertThat(words.loaded()).isZero();
		words.goOn();
		Awaitility.await().until(() -> words.loaded() == 20);
	}

	@Test
	void startsAlthoughAWarmerFailsAndLetsAnotherInstanceTry() {
		Words failed = start("test.fail-at=5");
		assertThat(failed.loaded()).isEqualTo(4);
		assertThat(this.contexts.get(0).getBean(ApplicationAvailability.class).getReadinessState())
			.isEqualTo(ReadinessState.ACCEPTING_TRAFFIC);
		Words next = start();
		assertThat(next.warmed()).isEqualTo(20);
		assertThat(next.loaded()).isEqualTo(16);
	}

	@Test
	void doesNotStartIfItIsRequiredAndFails() {
		assertThatExceptionOfType(GuardConfigurationException.class)
			.isThrownBy(() -> start("test.fail-at=5", "ge.redis.cache.warm-up.readiness=require"))
			.withMessageContaining("'words' failed after 4 keys")
			.withMessageContaining("no word word4");
	}

	@Test
	@Wide
	void doesNotStartIfItIsRequiredAndFailsWithAnError() {
		assertThatExceptionOfType(GuardConfigurationException.class)
			.isThrownBy(() -> start((context) -> context.registerBean("broken", Broken.class),
					"ge.redis.cache.warm-up.readiness=require"))
			.withMessageContaining("'broken' failed after 0 keys");
	}

	@Test
	@Wide
	void doesNotStartIfItIsRequiredAndTakesTooLong() {
		assertThatExceptionOfType(GuardConfigurationException.class)
			.isThrownBy(() -> start("ge.redis.cache.warm-up.rate=1", "ge.redis.cache.warm-up.readiness=require",
					"ge.redis.cache.warm-up.timeout=300ms"))
			.withMessageContaining("ge.redis.cache.warm-up.timeout");
	}

	@Test
	void startsAlthoughRedisIsDown() {
		Words words = start("spring.data.redis.port=1", "ge.redis.cache.warm-up.timeout=200ms",
				"ge.redis.outage.command-timeout=50ms");
		assertThat(words.warmed()).isZero();
	}

	@Test
	void isNoFasterThanTheRate() {
		long began = System.nanoTime();
		start("test.words=11", "ge.redis.cache.warm-up.rate=20");
		assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThan(Duration.ofMillis(500));
	}

	@Test
	void isNotRunWhereItIsOff() {
		assertThat(start("ge.redis.cache.warm-up.enabled=false").warmed()).isZero();
	}

	@Test
	void instanceThatIsClosedHandsItOn() throws Exception {
		CompletableFuture<Words> first = startAsync("ge.redis.cache.warm-up.rate=2",
				"ge.redis.cache.warm-up.readiness=ignore", "ge.redis.cache.warm-up.lease-time=60s");
		Words closing = first.get(30, TimeUnit.SECONDS);
		Awaitility.await().until(() -> closing.warmed() > 1);
		CompletableFuture<Words> second = startAsync("ge.redis.cache.warm-up.lease-time=60s");
		this.contexts.get(0).close();
		Stopwatch watch = Stopwatch.start();
		assertThat(second.get(30, TimeUnit.SECONDS).warmed()).isEqualTo(20);
		assertThat(watch.elapsed()).isLessThan(Duration.ofSeconds(20));
	}

	@Test
	void twoOfOneNameDoNotStart() {
		assertThatExceptionOfType(Exception.class)
			.isThrownBy(() -> start((context) -> context.registerBean("again", Words.class,
					() -> new Words(context.getBean(GeCaches.class), 1, -1, -1))))
			.havingRootCause()
			.isInstanceOf(GuardConfigurationException.class)
			.withMessageContaining("two warm-ups of that name");
	}

	@Test
	@Wide
	void anotherInstanceTakesOverFromOneThatIsKilled() {
		try (Instances instances = Instances.of(WarmUpApplication.class)
			.with(SharedRedis.standalone().properties())
			.with("test.words=30", "ge.redis.cache.warm-up.lease-time=5s", "ge.redis.outage.command-timeout=5s")) {
			Instance owner = instances.with("test.stop-at=10").start();
			Awaitility.await().atMost(PATIENCE).until(() -> warmed(owner) == 10);
			Instance next = instances.start();
			Awaitility.await().atMost(PATIENCE).during(Duration.ofMillis(5500)).until(() -> warmed(next) == 0);
			owner.kill();
			Awaitility.await().atMost(PATIENCE).until(() -> warmed(next) == 30);
			Awaitility.await()
				.atMost(PATIENCE)
				.until(() -> String.valueOf(SharedRedis.standalone().primary().command("GET", STATE)).startsWith("D "));
			assertThat(loaded(next)).isEqualTo(21);
		}
	}

	private static int warmed(Instance instance) {
		return Integer.parseInt(instance.get("warmed").split(" ")[0]);
	}

	private static int loaded(Instance instance) {
		return Integer.parseInt(instance.get("warmed").split(" ")[1]);
	}

	private ConfigurableApplicationContext awaitRunning() {
		Awaitility.await().atMost(PATIENCE).until(() -> this.starting.get() != null && this.starting.get().isRunning());
		return this.starting.get();
	}

	/**
	 * Fails with what is no exception.
	 */
	static class Broken implements CacheWarmer<String> {

		@Override
		public String name() {
			return "broken";
		}

		@Override
		public Stream<String> keys() {
			return Stream.of("a");
		}

		@Override
		public void warm(String key) {
			throw new AssertionError("nothing is right");
		}

	}

}
