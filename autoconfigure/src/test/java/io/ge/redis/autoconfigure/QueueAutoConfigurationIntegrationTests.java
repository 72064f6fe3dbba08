// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.actuate.Actuate;
import io.ge.redis.core.RedisBackends;
import io.ge.redis.core.endpoint.GuardRequest;
import io.ge.redis.core.endpoint.GuardRequestException;
import io.ge.redis.core.endpoint.GuardResource;
import io.ge.redis.queue.EnqueuedJob;
import io.ge.redis.queue.JobOptions;
import io.ge.redis.queue.JobQueue;
import io.ge.redis.queue.JobStatus;
import io.ge.redis.queue.JobStatus.State;
import io.ge.redis.queue.QueuePattern;
import io.ge.redis.queue.QueueView;
import io.ge.redis.queue.RedisJob;
import io.ge.redis.test.SharedRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

/**
 * Job queues in an application, from annotation and property to Redis and endpoint.
 */
class QueueAutoConfigurationIntegrationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, GeRedisAutoConfiguration.class,
				ConsumerAutoConfiguration.class, QueueAutoConfiguration.class))
		.withPropertyValues(SharedRedis.properties())
		.withPropertyValues("ge.redis.queue.queues.plain.concurrency=2", "ge.redis.queue.queues.later.concurrency=2",
				"ge.redis.queue.queues.reactive.concurrency=2", "ge.redis.queue.queues.inherited.concurrency=2",
				"ge.redis.queue.queues.unseen.concurrency=2", "ge.redis.queue.queues.idle.concurrency=2");

	@BeforeEach
	void emptyRedis() {
		SharedRedis.standalone().flushAll();
	}

	@AfterEach
	void leaveNothingPermanent() {
		SharedRedis.standalone().flushAll();
	}

	@Test
	void callsListenersOfAllStyles() {
		this.runner.withUserConfiguration(Listeners.class).run((context) -> {
			JobQueue jobs = context.getBean(JobQueue.class);
			for (String queue : List.of("plain", "later", "reactive", "inherited", "unseen")) {
				EnqueuedJob job = jobs.enqueue(queue, "me");
				Awaitility.await().until(() -> jobs.status(queue, job.id()).state() == State.DONE);
				assertThat(jobs.status(queue, job.id()).result()).hasToString("\"" + queue + " me\"");
			}
		});
	}

	@Test
	void showsTheConnectionOfConsumersBesideThatOfGuards() {
		this.runner.withUserConfiguration(Listeners.class).run((context) -> {
			RedisBackends backends = context.getBean(RedisBackends.class);
			assertThat(backends.all()).containsOnlyKeys("default", "default.consumers");
			HealthIndicator health = Actuate.health(backends);
			Awaitility.await()
				.untilAsserted(() -> assertThat(health.health().getDetails().get("default.consumers")).asString()
					.contains("state=available"));
		});
	}

	@Test
	void showsAndCancelsJobs() {
		this.runner.run((context) -> {
			JobQueue jobs = context.getBean(JobQueue.class);
			GuardResource resource = Actuate.queues(() -> context.getBean(QueuePattern.class));
			EnqueuedJob job = jobs.enqueue("idle", "me", JobOptions.defaults().priority(3));
			assertThat(resource.read(new GuardRequest(List.of(), Map.of()))).asString()
				.contains("plain", "later", "reactive", "idle");
			assertThat(resource.read(new GuardRequest(List.of("idle"), Map.of())))
				.extracting("jobs", as(type(QueueView.class)))
				.satisfies((counts) -> assertThat(counts.jobs()).isEqualTo(1))
				.satisfies((counts) -> assertThat(counts.ready().get(3)).isEqualTo(1));
			assertThat(resource.read(new GuardRequest(List.of("idle", job.id()), Map.of())))
				.extracting("id", "state", "attempts", "problem")
				.containsExactly(job.id(), State.QUEUED, 0, null);
			assertThat(resource.delete(new GuardRequest(List.of("idle", job.id()), Map.of())))
				.extracting("id", "state", "attempts", "problem")
				.containsExactly(job.id(), State.CANCELLED, 0, null);
			assertThatExceptionOfType(GuardRequestException.class)
				.isThrownBy(() -> resource.read(new GuardRequest(List.of("other"), Map.of())))
				.withMessageContaining("There is: idle, inherited, later, plain, reactive, unseen.");
			assertThatExceptionOfType(GuardRequestException.class)
				.isThrownBy(() -> resource.read(new GuardRequest(List.of("idle", "none"), Map.of())))
				.withMessageContaining("There is no job 'none'");
		});
	}

	@Test
	void refusesAListenerWithoutAQueue() {
		this.runner.withUserConfiguration(Listeners.class)
			.withPropertyValues("ge.redis.queue.queues.plain.max-attempts=0")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("ge.redis.queue.queues.plain.max-attempts must be at least 1"));
	}

	@Test
	void doesNothingWhereItIsSwitchedOff() {
		this.runner.withUserConfiguration(Listeners.class)
			.withPropertyValues("ge.redis.queue.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(QueuePattern.class)
				.doesNotHaveBean(JobQueue.class));
	}

	@Test
	void yieldsToAUsersQueue() {
		JobQueue own = JobQueue.unguarded();
		this.runner.withBean(JobQueue.class, () -> own).run((context) -> {
			assertThat(context.getBean(JobQueue.class)).isSameAs(own);
			assertThat(own.status("any", "id")).isEqualTo(new JobStatus("id", State.UNKNOWN, 0, null, null));
		});
	}

	@Configuration(proxyBeanMethods = false)
	static class Listeners {

		@Bean
		Worker worker() {
			return new Worker();
		}

	}

	abstract static class Inherited<R> {

		@RedisJob(queue = "inherited")
		R inherited(String name) {
			return result(name);
		}

		abstract R result(String name);

	}

	static class Worker extends Inherited<Mono<String>> {

		@Override
		Mono<String> result(String name) {
			return Mono.fromSupplier(() -> "inherited " + name);
		}

		@RedisJob(queue = "unseen")
		Object unseen(String name) {
			return Mono.fromSupplier(() -> "unseen " + name);
		}

		@RedisJob(queue = "plain")
		String plain(String name) {
			return "plain " + name;
		}

		@RedisJob(queue = "${unset:later}")
		CompletableFuture<String> later(String name) {
			return CompletableFuture.supplyAsync(() -> "later " + name);
		}

		@RedisJob(queue = "reactive")
		Mono<String> reactive(String name) {
			return Mono.fromSupplier(() -> "reactive " + name);
		}

	}

}
