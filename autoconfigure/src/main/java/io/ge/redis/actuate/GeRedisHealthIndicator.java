// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.ge.redis.OutageCause;
import io.ge.redis.RedisUnavailableException;
import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.RedisBackends;
import io.ge.redis.core.consume.ConsumerReport;
import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.outage.GuardedRedis;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptCall;
import io.ge.redis.core.script.ScriptReply;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/**
 * Reports whether guards can rely on each Redis that they use.
 * <p>
 * {@code DOWN} while outage policies apply to a Redis or to a server of a Cluster, or
 * where the guards lack permissions.
 * <p>
 * {@code UNKNOWN} where keys may be evicted, which would drop locks, idempotency keys and
 * revocations silently. Every policy but {@code noeviction} may evict them, since nearly
 * all keys expire. The indicator does not know which patterns use a Redis: one for caches
 * alone, for which {@code allkeys-lru} is right, is {@code UNKNOWN} as well. The status
 * is also {@code UNKNOWN} where the server does not disclose its policy, where it refuses
 * our channels, or where revocations cannot be followed.
 * <p>
 * {@code OUT_OF_SERVICE} where an active consumer of this instance has got no answer for
 * three of its periods. Also where a call of its listener lasts longer than
 * {@code max-processing-time}; {@code overdue} names it.
 * <p>
 * {@code UNKNOWN} where messages wait and a consumer of this instance is paused, or was
 * never started, for longer than its lease; {@code neglected} names it.
 * <p>
 * Cost: one script call for each Redis, none while it is known to be unavailable; waits
 * no longer than {@code ge.redis.outage.command-timeout} for each. On a Cluster one node
 * is asked.
 */
class GeRedisHealthIndicator extends AbstractHealthIndicator {

	private static final LuaScript PROBE = LuaScript.load(GeRedisHealthIndicator.class, "probe.lua");

	private static final String PATTERN = "health";

	private final RedisBackends backends;

	private final Supplier<List<ConsumerReport>> consumers;

	/**
	 * Creates the indicator.
	 * @param backends each Redis that is used
	 * @param consumers the consumers of this instance
	 */
	public GeRedisHealthIndicator(RedisBackends backends, Supplier<List<ConsumerReport>> consumers) {
		super("The health of GE Redis could not be determined");
		this.backends = backends;
		this.consumers = consumers;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		Map<String, RedisBackend> used = new TreeMap<>(this.backends.all());
		Status status = used.isEmpty() ? Status.UNKNOWN : Status.UP;
		for (Map.Entry<String, RedisBackend> entry : used.entrySet()) {
			Finding finding = check(entry.getValue());
			builder.withDetail(entry.getKey(), finding.details());
			status = worse(status, finding.status());
		}
		List<ConsumerReport> reports = this.consumers.get();
		if (name(builder, "neglected", reports, ConsumerReport::isNeglected)) {
			status = worse(status, Status.UNKNOWN);
		}
		if (name(builder, "overdue", reports, ConsumerReport::isOverdue)) {
			status = status.equals(Status.DOWN) ? status : Status.OUT_OF_SERVICE;
		}
		builder.status(status);
	}

	private static boolean name(Health.Builder builder, String detail, List<ConsumerReport> reports,
			Predicate<ConsumerReport> which) {
		List<String> named = reports.stream().filter(which).map(ConsumerReport::source).toList();
		if (!named.isEmpty()) {
			builder.withDetail(detail, named);
		}
		return !named.isEmpty();
	}

	private static Finding check(RedisBackend backend) {
		OutageCause outage = backend.breaker().openCause();
		if (outage != null) {
			return unavailable(outage);
		}
		GuardedRedis redis = backend.redis(PATTERN);
		try {
			Finding finding = judge(Waiting.await(redis
				.run(ScriptCall.of(PROBE, backend.keys(PATTERN).entity(KeyPart.of("probe"))), redis.newBudget())));
			for (String problem : backend.problems()) {
				finding = finding.withProblem(problem);
			}
			return finding;
		}
		catch (RedisUnavailableException ex) {
			return unavailable(ex.reason());
		}
	}

	private static Finding unavailable(OutageCause cause) {
		return new Finding(Status.DOWN).with("state", "unavailable")
			.with("cause", cause.tag())
			.with("hint", cause.hint());
	}

	private static Finding judge(ScriptReply reply) {
		if (reply.has(1)) {
			return new Finding(Status.DOWN).with("state", "refusing").with("problem", reply.text(1));
		}
		Map<String, String> memory = reply.has(0) ? fields(reply.text(0)) : Map.of();
		String policy = memory.get("maxmemory_policy");
		if (policy == null) {
			return new Finding(Status.UP).with("state", "available")
				.withProblem("The server does not disclose its eviction policy, which must be noeviction.");
		}
		boolean evicting = !policy.equals("noeviction") && !"0".equals(memory.get("maxmemory"));
		Finding finding = new Finding(Status.UP).with("state", "available").with("evictionPolicy", policy);
		return evicting
				? finding.withProblem(
						"Locks, idempotency keys and revocations may be evicted. Set maxmemory-policy to noeviction, "
								+ "or give them a Redis of their own with ge.redis.<pattern>.connection-factory.")
				: finding;
	}

	private static Map<String, String> fields(String info) {
		Map<String, String> fields = new LinkedHashMap<>();
		info.lines().forEach((line) -> {
			int colon = line.indexOf(':');
			if (colon > 0) {
				fields.put(line.substring(0, colon), line.substring(colon + 1).strip());
			}
		});
		return fields;
	}

	private static Status worse(Status one, Status other) {
		if (one.equals(Status.DOWN) || other.equals(Status.DOWN)) {
			return Status.DOWN;
		}
		return one.equals(Status.UNKNOWN) ? one : other;
	}

	private record Finding(Status status, Map<String, Object> details) {

		Finding(Status status) {
			this(status, new LinkedHashMap<>());
		}

		Finding with(String name, Object value) {
			this.details.put(name, value);
			return this;
		}

		Finding withProblem(String problem) {
			this.details.merge("problem", problem, (one, other) -> one + " " + other);
			return new Finding(worse(this.status, Status.UNKNOWN), this.details);
		}

	}

}
