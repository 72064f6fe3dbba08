// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.breaker.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.breaker.CircuitBreakers;
import io.ge.redis.breaker.CircuitState;
import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.bus.InstanceBus;
import io.ge.redis.core.invocation.KeyText;
import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.key.RedisKey;
import io.ge.redis.core.outage.GuardedRedis;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptCall;
import io.ge.redis.core.script.ScriptReply;
import org.jspecify.annotations.Nullable;

/**
 * The shared states in Redis: two hashes for each circuit, with one hash tag.
 * {@code report.lua} states the protocol.
 */
final class RedisBreakers {

	static final String TOPIC = "breaker";

	private static final LuaScript REPORT = LuaScript.load(CircuitBreakers.class, "report.lua").forEach();

	private static final LuaScript FORCE = LuaScript.load(CircuitBreakers.class, "force.lua");

	private static final LuaScript LOOK = LuaScript.load(CircuitBreakers.class, "look.lua");

	private static final long LIFE = Duration.ofHours(24).toMillis();

	/** Bounds the time for which one call blocks the server. */
	private static final int MOST_REPORTS = 100;

	private final GuardedRedis redis;

	private final KeySpace space;

	private final InstanceBus bus;

	RedisBreakers(RedisBackend backend) {
		this.redis = backend.redis(TOPIC);
		this.space = backend.keys(TOPIC);
		this.bus = backend.bus();
	}

	Keys keys(List<String> parts) {
		// The version of the format comes last
		RedisKey state = this.space.entity(KeyText.parts(parts)).with(KeyPart.of("1"));
		return new Keys(state, state.with(KeyPart.of("r")));
	}

	private static String message(InstanceBreaker breaker) {
		return TOPIC + " " + breaker.keys.state();
	}

	/**
	 * Reports circuits, and has each take its reply. One script call for all, on a
	 * Cluster one per slot.
	 */
	CompletableFuture<?> report(List<InstanceBreaker> due) {
		List<RedisKey> keys = due.stream().map((breaker) -> breaker.keys.state()).toList();
		return CompletableFuture.allOf(this.redis.groups(keys, MOST_REPORTS)
			.stream()
			.map((group) -> reportTogether(group.stream().map(due::get).toList()))
			.toArray(CompletableFuture[]::new));
	}

	private CompletableFuture<?> reportTogether(List<InstanceBreaker> breakers) {
		List<RedisKey> keys = new ArrayList<>();
		List<Object> arguments = new ArrayList<>(List.of(2));
		List<InstanceBreaker.Report> reports = new ArrayList<>();
		for (InstanceBreaker breaker : breakers) {
			InstanceBreaker.Report report = breaker.report(System.nanoTime());
			reports.add(report);
			keys.addAll(List.of(breaker.keys.state(), breaker.keys.reports()));
			arguments.addAll(arguments(breaker, report));
		}
		return this.redis.run(ScriptCall.of(REPORT, keys, arguments.toArray()), this.redis.newBudget())
			.handle((reply, failure) -> {
				List<ScriptReply> parts = (failure == null) ? reply.parts() : List.of();
				for (int i = 0; i < reports.size(); i++) {
					take(breakers.get(i), reports.get(i), parts.isEmpty() ? null : parts.get(i));
				}
				return true;
			});
	}

	private void take(InstanceBreaker breaker, InstanceBreaker.Report report, @Nullable ScriptReply reply) {
		// The script replies one word for a circuit for which it fails
		if (reply == null || reply.size() == 1) {
			breaker.failed(reply != null || this.redis.isUnavailable(breaker.keys::state), System.nanoTime());
		}
		else {
			breaker.replied(report, read(reply), System.nanoTime());
		}
	}

	private List<Object> arguments(InstanceBreaker breaker, InstanceBreaker.Report report) {
		BreakerSettings settings = breaker.settings;
		CircuitWindow.Sums second = report.second();
		CircuitWindow.Sums all = report.all();
		InstanceBreaker.ProbeResult result = report.result();
		return List.of(this.bus.instanceId(), this.bus.notificationChannel(), message(breaker), LIFE,
				this.bus.liveInstances(), settings.failureRate(), settings.slowCallRate(), settings.minimumCalls(),
				settings.window().toMillis(), settings.openFor().toMillis(), settings.maxOpenFor().toMillis(),
				settings.probes(), settings.probeLease().toMillis(), second.calls(), second.failures(), second.slow(),
				all.calls(), all.failures(), all.slow(), report.isProbeWanted() ? 1 : 0,
				(result != null) ? result.lease() : 0, (result != null) ? result.text() : "", report.version());
	}

	private static InstanceBreaker.SharedState read(ScriptReply reply) {
		String reason = reply.text(5);
		String forced = reply.text(6);
		CircuitState circuit = switch (forced.isEmpty() ? reply.text(0) : forced) {
			case "F" -> CircuitState.FORCED_OPEN;
			case "D" -> CircuitState.DISABLED;
			case "O" -> CircuitState.OPEN;
			case "H" -> CircuitState.HALF_OPEN;
			default -> CircuitState.CLOSED;
		};
		return new InstanceBreaker.SharedState(circuit, reply.number(1), reply.number(forced.isEmpty() ? 2 : 7),
				reply.number(3), reply.number(4), forced.isEmpty() ? reason.isEmpty() ? "probe" : reason : "operator",
				!reason.isEmpty());
	}

	/** One script call. */
	CompletableFuture<?> force(InstanceBreaker breaker, String state, Duration duration, String author, String reason) {
		return this.redis.run(ScriptCall.of(FORCE, breaker.keys.state(), this.bus.notificationChannel(),
				message(breaker), LIFE, state, duration.toMillis(), author, reason), this.redis.newBudget());
	}

	/**
	 * Reads all fields in one script call.
	 * @param leaving whether this instance removes its report first
	 */
	CompletableFuture<Map<String, String>> look(InstanceBreaker breaker, boolean leaving) {
		return this.redis
			.run(ScriptCall.of(LOOK, List.of(breaker.keys.state(), breaker.keys.reports()),
					leaving ? this.bus.instanceId() : ""), this.redis.newBudget())
			.thenApply((reply) -> {
				Map<String, String> fields = new LinkedHashMap<>();
				for (int i = 0; i + 1 < reply.size(); i += 2) {
					fields.put(reply.text(i), reply.text(i + 1));
				}
				return fields;
			});
	}

	/** Keys of one circuit. */
	record Keys(RedisKey state, RedisKey reports) {

		boolean isState(String key) {
			return this.state.toString().equals(key);
		}
	}

}
