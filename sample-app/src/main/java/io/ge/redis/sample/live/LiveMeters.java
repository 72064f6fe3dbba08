// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.live;

import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.RedisBackends;
import io.ge.redis.core.bus.InstanceBus;
import io.ge.redis.core.consume.Consumers;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.stereotype.Component;

/**
 * Reads the figures from the meters that a monitoring system would read.
 */
@Component
class LiveMeters {

	private static final String STREAM = "triggers";

	private static final String AGENTS = "triggers/executor-group";

	private static final String LOOK = "stream/view";

	private final MeterRegistry registry;

	private final Consumers consumers;

	private final ObjectProvider<RedisBackends> backends;

	private final RedisHang hang;

	LiveMeters(MeterRegistry registry, Consumers consumers, ObjectProvider<RedisBackends> backends, RedisHang hang) {
		this.registry = registry;
		this.consumers = consumers;
		this.backends = backends;
		this.hang = hang;
	}

	/**
	 * Reads the figures without waiting for Redis: those of the stream are from its last
	 * answer.
	 */
	LiveFigures read() {
		return new LiveFigures(limits("allowed", "error_allowed"), limits("denied", "error_denied"), locks("acquired"),
				locks("not_acquired"), reads("hit", "stale"), reads("miss", "bypass"), stream("lag"), stream("pending"),
				stream("dead.letters"), scripts("success", "error"), scripts("error"), isOutage(), agents(),
				this.hang.isOffered(), this.hang.left().toMillis(), bus().map(InstanceBus::position).orElse(1),
				bus().map(InstanceBus::liveInstances).orElse(1), this.hang.port());
	}

	private long stream(String figure) {
		return (long) this.registry.find("ge.redis.stream." + figure)
			.gauges()
			.stream()
			.filter((gauge) -> tagged("stream", STREAM).test(gauge.getId()))
			.mapToDouble(Gauge::value)
			.filter(Double::isFinite)
			.sum();
	}

	private long limits(String... outcomes) {
		return count("ge.redis.ratelimit.requests", tagged("outcome", outcomes));
	}

	private long locks(String... outcomes) {
		return count("ge.redis.lock.acquire", tagged("outcome", outcomes));
	}

	private long reads(String... results) {
		return count("ge.redis.cache.gets", tagged("result", results));
	}

	private long scripts(String... outcomes) {
		return count("ge.redis.script", tagged("outcome", outcomes).and(tagged("script", LOOK).negate()));
	}

	private Optional<InstanceBus> bus() {
		return this.backends.stream().flatMap((all) -> all.all().values().stream()).findFirst().map(RedisBackend::bus);
	}

	private static Predicate<Meter.Id> tagged(String tag, String... values) {
		Set<String> wanted = Set.of(values);
		return (id) -> wanted.contains(String.valueOf(id.getTag(tag)));
	}

	private long count(String name, Predicate<Meter.Id> which) {
		return (long) this.registry.find(name)
			.meters()
			.stream()
			.filter((meter) -> which.test(meter.getId()))
			.mapToDouble(LiveMeters::count)
			.sum();
	}

	private static double count(Meter meter) {
		if (meter instanceof Counter counter) {
			return counter.count();
		}
		return (meter instanceof Timer timer) ? timer.count() : 0;
	}

	private boolean isOutage() {
		Gauge outage = this.registry.find("ge.redis.outage").gauge();
		return outage != null && outage.value() > 0;
	}

	private String agents() {
		return this.consumers.reports()
			.stream()
			.filter((report) -> report.source().equals(AGENTS))
			.map((report) -> report.state().name().toLowerCase(Locale.ROOT))
			.findFirst()
			.orElse("unknown");
	}

}
