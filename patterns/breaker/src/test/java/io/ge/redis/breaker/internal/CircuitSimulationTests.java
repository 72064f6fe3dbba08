// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.breaker.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import io.ge.redis.breaker.CircuitState;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.test.Sized;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The breakers of several instances in virtual time, on the model of the script that
 * {@link ReportScriptModelIntegrationTests} checks. One of ten reports and messages is
 * lost.
 */
@Sized
class CircuitSimulationTests {

	private static final int SCHEDULES = Wide.RUN ? 10_000 : 150;

	private static final int FLEET_RATE = 200;

	private static final long PROBE_LEASE = 400;

	@Test
	void oneSickInstanceOpensTheCircuitOfNoOther() {
		Random random = new Random(42);
		int alone = 0;
		for (int schedule = 0; schedule < SCHEDULES; schedule++) {
			Fleet fleet = new Fleet(new Random(random.nextLong()));
			int instances = 2 + random.nextInt(5) * random.nextInt(5);
			for (int i = 0; i < instances; i++) {
				fleet.add(0.5 + random.nextDouble() * 60, 0.01);
			}
			fleet.run(2_000 + random.nextInt(20_000), false);
			Fleet.Node sick = fleet.nodes.get(0);
			sick.rate = 20 + random.nextInt(80);
			sick.failing = 1;
			fleet.run(10_000, false);
			assertThat(fleet.circuit.version).as("schedule %s of %s instances", schedule, instances).isZero();
			assertThat(fleet.nodes.subList(1, instances)).extracting((node) -> node.breaker.state().circuit())
				.containsOnly(CircuitState.CLOSED);
			alone += (sick.breaker.state().circuit() != CircuitState.CLOSED) ? 1 : 0;
		}
		assertThat(alone).isEqualTo(SCHEDULES);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 3, 5, 20 })
	void allAreOpenWithinASecondAfterFewFailedCalls(int instances) {
		Fleet fleet = busy(instances);
		fleet.nodes.forEach((node) -> node.failing = 1);
		long failed = fleet.failed;
		long begun = fleet.now;
		fleet.run(1000, true);
		assertThat(fleet.isOpen()).isTrue();
		assertThat(TimeUnit.NANOSECONDS.toMillis(fleet.now - begun)).isLessThanOrEqualTo(1000);
		assertThat(fleet.failed - failed).isBetween(20L, 150L);
	}

	@ParameterizedTest
	@ValueSource(ints = { 3, 5, 20 })
	void closesAfterARecoveryAlthoughTwoInstancesDieWithAProbe(int instances) {
		Fleet fleet = busy(instances);
		fleet.nodes.forEach((node) -> node.failing = 1);
		fleet.run(1000, true);
		fleet.run(3000, false);
		fleet.nodes.forEach((node) -> node.failing = 0);
		fleet.dying = 2;
		long recovered = fleet.now;
		fleet.runUntilClosed();
		assertThat(fleet.dying).isZero();
		// The longest opening so far, two leases, and reports of which some are lost
		assertThat(TimeUnit.NANOSECONDS.toMillis(fleet.now - recovered)).isLessThan(4000 + 2 * PROBE_LEASE + 2000);
		assertThat(fleet.mostProbes).isBetween(1, Fleet.PROBES);
	}

	@Test
	void healthyInstancesReportOnceASecondAndIdleOnesNever() {
		Fleet fleet = busy(3);
		fleet.nodes.forEach((node) -> node.failing = 0.05);
		fleet.lossy = false;
		int before = fleet.reports;
		fleet.run(10_000, false);
		assertThat(fleet.reports - before).isBetween(3 * 9, 3 * 10);
		fleet.nodes.forEach((node) -> node.rate = 0);
		fleet.run(1000, false);
		int last = fleet.reports;
		fleet.run(10_000, false);
		assertThat(fleet.reports).isEqualTo(last);
	}

	private static Fleet busy(int instances) {
		Fleet fleet = new Fleet(new Random(instances));
		for (int i = 0; i < instances; i++) {
			fleet.add((double) FLEET_RATE / instances, 0.01);
		}
		fleet.run(12_000, false);
		assertThat(fleet.circuit.version).isZero();
		return fleet;
	}

	/**
	 * Instances, each with a poll of 100 ms, and the Redis that they share. Calls end at
	 * once, probes after 50 ms.
	 */
	private static final class Fleet {

		static final int PROBES = 5;

		private static final long TICK = TimeUnit.MILLISECONDS.toNanos(10);

		private static final long POLL = TimeUnit.MILLISECONDS.toNanos(100);

		private static final long PROBE = TimeUnit.MILLISECONDS.toNanos(50);

		private static final long EPOCH = 1_800_000_000_000L;

		private final BreakerSettings settings = new BreakerSettings("s", 50, 0, null, Duration.ofSeconds(10), 20,
				Duration.ofSeconds(1), Duration.ofSeconds(4), PROBES, Duration.ofMillis(PROBE_LEASE),
				FailureRule.DEFAULT, false);

		private final CircuitModel circuit = new CircuitModel(this.settings);

		private final List<Node> nodes = new ArrayList<>();

		private final Random random;

		private long now = TimeUnit.HOURS.toNanos(1);

		private long failed;

		private int reports;

		private int mostProbes;

		private int dying;

		private boolean lossy = true;

		Fleet(Random random) {
			this.random = random;
		}

		void add(double rate, double failing) {
			Node node = new Node("i" + this.nodes.size(), rate, failing);
			node.breaker.reportWithin(0);
			this.nodes.add(node);
			report(node);
		}

		boolean isOpen() {
			return this.nodes.stream()
				.allMatch((node) -> node.breaker.state().circuit() == CircuitState.OPEN
						&& node.breaker.state().isShared());
		}

		void run(long millis, boolean untilOpen) {
			long end = this.now + TimeUnit.MILLISECONDS.toNanos(millis);
			while (this.now < end && !(untilOpen && isOpen())) {
				tick();
			}
		}

		void runUntilClosed() {
			long end = this.now + TimeUnit.MINUTES.toNanos(1);
			while (this.now < end
					&& this.nodes.stream().anyMatch((node) -> node.breaker.state().circuit() != CircuitState.CLOSED)) {
				tick();
			}
		}

		private void tick() {
			this.now += TICK;
			for (Node node : List.copyOf(this.nodes)) {
				node.endProbes();
				double calls = node.rate * TICK / TimeUnit.SECONDS.toNanos(1) + node.rest;
				node.rest = calls - (int) calls;
				for (int i = 0; i < (int) calls && this.nodes.contains(node); i++) {
					node.call();
				}
				if (node.asked || (this.now % POLL == 0 && node.breaker.isDue(this.now))) {
					node.asked = false;
					report(node);
				}
			}
			int probes = this.nodes.stream().mapToInt((node) -> node.probes.size()).sum();
			this.mostProbes = Math.max(this.mostProbes, probes);
		}

		private boolean isLost() {
			return this.lossy && this.random.nextInt(10) == 0;
		}

		private void report(Node node) {
			if (!this.nodes.contains(node) || !node.breaker.isDue(this.now)) {
				return;
			}
			this.reports++;
			InstanceBreaker.Report report = node.breaker.report(this.now);
			long before = this.circuit.version;
			if (isLost()) {
				node.breaker.failed(false, this.now);
				return;
			}
			InstanceBreaker.ProbeResult result = report.result();
			CircuitModel.Reply reply = this.circuit.report(EPOCH + TimeUnit.NANOSECONDS.toMillis(this.now), node.name,
					this.nodes.size(), sums(report), report.isProbeWanted(), (result != null) ? result.lease() : 0,
					(result != null) ? result.text() : "", report.version());
			node.breaker.replied(report,
					new InstanceBreaker.SharedState(circuit(reply.state()), reply.version(), reply.waitMillis(),
							reply.lease(), reply.leaseMillis(), reply.why().isEmpty() ? "probe" : reply.why(),
							!reply.why().isEmpty()),
					this.now);
			if (this.circuit.version != before) {
				for (Node other : this.nodes) {
					if (!isLost()) {
						other.breaker.heardOf(this.circuit.version);
					}
				}
			}
		}

		private static CircuitState circuit(String state) {
			return switch (state) {
				case "O" -> CircuitState.OPEN;
				case "H" -> CircuitState.HALF_OPEN;
				default -> CircuitState.CLOSED;
			};
		}

		private static CircuitModel.Sums sums(InstanceBreaker.Report report) {
			CircuitWindow.Sums second = report.second();
			CircuitWindow.Sums all = report.all();
			return new CircuitModel.Sums(0, second.calls(), second.failures(), second.slow(), all.calls(),
					all.failures(), all.slow());
		}

		private final class Node {

			private final String name;

			private final InstanceBreaker breaker;

			private final List<InstanceBreaker.Permit> probes = new ArrayList<>();

			private final List<Long> probeEnds = new ArrayList<>();

			private double rate;

			private double failing;

			private double rest;

			private boolean asked;

			Node(String name, double rate, double failing) {
				this.name = name;
				this.rate = rate;
				this.failing = failing;
				this.rest = Fleet.this.random.nextDouble();
				this.breaker = new InstanceBreaker(Fleet.this.settings, null, Fleet.this.now, new GuardEvents(List::of),
						() -> this.asked = true);
			}

			void call() {
				InstanceBreaker.Permit permit = this.breaker.acquire(Fleet.this.now);
				if (permit == null) {
					return;
				}
				if (permit.lease() == 0) {
					end(permit);
				}
				else if (Fleet.this.dying > 0 && permit.lease() > 0) {
					Fleet.this.dying--;
					Fleet.this.nodes.remove(this);
				}
				else {
					this.probes.add(permit);
					this.probeEnds.add(Fleet.this.now + PROBE);
				}
			}

			void endProbes() {
				while (!this.probes.isEmpty() && this.probeEnds.get(0) <= Fleet.this.now) {
					this.probeEnds.remove(0);
					end(this.probes.remove(0));
				}
			}

			private void end(InstanceBreaker.Permit permit) {
				boolean fails = Fleet.this.random.nextDouble() < this.failing;
				Fleet.this.failed += fails ? 1 : 0;
				this.breaker.end(permit, fails ? InstanceBreaker.Outcome.FAILURE : InstanceBreaker.Outcome.SUCCESS,
						Fleet.this.now);
			}

		}

	}

}
