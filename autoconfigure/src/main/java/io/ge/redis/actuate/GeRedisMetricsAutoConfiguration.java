// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import java.util.ArrayList;
import java.util.List;

import io.ge.redis.autoconfigure.ConsumerAutoConfiguration;
import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.breaker.BreakerCallEvent;
import io.ge.redis.breaker.internal.BreakerPattern;
import io.ge.redis.cache.WriteBehindEvent;
import io.ge.redis.cache.internal.behind.WriteBehind;
import io.ge.redis.core.RedisBackends;
import io.ge.redis.core.consume.Consumers;
import io.ge.redis.core.event.EventGauge;
import io.ge.redis.core.event.MeterNames;
import io.ge.redis.core.guard.GuardedMethods;
import io.ge.redis.lock.internal.LockPattern;
import io.ge.redis.queue.JobEvent;
import io.ge.redis.queue.QueuePattern;
import io.ge.redis.stream.StreamPattern;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/**
 * Meters.
 */
@AutoConfiguration(after = { GeRedisAutoConfiguration.class, ConsumerAutoConfiguration.class },
		afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({ MeterRegistry.class, RedisBackends.class })
public final class GeRedisMetricsAutoConfiguration {

	private static final double MILLIS = 1000.0;

	@Bean
	CoreMeters geRedisCoreMeters(MeterRegistry registry) {
		return new CoreMeters(registry);
	}

	@Bean
	MeterNames geRedisMeterNames() {
		return new MeterNames();
	}

	@Bean
	GuardMeters geRedisGuardMeters(MeterRegistry registry, ObjectProvider<EventGauge> gauges,
			ObjectProvider<StreamPattern> streams, MeterNames names) {
		List<EventGauge> all = new ArrayList<>(gauges.orderedStream().toList());
		all.addAll(StreamPattern.gauges(streams::getObject));
		return new GuardMeters(registry, all, names);
	}

	@Bean
	SmartInitializingSingleton geRedisKnownNames(ObjectProvider<GuardMeters> meters, GuardedMethods methods,
			Environment environment, ConfigurableListableBeanFactory beans) {
		return () -> GuardMeters.begin(meters::getObject, methods, environment, beans);
	}

	@Bean
	@ConditionalOnBean(Consumers.class)
	ConsumerMeters geRedisConsumerMeters(MeterRegistry registry, Consumers consumers) {
		return new ConsumerMeters(registry, consumers);
	}

	@Bean
	EventGauge geRedisLockWaitersGauge(ObjectProvider<LockPattern> locks) {
		return new EventGauge("ge.redis.lock.waiters", "Calls of this instance that wait for a lock", null,
				(all) -> locks.stream().mapToInt(LockPattern::waiting).sum());
	}

	@Bean
	EventGauge geRedisBreakerStateGauge(ObjectProvider<BreakerPattern> breakers) {
		return new EventGauge("ge.redis.breaker.state", "State of a circuit: 0 closed, 1 open, 2 half-open",
				BreakerCallEvent.CALLS,
				(name) -> breakers.stream().mapToDouble((each) -> each.figure(name, true)).max().orElse(0));
	}

	@Bean
	EventGauge geRedisBreakerLocalGauge(ObjectProvider<BreakerPattern> breakers) {
		return new EventGauge("ge.redis.breaker.local", "The same of the breaker of this instance alone",
				BreakerCallEvent.CALLS,
				(name) -> breakers.stream().mapToDouble((each) -> each.figure(name, false)).max().orElse(0));
	}

	@Bean
	EventGauge geRedisQueueReadyGauge(ObjectProvider<QueuePattern> queues) {
		return new EventGauge("ge.redis.queue.ready", "Jobs that could run", JobEvent.JOBS,
				(queue) -> queues.stream().mapToDouble((each) -> each.sample(queue).waiting()).sum());
	}

	@Bean
	EventGauge geRedisQueueInFlightGauge(ObjectProvider<QueuePattern> queues) {
		return new EventGauge("ge.redis.queue.inflight", "Jobs that run", JobEvent.JOBS,
				(queue) -> queues.stream().mapToDouble((each) -> each.sample(queue).inFlight()).sum());
	}

	@Bean
	EventGauge geRedisQueueDelayedGauge(ObjectProvider<QueuePattern> queues) {
		return new EventGauge("ge.redis.queue.delayed", "Jobs that wait for their delay or another attempt",
				JobEvent.JOBS, (queue) -> queues.stream().mapToDouble((each) -> each.sample(queue).delayed()).sum());
	}

	@Bean
	EventGauge geRedisQueueOldestReadyGauge(ObjectProvider<QueuePattern> queues) {
		return new EventGauge("ge.redis.queue.oldest.ready.age", "Seconds since the oldest job that could run came",
				JobEvent.JOBS,
				(queue) -> queues.stream()
					.mapToDouble((each) -> Math.max(0, each.sample(queue).oldestReadyMillis() / MILLIS))
					.sum());
	}

	@Bean
	EventGauge geRedisWriteBehindPendingGauge(ObjectProvider<WriteBehind> writeBehind) {
		return new EventGauge("ge.redis.cache.behind.pending", "Keys whose changes wait for the store",
				WriteBehindEvent.WRITTEN,
				(cache) -> writeBehind.stream().mapToLong((writing) -> writing.waiting(cache)).sum());
	}

}
