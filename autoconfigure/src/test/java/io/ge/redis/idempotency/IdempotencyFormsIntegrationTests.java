/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.autoconfigure.GeRedisMetricsAutoConfiguration;
import io.ge.redis.autoconfigure.IdempotencyAutoConfiguration;
import io.ge.redis.core.invocation.GuardConfigurationException;
import io.ge.redis.test.SharedRedis;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Idempotent methods whose results come later.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class IdempotencyFormsIntegrationTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private ConfigurableApplicationContext context;

	private Desk desk;

	private Idempotency idempotency;

	private MeterRegistry meters;

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

	private long scripts(Runnable call) {
		long before = scripts();
		call.run();
		return scripts() - before;
	}

	private long scripts() {
		return this.meters.find("ge.redis.script").timers().stream().mapToLong(Timer::count).sum();
	}

	private boolean isIdle() {
		return this.context.getBean(IdempotencyGuard.class).isIdle();
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
			GeRedisAutoConfiguration.class, IdempotencyAutoConfiguration.class, GeRedisMetricsAutoConfiguration.class })
	static class Application {

		@Bean
		SimpleMeterRegistry meters() {
			return new SimpleMeterRegistry();
		}

		@Bean
		Desk desk() {
			return new Desk();
		}

	}

	record Receipt(String id, int cents) {
	}

	static class Desk {

		private final Map<String, Integer> runs = new ConcurrentHashMap<>();

		Map<String, Integer> runs() {
			return this.runs;
		}

		void clear() {
			this.runs.clear();
		}

		private Receipt run(String id, int cents) {
			this.runs.merge(id, 1, Integer::sum);
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

	}

}
