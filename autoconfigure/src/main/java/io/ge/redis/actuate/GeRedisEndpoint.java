/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.actuate;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;

import com.fasterxml.jackson.annotation.JsonValue;
import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.RedisBackends;
import io.ge.redis.core.guard.GuardedMethods;
import io.ge.redis.core.invocation.Setting;
import io.ge.redis.core.outage.OutageCause;
import io.ge.redis.core.outage.RedisUnavailableException;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.util.MimeType;

/**
 * {@code /actuator/geredis}: every guarded method with its effective settings, where each
 * came from, and what it decided on this instance. No keys, principals or secrets. Below
 * it each pattern may have a {@link GuardResource}, to look and to act; to act needs
 * write access, which an application must grant.
 */
@RegisterReflectionForBinding({ GeRedisEndpoint.GuardAnswer.class, GeRedisEndpoint.GuardProblem.class })
@Endpoint(id = GeRedisEndpoint.ID, defaultAccess = Access.READ_ONLY)
public class GeRedisEndpoint {

	static final String ID = "geredis";

	private static final String PATH = "path";

	private static final MimeType PROBLEM = MimeType.valueOf("application/problem+json");

	private final GuardedMethods methods;

	private final GuardFigures figures;

	private final RedisBackends backends;

	private final Map<String, GuardResource> resources = new TreeMap<>();

	public GeRedisEndpoint(GuardedMethods methods, GuardFigures figures, RedisBackends backends,
			Collection<GuardResource> resources) {
		this.methods = methods;
		this.figures = figures;
		this.backends = backends;
		resources.forEach((resource) -> this.resources.put(resource.name(), resource));
	}

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

	@ReadOperation
	public WebEndpointResponse<?> read(@Selector(match = Selector.Match.ALL_REMAINING) String[] path,
			GuardArguments arguments) {
		return answer(path, arguments, GuardResource::read);
	}

	@WriteOperation
	public WebEndpointResponse<?> write(@Selector(match = Selector.Match.ALL_REMAINING) String[] path,
			GuardArguments arguments) {
		return answer(path, arguments, GuardResource::write);
	}

	@DeleteOperation
	public WebEndpointResponse<?> delete(@Selector(match = Selector.Match.ALL_REMAINING) String[] path,
			GuardArguments arguments) {
		return answer(path, arguments, GuardResource::delete);
	}

	private WebEndpointResponse<?> answer(String[] path, GuardArguments arguments,
			BiFunction<GuardResource, GuardRequest, Object> operation) {
		try {
			Map<String, Object> parameters = new TreeMap<>(arguments.values());
			// Spring Boot lets query and body replace what is in the path, by which
			// access may be decided. Only a path comes as an array
			if (!(parameters.remove(PATH) instanceof String[])) {
				throw GuardRequestException.invalid(PATH, "path must not be a parameter.", "Leave it out.");
			}
			List<String> segments = List.of(path);
			GuardResource resource = resource(segments.isEmpty() ? "" : segments.get(0));
			return new WebEndpointResponse<>(new GuardAnswer(operation.apply(resource,
					new GuardRequest(segments.subList(Math.min(1, segments.size()), segments.size()), parameters))));
		}
		catch (GuardRequestException ex) {
			return problem(new GuardProblem("The request cannot be answered", ex.status(),
					String.valueOf(ex.getMessage()), ex.parameter()));
		}
		catch (RedisUnavailableException ex) {
			return problem(
					new GuardProblem("Redis is away", WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE,
							"Redis did not answer (" + ex.reason().tag()
									+ "). What was asked for may have been done nevertheless. Look, or try again.",
							null));
		}
	}

	private GuardResource resource(String name) {
		GuardResource resource = this.resources.get(name);
		if (resource == null) {
			throw GuardRequestException.notFound("There is no '" + name + "' here.",
					"There is: " + String.join(", ", this.resources.keySet()) + ".");
		}
		return resource;
	}

	private static WebEndpointResponse<GuardProblem> problem(GuardProblem problem) {
		return new WebEndpointResponse<>(problem, problem.status(), PROBLEM);
	}

	// Read once, since it may close meanwhile
	private static ConnectionReport report(RedisBackend backend) {
		OutageCause cause = backend.breaker().openCause();
		return new ConnectionReport((cause != null) ? "away" : "available", (cause != null) ? cause.tag() : null,
				backend.bus().liveInstances());
	}

	public record GeRedisReport(Map<String, ConnectionReport> connections,
			List<GuardReport> guards) implements OperationResponseBody {
	}

	public record GuardAnswer(@JsonValue Object body) implements OperationResponseBody {
	}

	/**
	 * A refusal as RFC 9457 describes it.
	 *
	 * @param detail what is wrong, and what to write instead
	 */
	public record GuardProblem(String title, int status, String detail,
			@Nullable String parameter) implements OperationResponseBody {
	}

	/**
	 * A connection of the guards.
	 */
	public record ConnectionReport(String state, @Nullable String cause, int instances) {
	}

	/**
	 * A guard on a method.
	 *
	 * @param figures counts by outcome, on this instance since it started, of all methods
	 * that use this name
	 */
	public record GuardReport(String bean, String method, String annotation, String name, Map<String, Setting> settings,
			Map<String, Long> figures) {
	}

}
