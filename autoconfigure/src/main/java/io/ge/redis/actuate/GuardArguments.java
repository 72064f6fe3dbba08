// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import java.util.HashMap;
import java.util.Map;

import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.OperationArgumentResolver;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;

/**
 * All arguments of a request, including the path. An endpoint only gets those that a
 * method names; {@link Advisor} passes on the arguments of the patterns' resources, too.
 */
public record GuardArguments(Map<String, Object> values) {

	public static final class Advisor implements OperationInvokerAdvisor {

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
					OperationArgumentResolver.of(GuardArguments.class, () -> new GuardArguments(values)));
		}

	}

}
