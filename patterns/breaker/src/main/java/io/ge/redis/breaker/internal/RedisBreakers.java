// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.breaker.internal;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.breaker.CircuitBreakers;
import io.ge.redis.breaker.CircuitState;
import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.bus.InstanceBus;
import io.ge.redis.core.invocation.KeyText;
import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.outage.GuardedRedis;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptCall;
import io.ge.redis.core.script.ScriptReply;

/**
 * The shared states in Redis: two hashes for each circuit, with one hash tag.
 */
final class RedisBreakers {

	static final String TOPIC = "breaker";

	private static final LuaScript REPORT = LuaScript.load(CircuitBreakers.class, "report.lua");

	private static final LuaScript FORCE = LuaScript.load(CircuitBreakers.class, "force.lua");

	private static final LuaScript LOOK = LuaScript.load(CircuitBreakers.class, "look.lua");

	private static final long LIFE = Duration.ofHours(24).toMillis();

	private final GuardedRedis redis;

	private final KeySpace keys;

	private final InstanceBus bus;

	RedisBreakers(RedisBackend backend) {
		this.redis = backend.redis(TOPIC);
		this.keys = backend.keys(TOPIC);
		this.bus = backend.bus();
	}

	RedisCircuit key(List<String> parts) {
		return RedisCircuit.of(this.keys.entity(KeyText.parts(parts)));
	}

	private static String message(InstanceBreaker breaker) {
		return TOPIC + " " + breaker.key();
	}

	/** One script call. */
	CompletableFuture<InstanceBreaker.SharedState> report(InstanceBreaker breaker, InstanceBreaker.Report report) {
		BreakerSettings settings = breaker.settings();
		CircuitWindow.Sums second = report.second();
		CircuitWindow.Sums all = report.all();
		InstanceBreaker.ProbeResult result = report.result();
		return this.redis
			.run(ScriptCall.of(REPORT, breaker.key().keys(), this.bus.instanceId(), this.bus.newsChannel(),
					message(breaker), LIFE, this.bus.liveInstances(), settings.failureRate(), settings.slowCallRate(),
					settings.minimumCalls(), settings.window().toMillis(), settings.openFor().toMillis(),
					settings.maxOpenFor().toMillis(), settings.probes(), settings.probeLease().toMillis(),
					second.calls(), second.failures(), second.slow(), all.calls(), all.failures(), all.slow(),
					report.isProbeWanted() ? 1 : 0, (result != null) ? result.lease() : 0,
					(result != null) ? result.text() : "", report.version()), this.redis.newBudget())
			.thenApply(RedisBreakers::read);
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
	CompletableFuture<?> force(InstanceBreaker breaker, String state, Duration duration, String reason) {
		return this.redis.run(ScriptCall.of(FORCE, breaker.key().state(), this.bus.newsChannel(), message(breaker),
				LIFE, state, duration.toMillis(), reason), this.redis.newBudget());
	}

	/**
	 * Reads all fields in one script call.
	 * @param leaving whether this instance removes its report first
	 */
	CompletableFuture<Map<String, String>> look(InstanceBreaker breaker, boolean leaving) {
		return this.redis
			.run(ScriptCall.of(LOOK, breaker.key().keys(), leaving ? this.bus.instanceId() : ""),
					this.redis.newBudget())
			.thenApply((reply) -> {
				Map<String, String> fields = new LinkedHashMap<>();
				for (int i = 0; i + 1 < reply.size(); i += 2) {
					fields.put(reply.text(i), reply.text(i + 1));
				}
				return fields;
			});
	}

}
