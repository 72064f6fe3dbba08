/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.actuate;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.RedisBackends;
import io.ge.redis.core.invocation.GuardedMethods;
import io.ge.redis.core.invocation.Setting;
import io.ge.redis.core.outage.OutageCause;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/**
 * {@code /actuator/geredis}: every guarded method with its effective settings, where each
 * came from, and what it decided on this instance. No keys, principals or secrets.
 */
@Endpoint(id = "geredis", defaultAccess = Access.READ_ONLY)
public class GeRedisEndpoint {

	private final GuardedMethods methods;

	private final GuardFigures figures;

	private final RedisBackends backends;

	/**
	 * Creates the endpoint.
	 * @param methods the guarded methods
	 * @param figures what they decided
	 * @param backends the connections in use
	 */
	public GeRedisEndpoint(GuardedMethods methods, GuardFigures figures, RedisBackends backends) {
		this.methods = methods;
		this.figures = figures;
		this.backends = backends;
	}

	/**
	 * Lists guards and connections.
	 * @return the report
	 */
	@ReadOperation
	public GeRedisReport report() {
		Map<String, ConnectionReport> connections = new TreeMap<>();
		this.backends.all().forEach((name, backend) -> connections.put(name, report(backend)));
		List<GuardReport> guards = this.methods.all()
			.stream()
			.map((entry) -> new GuardReport(entry.bean(), entry.method(), entry.guard().annotation(),
					entry.guard().name(), new TreeMap<>(entry.guard().settings()),
					this.figures.of(entry.guard().pattern(), entry.guard().name())))
			.toList();
		return new GeRedisReport(connections, guards);
	}

	// Read once, since it may close meanwhile
	private static ConnectionReport report(RedisBackend backend) {
		OutageCause cause = backend.breaker().openCause();
		return new ConnectionReport((cause != null) ? "away" : "available", (cause != null) ? cause.tag() : null,
				backend.bus().liveInstances());
	}

	/**
	 * The report.
	 *
	 * @param connections by the name of the connection factory
	 * @param guards one for each annotation on each method
	 */
	public record GeRedisReport(Map<String, ConnectionReport> connections,
			List<GuardReport> guards) implements OperationResponseBody {
	}

	/**
	 * A connection of the guards.
	 *
	 * @param state {@code available}, or {@code away} while outage policies apply
	 * @param cause why it is away, else {@code null}
	 * @param instances the last known number of live instances
	 */
	public record ConnectionReport(String state, @Nullable String cause, int instances) {
	}

	/**
	 * A guard on a method.
	 *
	 * @param bean the bean's name
	 * @param method the method
	 * @param annotation the annotation
	 * @param name the guard's name
	 * @param settings effective settings and their origins
	 * @param figures counts by outcome, on this instance since it started, of all methods
	 * that use this name
	 */
	public record GuardReport(String bean, String method, String annotation, String name, Map<String, Setting> settings,
			Map<String, Long> figures) {
	}

}
