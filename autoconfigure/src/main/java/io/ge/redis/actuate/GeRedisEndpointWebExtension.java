// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;

import com.fasterxml.jackson.annotation.JsonValue;
import io.ge.redis.RedisUnavailableException;
import io.ge.redis.core.endpoint.GuardRequest;
import io.ge.redis.core.endpoint.GuardRequestException;
import io.ge.redis.core.endpoint.GuardResource;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.OperationArgumentResolver;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;
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
class GeRedisEndpointWebExtension {

	private static final String PATH = "path";

	private static final MimeType PROBLEM = MimeType.valueOf("application/problem+json");

	private static final String UNCERTAIN = "The operation may have been executed nevertheless: check the result. ";

	private final GuardResources resources;

	GeRedisEndpointWebExtension(GuardResources resources) {
		this.resources = resources;
	}

	@ReadOperation
	public WebEndpointResponse<?> read(@Selector(match = Selector.Match.ALL_REMAINING) String[] path,
			Arguments arguments) {
		return answer(path, arguments, GuardResource::read, "");
	}

	@WriteOperation
	public WebEndpointResponse<?> write(@Selector(match = Selector.Match.ALL_REMAINING) String[] path,
			Arguments arguments) {
		return answer(path, arguments, GuardResource::write, UNCERTAIN);
	}

	@DeleteOperation
	public WebEndpointResponse<?> delete(@Selector(match = Selector.Match.ALL_REMAINING) String[] path,
			Arguments arguments) {
		return answer(path, arguments, GuardResource::delete, UNCERTAIN);
	}

	private WebEndpointResponse<?> answer(String[] path, Arguments arguments,
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

	/**
	 * All arguments of a request, including the path. An endpoint only gets those that a
	 * method names; {@link ArgumentsAdvisor} passes on the arguments of the resources,
	 * too.
	 */
	record Arguments(Map<String, Object> values) {
	}

	static final class ArgumentsAdvisor implements OperationInvokerAdvisor {

		private static final EndpointId ENDPOINT = EndpointId.of(GeRedisEndpoint.ID);

		@Override
		public OperationInvoker apply(EndpointId endpointId, OperationType operationType,
				OperationParameters parameters, OperationInvoker invoker) {
			return endpointId.equals(ENDPOINT) ? (context) -> invoker.invoke(withArguments(context)) : invoker;
		}

		private static InvocationContext withArguments(InvocationContext context) {
			SecurityContext security = context.resolveArgument(SecurityContext.class);
			Map<String, Object> values = new HashMap<>(context.getArguments());
			return new InvocationContext((security != null) ? security : SecurityContext.NONE, context.getArguments(),
					OperationArgumentResolver.of(Arguments.class, () -> new Arguments(values)));
		}

	}

}
