// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.actuate.ConsumersResource.ConsumerList;
import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.RedisBackends;
import io.ge.redis.core.consume.ConsumerReport;
import io.ge.redis.core.consume.ConsumerSettings;
import io.ge.redis.core.consume.ConsumerThreads;
import io.ge.redis.core.consume.Consumers;
import io.ge.redis.core.consume.WorkSource;
import io.ge.redis.core.consume.WorkSource.TakenWork;
import io.ge.redis.core.endpoint.GuardRequest;
import io.ge.redis.core.endpoint.GuardRequestException;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyBoolean;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willCallRealMethod;
import static org.mockito.BDDMockito.willReturn;
import static org.mockito.Mockito.RETURNS_DEEP_STUBS;
import static org.mockito.Mockito.mock;

/**
 * Consumers of an instance, as operators see them.
 */
class ConsumersResourceTests {

	private static final String NAME = "triggers/executor-group";

	private final ConsumerThreads threads = ConsumerThreads.create(false);

	private final Consumers consumers = new Consumers(this.threads, false);

	private final ConsumersResource resource = new ConsumersResource(this.consumers);

	@BeforeEach
	@SuppressWarnings("unchecked")
	void start() {
		WorkSource<String> source = mock(WorkSource.class);
		given(source.name()).willReturn(NAME);
		given(source.doorbells()).willReturn(List.of());
		willCallRealMethod().given(source).ready();
		given(source.take(anyInt(), anyBoolean(), any()))
			.willReturn(CompletableFuture.completedFuture(TakenWork.none()));
		willReturn(CompletableFuture.completedFuture(null)).given(source).leave();
		this.consumers.add(mock(RedisBackend.class, RETURNS_DEEP_STUBS), source,
				(batch, acknowledgment) -> CompletableFuture.completedFuture(null),
				new ConsumerSettings(4, 1, Duration.ofSeconds(30), Duration.ZERO, false, Duration.ZERO,
						Duration.ofSeconds(1), true, null));
		this.consumers.start();
		Awaitility.await().until(() -> this.consumers.reports().get(0).sinceTaken() != null);
	}

	@AfterEach
	void stop() {
		this.consumers.stop();
		this.threads.close();
	}

	@Test
	void listsThemAndLooksAtOne() {
		ConsumerList all = (ConsumerList) this.resource.read(request());
		assertThat(all.consumers()).singleElement().satisfies((consumer) -> {
			assertThat(consumer.name()).isEqualTo(NAME);
			assertThat(consumer.state()).isEqualTo("running");
			assertThat(consumer.concurrency()).isEqualTo(4);
			assertThat(consumer.available()).isEqualTo(4);
			assertThat(consumer.millisSincePoll()).isNotNull();
			assertThat(consumer.overdue()).isFalse();
		});
		ConsumerList one = (ConsumerList) this.resource.read(request("triggers", "executor-group"));
		assertThat(one.consumers()).hasSize(1);
	}

	@Test
	void pausesAndResumes() {
		GuardRequest pause = request(Map.of("action", "pause"), "triggers", "executor-group");
		assertThat(this.resource.write(pause)).isEqualTo(new ConsumersResource.Switched(NAME, true, 1));
		assertThat(this.consumers.reports().get(0).state()).isEqualTo(ConsumerReport.State.PAUSED);
		this.resource.write(request(Map.of("action", "resume"), "triggers", "executor-group"));
		assertThat(this.consumers.reports().get(0).state()).isEqualTo(ConsumerReport.State.RUNNING);
	}

	@Test
	void refusesWhatItDoesNotKnow() {
		assertThatExceptionOfType(GuardRequestException.class).isThrownBy(() -> this.resource.read(request("others")))
			.withMessageContaining(NAME);
		assertThatExceptionOfType(GuardRequestException.class)
			.isThrownBy(() -> this.resource.write(request(Map.of("action", "halt"), "triggers", "executor-group")))
			.withMessageContaining("pause or resume");
	}

	@Test
	void hasGauges() {
		MeterRegistry registry = new SimpleMeterRegistry();
		assertThat(new ConsumerMeters(registry, this.consumers)).isNotNull();
		assertThat(registry.get("ge.redis.consumer.permits.available").tag("source", NAME).gauge().value())
			.isEqualTo(4);
		assertThat(registry.get("ge.redis.consumer.in.flight").tag("source", NAME).gauge().value()).isZero();
		assertThat(registry.get("ge.redis.consumer.poll.age").tag("source", NAME).gauge().value())
			.isGreaterThanOrEqualTo(0);
	}

	@Test
	void healthNamesThoseThatAreOverdue() {
		ConsumerReport overdue = new ConsumerReport("late", ConsumerReport.State.RUNNING, 1, 1, 0,
				Duration.ofMinutes(1), Duration.ofSeconds(10), false, null);
		Health health = new GeRedisHealthIndicator(mock(RedisBackends.class), () -> List.of(overdue)).health();
		assertThat(health.getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
		assertThat(health.getDetails()).containsEntry("overdue", List.of("late"));
	}

	@Test
	void healthNamesThoseForWhichMessagesWait() {
		ConsumerReport paused = new ConsumerReport("halted", ConsumerReport.State.PAUSED, 1, 1, 0,
				Duration.ofMinutes(1), Duration.ofSeconds(10), false, "Messages wait");
		Health health = new GeRedisHealthIndicator(mock(RedisBackends.class), () -> List.of(paused)).health();
		assertThat(health.getStatus()).isEqualTo(Status.UNKNOWN);
		assertThat(health.getDetails()).containsEntry("neglected", List.of("halted"));
	}

	private static GuardRequest request(String... path) {
		return request(Map.of(), path);
	}

	private static GuardRequest request(Map<String, Object> parameters, String... path) {
		return new GuardRequest(List.of(path), parameters);
	}

}
