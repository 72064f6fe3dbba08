// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.ge.redis.OutageCause;
import io.ge.redis.core.outage.OutageListener;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;

/**
 * The meters that all patterns share: {@code ge.redis.script} (timer; script, outcome),
 * {@code ge.redis.outage} (gauge; 1 while outage policies apply) and
 * {@code ge.redis.errors} (counter; pattern, cause).
 */
class CoreMeters implements ScriptListener, OutageListener {

	private final MeterRegistry registry;

	private final Map<ScriptKey, Timer> scripts = new ConcurrentHashMap<>();

	private final Map<ErrorKey, Counter> errors = new ConcurrentHashMap<>();

	private final AtomicInteger open = new AtomicInteger();

	public CoreMeters(MeterRegistry registry) {
		this.registry = registry;
		Gauge.builder("ge.redis.outage", this.open, (count) -> (count.get() > 0) ? 1 : 0)
			.description("1 while Redis is unavailable and outage policies apply")
			.register(registry);
	}

	@Override
	public void onExecuted(LuaScript script, long nanos, @Nullable Throwable failure) {
		this.scripts.computeIfAbsent(new ScriptKey(script.name(), failure == null), this::scriptTimer)
			.record(nanos, TimeUnit.NANOSECONDS);
	}

	@Override
	public void onFailure(String pattern, OutageCause cause) {
		this.errors.computeIfAbsent(new ErrorKey(pattern, cause), this::errorCounter).increment();
	}

	@Override
	public void onTransition(String breaker, boolean nowOpen) {
		this.open.addAndGet(nowOpen ? 1 : -1);
	}

	private Timer scriptTimer(ScriptKey key) {
		return Timer.builder("ge.redis.script")
			.description("Round trips of Lua scripts")
			.tag("script", key.script())
			.tag("outcome", key.succeeded() ? "success" : "error")
			.register(this.registry);
	}

	private Counter errorCounter(ErrorKey key) {
		return Counter.builder("ge.redis.errors")
			.description("Commands that Redis did not answer, or answered with an error")
			.tag("pattern", key.pattern())
			.tag("cause", key.cause().tag())
			.register(this.registry);
	}

	private record ScriptKey(String script, boolean succeeded) {
	}

	private record ErrorKey(String pattern, OutageCause cause) {
	}

}
