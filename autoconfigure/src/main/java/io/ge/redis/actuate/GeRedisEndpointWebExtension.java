// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;

import com.fasterxml.jackson.annotation.JsonValue;
import io.ge.redis.RedisUnavailableException;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;
import org.springframework.util.MimeType;

/**
 * {@code /actuator/geredis/<name>}: the {@link GuardResource}s of the patterns, to read
 * and to act. To act needs write access, which an application must grant.
 */
@RegisterReflectionForBinding({ GeRedisEndpointWebExtension.GuardAnswer.class,
		GeRedisEndpointWebExtension.GuardProblem.class })
@EndpointWebExtension(endpoint = GeRedisEndpoint.class)
public class GeRedisEndpointWebExtension {

	private static final String PATH = "path";

	private static final MimeType PROBLEM = MimeType.valueOf("application/problem+json");

	private static final String UNCERTAIN = "The operation may have been executed nevertheless: check the result. ";

	private final GuardResources resources;

	public GeRedisEndpointWebExtension(GuardResources resources) {
		this.resources = resources;
	}

	@ReadOperation
	public WebEndpointResponse<?> read(@Selector(match = Selector.Match.ALL_REMAINING) String[] path,
			GuardArguments arguments) {
		return answer(path, arguments, GuardResource::read, "");
	}

	@WriteOperation
	public WebEndpointResponse<?> write(@Selector(match = Selector.Match.ALL_REMAINING) String[] path,
			GuardArguments arguments) {
		return answer(path, arguments, GuardResource::write, UNCERTAIN);
	}

	@DeleteOperation
	public WebEndpointResponse<?> delete(@Selector(match = Selector.Match.ALL_REMAINING) String[] path,
			GuardArguments arguments) {
		return answer(path, arguments, GuardResource::delete, UNCERTAIN);
	}

	private WebEndpointResponse<?> answer(String[] path, GuardArguments arguments,
			BiFunction<GuardResource, GuardRequest, Object> operation, String uncertain) {
		try {
			Map<String, Object> parameters = new TreeMap<>(arguments.values());
			// Spring Boot lets query and body replace parts of the path, by which access
			// may be decided. Only a path is an array
			if (!(parameters.remove(PATH) instanceof String[])) {
				throw GuardRequestException.invalid(PATH, "path must not be a parameter.", "Leave it out.");
			}
			List<String> segments = List.of(path);
			GuardResource resource = this.resources.get(segments.isEmpty() ? "" : segments.get(0));
			return new WebEndpointResponse<>(new GuardAnswer(operation.apply(resource,
					new GuardRequest(segments.subList(Math.min(1, segments.size()), segments.size()), parameters))));
		}
		catch (GuardRequestException ex) {
			return problem(new GuardProblem("The request cannot be answered", ex.status(),
					String.valueOf(ex.getMessage()), ex.parameter()));
		}
		catch (RedisUnavailableException ex) {
			return problem(new GuardProblem(
					"Redis is unavailable", WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE, "Redis did not answer ("
							+ ex.reason().tag() + "). " + (ex.isOutcomeUnknown() ? uncertain : "") + "Try again.",
					null));
		}
	}

	private static WebEndpointResponse<GuardProblem> problem(GuardProblem problem) {
		return new WebEndpointResponse<>(problem, problem.status(), PROBLEM);
	}

	public record GuardAnswer(@JsonValue Object body) implements OperationResponseBody {
	}

	/**
	 * A refusal as RFC 9457 describes it.
	 *
	 * @param detail the problem and its remedy
	 */
	public record GuardProblem(String title, int status, String detail,
			@Nullable String parameter) implements OperationResponseBody {
	}

}
