// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.broadcast.Broadcaster;
import io.ge.redis.core.consume.ConsumerProperties;
import io.ge.redis.core.consume.ConsumerThreads;
import io.ge.redis.core.consume.Consumers;
import io.ge.redis.core.consume.ListenerScanner;
import io.ge.redis.queue.JobQueue;
import io.ge.redis.queue.RedisJob;
import io.ge.redis.stream.DeadLetters;
import io.ge.redis.stream.StreamMessage;
import io.ge.redis.stream.StreamPublisher;
import io.ge.redis.stream.StreamViews;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The frame of consumers in an application, without a Redis.
 */
@ExtendWith(OutputCaptureExtension.class)
class ConsumerAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
				GeRedisAutoConfiguration.class, GeRedisDisabledAutoConfiguration.class, ConsumerAutoConfiguration.class,
				StreamAutoConfiguration.class, QueueAutoConfiguration.class, BroadcastAutoConfiguration.class))
		.withPropertyValues("spring.data.redis.port=1");

	@Test
	void hasNoThreadBeforeThereIsSomethingToListenTo() {
		// Those of contexts that were closed end a moment later
		Set<Thread> before = Thread.getAllStackTraces().keySet();
		this.runner.run((context) -> {
			assertThat(context).hasNotFailed().hasSingleBean(Consumers.class).hasSingleBean(ListenerScanner.class);
			assertThat(context.getBean(Consumers.class).isRunning()).isTrue();
			assertThat(Thread.getAllStackTraces().keySet()).filteredOn((thread) -> !before.contains(thread))
				.extracting(Thread::getName)
				.noneMatch((name) -> name.startsWith("ge-redis-consumer"));
		});
	}

	@Test
	void handlersHaveThreadsOfTheirOwn() {
		this.runner.withPropertyValues("spring.threads.virtual.enabled=false")
			.run((context) -> assertThat(handlerThread(context.getBean(ConsumerThreads.class)))
				.isEqualTo("ge-redis-consumer"));
	}

	@Test
	@EnabledForJreRange(min = JRE.JAVA_21, disabledReason = "There are no virtual threads")
	void handlersHaveVirtualThreadsWhereTheyAreSwitchedOn() {
		this.runner.withPropertyValues("spring.threads.virtual.enabled=true")
			.run((context) -> assertThat(handlerThread(context.getBean(ConsumerThreads.class)))
				.startsWith("ge-redis-consumer-"));
	}

	private static String handlerThread(ConsumerThreads threads) {
		CompletableFuture<String> name = new CompletableFuture<>();
		threads.handlers().execute(() -> name.complete(Thread.currentThread().getName()));
		assertThat(name).succeedsWithin(Duration.ofSeconds(10));
		return name.join();
	}

	@Test
	void instanceHasTheNameThatIsSet() {
		this.runner.withPropertyValues("ge.redis.consumer.name=pod-1")
			.run((context) -> assertThat(context.getBean(ConsumerProperties.class).consumerName()).isEqualTo("pod-1"));
		this.runner.run((context) -> {
			String name = context.getBean(ConsumerProperties.class).consumerName();
			assertThat(name).contains("-").isEqualTo(context.getBean(ConsumerProperties.class).consumerName());
			// Another context of the same process
			this.runner
				.run((other) -> assertThat(other.getBean(ConsumerProperties.class).consumerName()).isNotEqualTo(name));
		});
	}

	@Test
	void refusesWrongSettings() {
		this.runner.withPropertyValues("ge.redis.consumer.reap-after=10ms")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("ge.redis.consumer.reap-after must be at least 1s"));
		this.runner.withPropertyValues("ge.redis.consumer.name=~retry")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("ge.redis.consumer.name must not be blank"));
	}

	@Test
	void listenersBehindInterfacesAreFoundInALazyApplication() {
		this.runner.withPropertyValues("ge.redis.queue.queues.work.concurrency=1")
			.withBean(LazyInitializationBeanFactoryPostProcessor.class)
			.withUserConfiguration(Behind.class)
			.run((context) -> assertThat(context.getBean(Consumers.class).reports()).singleElement()
				.satisfies((report) -> assertThat(report.source()).isEqualTo("work")));
	}

	@Test
	void listenersKeepTheProcessAliveUnlessTheApplicationSaysOtherwise() {
		ApplicationContextRunner listening = this.runner
			.withPropertyValues("ge.redis.queue.queues.work.concurrency=1", "ge.redis.consumer.shutdown-timeout=100ms")
			.withUserConfiguration(Behind.class);
		listening.run((context) -> {
			Thread alive = keepAlive();
			assertThat(alive).isNotNull().matches((thread) -> !thread.isDaemon());
			context.close();
			Awaitility.await().until(() -> !alive.isAlive());
		});
		listening.withPropertyValues("spring.main.keep-alive=false").run((context) -> assertThat(keepAlive()).isNull());
		this.runner.run((context) -> assertThat(keepAlive()).isNull());
	}

	private static @Nullable Thread keepAlive() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().equals("ge-redis-consumer-keep-alive"))
			.findFirst()
			.orElse(null);
	}

	@Test
	void warnsOnceOfAShutdownThatSpringWouldCutShort(CapturedOutput output) {
		ApplicationContextRunner listening = this.runner
			.withPropertyValues("ge.redis.queue.queues.work.concurrency=1", "ge.redis.consumer.shutdown-timeout=40s")
			.withUserConfiguration(Behind.class);
		listening.withPropertyValues("spring.lifecycle.timeout-per-shutdown-phase=40s")
			.run((context) -> assertThat(output).doesNotContain("shutdown-timeout is PT40S"));
		listening.run((context) -> assertThat(output)
			.containsOnlyOnce("ge.redis.consumer.shutdown-timeout is PT40S, and Spring waits no longer than PT30S. "
					+ "Set spring.lifecycle.timeout-per-shutdown-phase to at least 40000ms"));
	}

	@Test
	void switchedOffNothingIsConsumedAndWhatIsInjectedDoesNothing() {
		this.runner.withPropertyValues("ge.redis.enabled=false").run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(Consumers.class).reports()).isEmpty();
			assertThat(context.getBean(Consumers.class).pause("unknown")).isZero();
			assertThat(context.getBean(StreamPublisher.class).publish("unknown", StreamMessage.of(null)).triggerId())
				.isNotNull();
			assertThat(context.getBean(DeadLetters.class).list("unknown", 1)).isEmpty();
			assertThat(context.getBean(StreamViews.class).view("unknown").members()).isEmpty();
			assertThat(context.getBean(DeadLetters.class).replay("unknown", "1-1")).isFalse();
			assertThat(context.getBean(JobQueue.class).enqueue("unknown", "job").duplicate()).isFalse();
			assertThat(context.getBean(Broadcaster.class).publish("unknown", "message")).isZero();
		});
	}

	@Test
	void onePatternCanBeSwitchedOff() {
		this.runner.withPropertyValues("ge.redis.stream.enabled=false").run((context) -> {
			assertThat(context).hasNotFailed().hasSingleBean(StreamPublisher.class).hasSingleBean(JobQueue.class);
			assertThat(context.getBean(StreamPublisher.class).publish("unknown", StreamMessage.of(null))).isNotNull();
		});
	}

	interface Handler {

	}

	static class Worker implements Handler {

		@RedisJob(queue = "work")
		void work(String job) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Behind {

		@Bean
		Handler handler() {
			return new Worker();
		}

	}

}
