// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.security;

import java.util.Objects;
import java.util.function.UnaryOperator;

import io.ge.redis.PrincipalProvider;
import io.ge.redis.core.call.SubscriberScope;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.oauth2.core.ClaimAccessor;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Names the principal of Spring Security's context and, for principals that carry the
 * claims of a token, its issuer: a JWT, an introspected token, an OpenID Connect user. A
 * token without a subject counts as its client, {@code client_id} or else {@code azp}.
 * Where tokens of users have no subject, the name has to be read from another claim, such
 * as by {@code spring.security.oauth2.resourceserver.jwt.principal-claim-name}: all users
 * of one client would be one principal.
 */
public class SecurityContextPrincipalProvider implements PrincipalProvider {

	private static final boolean claimsPresent = ClassUtils.isPresent(
			"org.springframework.security.oauth2.core.ClaimAccessor",
			SecurityContextPrincipalProvider.class.getClassLoader());

	@Override
	public @Nullable String currentPrincipal() {
		Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
		if (authentication == null || !authentication.isAuthenticated()
				|| authentication instanceof AnonymousAuthenticationToken) {
			return null;
		}
		String name = PrincipalProvider.nameOf(authentication);
		if (name == null || !name.isBlank()) {
			return name;
		}
		String client = claim("client_id");
		return Objects.toString(StringUtils.hasText(client) ? client : claim("azp"), name);
	}

	@Override
	public @Nullable String currentIssuer() {
		return claim("iss");
	}

	private static @Nullable String claim(String name) {
		Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
		return (claimsPresent && authentication != null) ? Claims.of(authentication.getPrincipal(), name) : null;
	}

	private static final class Claims {

		static @Nullable String of(@Nullable Object principal, String name) {
			return (principal instanceof ClaimAccessor claims) ? claims.getClaimAsString(name) : null;
		}

	}

	/** Lets a thread that asks for a subscriber know who is logged in there. */
	public static final class OfSubscriber implements SubscriberScope {

		@Override
		public boolean isOfCaller() {
			return true;
		}

		@Override
		public @Nullable Publisher<UnaryOperator<Runnable>> find(ContextView context) {
			Mono<SecurityContext> found = context.getOrDefault(SecurityContext.class, null);
			return (found != null) ? found.map((security) -> (task) -> () -> run(security, task)) : null;
		}

		private static void run(SecurityContext security, Runnable task) {
			SecurityContext before = SecurityContextHolder.getContext();
			SecurityContextHolder.setContext(security);
			try {
				task.run();
			}
			finally {
				if (SecurityContextHolder.createEmptyContext().equals(before)) {
					SecurityContextHolder.clearContext();
				}
				else {
					SecurityContextHolder.setContext(before);
				}
			}
		}

	}

}
