// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import java.util.List;
import java.util.Map;

import io.ge.redis.core.endpoint.GuardRequest;
import io.ge.redis.core.endpoint.GuardRequestException;
import io.ge.redis.core.endpoint.GuardResource;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.session.SessionProperties;
import io.ge.redis.session.Sessions;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;

/**
 * {@code /actuator/geredis/session} shows the settings, and
 * {@code /actuator/geredis/session/<principal>} the sessions of a principal without the
 * values of attributes. A delete ends all of them; without a principal, the one of the
 * parameter {@code id}.
 */
@RegisterReflectionForBinding({ SessionProperties.class, Sessions.Info.class })
class SessionsResource extends GuardResource {

	private final SessionProperties properties;

	private final Sessions sessions;

	public SessionsResource(SessionProperties properties, Sessions sessions) {
		super("session", "sessions");
		this.properties = properties;
		this.sessions = sessions;
	}

	@Override
	public Object read(GuardRequest request) {
		request.allowOnly();
		return request.path().isEmpty() ? this.properties : Waiting.await(this.sessions.listAsync(principal(request)));
	}

	@Override
	public Object delete(GuardRequest request) {
		request.allowOnly("id");
		String id = request.text("id");
		if (id == null) {
			return Map.of("ended", Waiting.await(this.sessions.endAllAsync(principal(request))));
		}
		if (!request.path().isEmpty()) {
			throw GuardRequestException.invalid("id", "id and a principal are both given.", "Give one of them.");
		}
		return Map.of("ended", Waiting.await(this.sessions.endAsync(id)) ? 1 : 0);
	}

	private static String principal(GuardRequest request) {
		List<String> path = request.path();
		if (path.size() != 1) {
			throw GuardRequestException.notFound("There are no sessions of '" + String.join("/", path) + "'.",
					"Give the name of a principal.");
		}
		return path.get(0);
	}

}
