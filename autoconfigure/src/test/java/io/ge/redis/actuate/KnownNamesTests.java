// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.ge.redis.breaker.BreakerCallEvent;
import io.ge.redis.cache.WriteBehindEvent;
import io.ge.redis.core.event.EventGauge;
import io.ge.redis.core.event.MeterNames;
import io.ge.redis.core.guard.GuardedMethods;
import io.ge.redis.stream.StreamEvent;
import io.ge.redis.test.Sources;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.support.DefaultSingletonBeanRegistry;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the names that {@link GuardMeters} knows at startup, and for the alerts that
 * rely on them.
 */
class KnownNamesTests {

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	private final GuardMeters meters = new GuardMeters(this.registry,
			List.of(new EventGauge("ge.redis.breaker.state", "State", BreakerCallEvent.CALLS, (name) -> 0)),
			new MeterNames());

	@Test
	void countersOfConfiguredNamesBeginAtZeroUnlessTheirPatternIsOff() {
		begin();
		assertThat(this.registry.get("ge.redis.lock.lost").tags("lock", "orders").counter().count()).isZero();
		assertThat(this.registry.get("ge.redis.idempotency.requests").tags("operation", "pay").counters())
			.hasSizeGreaterThan(5)
			.allMatch((counter) -> counter.count() == 0);
		assertThat(this.registry.get("ge.redis.breaker.calls").tags("breaker", "supplier").timers()).hasSize(6)
			.allMatch((timer) -> timer.count() == 0);
		assertThat(this.registry.get("ge.redis.breaker.transitions")
			.tags("breaker", "supplier", "to", "open", "by", "rate")
			.counter()
			.count()).isZero();
		assertThat(this.registry.get("ge.redis.breaker.state").tags("breaker", "supplier").gauge().value()).isZero();
		assertThat(this.registry.find("ge.redis.blacklist.checks").counters()).isEmpty();
	}

	@Test
	void alertsOnAFirstEventAskForCountersThatBeginAtZero() throws IOException {
		begin();
		// These begin with events when their consumers start
		this.meters.onEvent(new StreamEvent("s", StreamEvent.Kind.OK, 0));
		this.meters.onEvent(new StreamEvent("s/g", StreamEvent.Kind.DONE, 0));
		this.meters.onEvent(new WriteBehindEvent("books", WriteBehindEvent.Outcome.STARTED, 0));
		Set<String> zero = this.registry.getMeters()
			.stream()
			.map((meter) -> meter.getId().getName().replace('.', '_'))
			.collect(Collectors.toCollection(TreeSet::new));
		Set<String> asked = Pattern.compile("increase\\((ge_redis_\\w+?)(_total|_seconds_count)\\b")
			.matcher(Files.readString(Sources.ROOT.resolve("grafana/prometheus-rules.yml")))
			.results()
			.map((result) -> result.group(1))
			.collect(Collectors.toCollection(TreeSet::new));
		assertThat(asked).hasSizeGreaterThan(9);
		assertThat(zero).containsAll(asked);
	}

	@Test
	void alertsFireAsTheirTestsSay() throws IOException, InterruptedException {
		File promtool = Stream.of(System.getenv("PATH").split(File.pathSeparator))
			.map((directory) -> new File(directory, "promtool"))
			.filter(File::canExecute)
			.findFirst()
			.orElse(null);
		Assumptions.assumeTrue(promtool != null, "Alerts are not tried: there is no promtool on the path");
		Process process = new ProcessBuilder(promtool.getPath(), "test", "rules",
				Sources.ROOT.resolve("grafana/prometheus-rules-test.yml").toString())
			.redirectErrorStream(true)
			.start();
		String output = new String(process.getInputStream().readAllBytes());
		assertThat(process.waitFor()).as(output).isZero();
	}

	private void begin() {
		MockEnvironment environment = new MockEnvironment().withProperty("ge.redis.lock.locks.orders.wait-time", "1s")
			.withProperty("ge.redis.breaker.breakers.supplier.open-for", "1s")
			.withProperty("ge.redis.idempotency.operations.pay.ttl", "1h")
			.withProperty("ge.redis.queue.queues.mails.concurrency", "1")
			.withProperty("ge.redis.broadcast.channels.prices.mode", "reliable")
			.withProperty("ge.redis.blacklist.enabled", "false")
			.withProperty("ge.redis.blacklist.lists.addresses.on-outage", "allow");
		DefaultSingletonBeanRegistry beans = new DefaultSingletonBeanRegistry();
		beans.registerSingleton("geRedisRefreshTokens", new Object());
		GuardMeters.begin(() -> this.meters, new GuardedMethods(), environment, beans);
	}

}
