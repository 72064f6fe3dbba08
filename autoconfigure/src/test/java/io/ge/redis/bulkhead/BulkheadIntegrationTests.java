// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.bulkhead;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.Refusal;
import io.ge.redis.actuate.GeRedisMetricsAutoConfiguration;
import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.core.endpoint.GuardRequest;
import io.ge.redis.core.endpoint.GuardResource;
import io.ge.redis.core.guard.GuardedMethods;
import io.ge.redis.test.SharedRedis;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * All that a guard has, of one that stands on the frame alone.
 */
class BulkheadIntegrationTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
				GeRedisAutoConfiguration.class, GeRedisMetricsAutoConfiguration.class))
		.withUserConfiguration(BulkheadConfiguration.class)
		.withBean(SimpleMeterRegistry.class)
		.withBean(Workshop.class)
		.withPropertyValues(SharedRedis.properties())
		// A busy machine is no outage
		.withPropertyValues("ge.redis.outage.command-timeout=5s");

	@BeforeEach
	void emptyRedis() {
		SharedRedis.standalone().flushAll();
	}

	@Test
	void callsAreRefusedWhileOthersAreAtWorkInEachForm() {
		this.runner.run((context) -> {
			Workshop workshop = context.getBean(Workshop.class);
			CompletableFuture<String> first = workshop.future("saw");
			assertThatExceptionOfType(BulkheadFullException.class).isThrownBy(() -> workshop.plain("saw"));
			assertThat(workshop.future("saw")).failsWithin(LONG)
				.withThrowableOfType(ExecutionException.class)
				.withCauseInstanceOf(BulkheadFullException.class);
			assertThatExceptionOfType(BulkheadFullException.class).isThrownBy(() -> workshop.mono("saw").block(LONG));
			assertThat(workshop.plain("drill")).isEqualTo("done");
			workshop.finish();
			assertThat(first).succeedsWithin(LONG).isEqualTo("done");
			Awaitility.await().untilAsserted(() -> assertThat(workshop.plain("saw")).isEqualTo("done"));
			Awaitility.await().untilAsserted(() -> assertThat(workshop.mono("saw").block(LONG)).isEqualTo("done"));
		});
	}

	@Test
	void callThatFailsOrIsCancelledLeaves() {
		this.runner.run((context) -> {
			Workshop workshop = context.getBean(Workshop.class);
			workshop.mono("saw").subscribe().dispose();
			Awaitility.await()
				.untilAsserted(() -> assertThatExceptionOfType(IllegalStateException.class)
					.isThrownBy(() -> workshop.failing("saw")));
			Awaitility.await().untilAsserted(() -> assertThat(workshop.plain("saw")).isEqualTo("done"));
		});
	}

	@Test
	void propertiesTakePrecedenceAndAreShownWithTheirOrigin() {
		this.runner.withPropertyValues("ge.redis.bulkhead.limits.workshop=2").run((context) -> {
			Workshop workshop = context.getBean(Workshop.class);
			workshop.future("saw");
			workshop.future("saw");
			assertThatExceptionOfType(BulkheadFullException.class).isThrownBy(() -> workshop.plain("saw"));
			assertThat(context.getBean(GuardedMethods.class).all()).extracting((entry) -> entry.guard().name())
				.contains("workshop");
			assertThat(context.getBean(GuardResource.class)
				.read(new GuardRequest(List.of("workshop"), Map.of("key", "saw")))).isEqualTo(Map.of("atWork", 2L));
			assertThat(context.getBean(MeterRegistry.class)
				.get("ge.redis.bulkhead.calls")
				.tags("bulkhead", "workshop", "outcome", "full")
				.counter()
				.count()).isEqualTo(1);
			workshop.finish();
		});
	}

	@Test
	void refusalHasAnAnswerForHttp() {
		Refusal refusal = new BulkheadFullException("workshop").refusal();
		assertThat(refusal.status()).isEqualTo(429);
		assertThat(refusal.members()).containsEntry("bulkhead", "workshop");
	}

	@Test
	void missingLimitFailsTheStartWithItsRemedy() {
		this.runner.withBean(Unlimited.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(GuardConfigurationException.class)
				.hasMessageContaining("ge.redis.bulkhead.limits.Unlimited.work"));
	}

	static class Workshop {

		private final CountDownLatch finished = new CountDownLatch(1);

		@Bulkhead(name = "workshop", key = "#tool", limit = "1")
		String plain(String tool) {
			return "done";
		}

		@Bulkhead(name = "workshop", key = "#tool", limit = "1")
		String failing(String tool) {
			throw new IllegalStateException("broken");
		}

		@Bulkhead(name = "workshop", key = "#tool", limit = "1")
		CompletableFuture<String> future(String tool) {
			return CompletableFuture.supplyAsync(() -> {
				finished(this.finished);
				return "done";
			}, (task) -> new Thread(task).start());
		}

		@Bulkhead(name = "workshop", key = "#tool", limit = "1")
		Mono<String> mono(String tool) {
			return (this.finished.getCount() > 0 && tool.equals("saw")) ? Sinks.<String>one().asMono()
					: Mono.just("done");
		}

		void finish() {
			this.finished.countDown();
		}

		private static void finished(CountDownLatch latch) {
			try {
				latch.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

	}

	static class Unlimited {

		@Bulkhead
		void work() {
		}

	}

}
