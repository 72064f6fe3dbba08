// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.security;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.ge.redis.GeRedisException;
import io.ge.redis.RedisUnavailableException;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.TokenIdentity;
import io.ge.redis.blacklist.TokenRevokedException;
import io.ge.redis.blacklist.TokenStatus;
import io.ge.redis.blacklist.UncheckedDecoder;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.security.oauth2.core.OAuth2AuthenticatedPrincipal;
import org.springframework.security.oauth2.core.OAuth2Error;
import org.springframework.security.oauth2.core.OAuth2ErrorCodes;
import org.springframework.security.oauth2.jwt.JwtException;
import org.springframework.security.oauth2.jwt.JwtValidationException;
import org.springframework.security.oauth2.jwt.ReactiveJwtDecoder;
import org.springframework.security.oauth2.server.resource.introspection.BadOpaqueTokenException;
import org.springframework.security.oauth2.server.resource.introspection.OAuth2IntrospectionException;
import org.springframework.security.oauth2.server.resource.introspection.OpaqueTokenIntrospector;
import org.springframework.security.oauth2.server.resource.introspection.ReactiveOpaqueTokenIntrospector;
import org.springframework.util.ClassUtils;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;

/**
 * Checks tokens where Spring Boot collects no validators: every bean that decodes or
 * introspects them is wrapped. JWTs of servlet applications are checked by
 * {@link BlacklistTokenValidator}.
 * <p>
 * A revoked token is an {@code invalid_token}, so Spring Security answers 401. While
 * Redis is unavailable and the policy is to deny, the decoder or introspector fails
 * instead. The answer is then a 503, and clients keep their tokens.
 * <p>
 * Cost: as {@link TokenBlacklist#check}, for each token that was accepted. No event loop
 * waits. Work after an answer of Redis runs on a worker of Reactor, since the thread of
 * the driver serves all guards.
 */
public final class TokenChecks {

	private static final boolean webPresent = ClassUtils
		.isPresent("org.springframework.web.context.request.RequestContextHolder", TokenChecks.class.getClassLoader());

	private static final String ERROR_URI = "https://tools.ietf.org/html/rfc6750#section-3.1";

	private static final String UNKNOWN = "Whether the token was revoked is not known at present";

	private TokenChecks() {
	}

	/**
	 * Requires a validator in every {@code JwtDecoder} bean of a servlet application.
	 */
	public static SmartInitializingSingleton requireValidators(ConfigurableListableBeanFactory beans,
			Supplier<@Nullable TokenBlacklist> blacklist, UncheckedDecoder policy) {
		return new JwtDecoderChecks(beans, blacklist, policy);
	}

	/**
	 * Wraps introspectors of servlet applications.
	 * @param blacklist where the tokens are checked, asked for with each token;
	 * {@code null} as long as none is to be checked
	 * @param tokens knows what the tokens are, asked for at the first token
	 */
	public static BeanPostProcessor ofIntrospectors(Supplier<@Nullable TokenBlacklist> blacklist,
			Supplier<OpaqueTokens> tokens) {
		return Opaque.blocking(blacklist, tokens);
	}

	/**
	 * Wraps introspectors of reactive applications: see {@link #ofIntrospectors}.
	 */
	public static BeanPostProcessor ofReactiveIntrospectors(Supplier<@Nullable TokenBlacklist> blacklist,
			Supplier<OpaqueTokens> tokens) {
		return Opaque.reactive(blacklist, tokens);
	}

	/**
	 * Wraps decoders of reactive applications, in which a {@link BlacklistTokenValidator}
	 * would have to wait for Redis on the event loop.
	 */
	public static BeanPostProcessor ofReactiveDecoders(Supplier<@Nullable TokenBlacklist> blacklist) {
		return Jwts.reactive(blacklist);
	}

	private static <T> BeanPostProcessor wrap(Class<T> type, UnaryOperator<T> wrapper) {
		return new BeanPostProcessor() {

			@Override
			public Object postProcessAfterInitialization(Object bean, String beanName) {
				return type.isInstance(bean) ? wrapper.apply(type.cast(bean)) : bean;
			}

		};
	}

	static TokenStatus check(TokenBlacklist blacklist, Supplier<TokenIdentity> token,
			Function<RedisUnavailableException, RuntimeException> outage) {
		try {
			return blacklist.check(token.get());
		}
		catch (RedisUnavailableException ex) {
			throw outage.apply(ex);
		}
	}

	private static <T> Mono<T> pass(@Nullable TokenBlacklist blacklist, T value, Supplier<TokenIdentity> token,
			Function<TokenStatus, RuntimeException> refusal,
			Function<RedisUnavailableException, RuntimeException> outage) {
		if (blacklist == null) {
			return Mono.just(value);
		}
		CompletionStage<TokenStatus> status = blacklist.checkAsync(token.get());
		CompletableFuture<TokenStatus> future = status.toCompletableFuture();
		Mono<TokenStatus> answer = Mono.fromFuture(future, true);
		return (future.isDone() ? answer : answer.publishOn(Schedulers.parallel()))
			.onErrorMap(RedisUnavailableException.class, outage)
			.flatMap((known) -> (known == TokenStatus.CLEAR) ? Mono.just(value)
					: noteReactive(known).then(Mono.error(() -> refusal.apply(known))));
	}

	static OAuth2Error error(TokenStatus status) {
		return new OAuth2Error(OAuth2ErrorCodes.INVALID_TOKEN, status.description(), ERROR_URI);
	}

	static void note(TokenStatus status) {
		note(new TokenRevokedException(TokenBlacklist.TOKENS, status));
	}

	/**
	 * Notes the refusal that explains a 401 without a body.
	 */
	static void note(GeRedisException refusal) {
		RequestAttributes request = webPresent ? RequestContextHolder.getRequestAttributes() : null;
		if (request != null) {
			request.setAttribute(GeRedisException.class.getName(), refusal, RequestAttributes.SCOPE_REQUEST);
		}
	}

	private static Mono<Void> noteReactive(TokenStatus status) {
		return Mono.deferContextual((context) -> {
			AtomicReference<GeRedisException> noted = context.getOrDefault(GeRedisException.class.getName(), null);
			if (noted != null) {
				noted.set(new TokenRevokedException(TokenBlacklist.TOKENS, status));
			}
			return Mono.empty();
		});
	}

	/** Apart, since an application may have no JWTs. */
	static final class Jwts {

		private static BeanPostProcessor reactive(Supplier<@Nullable TokenBlacklist> blacklist) {
			return wrap(ReactiveJwtDecoder.class,
					(delegate) -> (token) -> delegate.decode(token)
						.flatMap((jwt) -> pass(blacklist.get(), jwt, () -> JwtTokens.identity(jwt),
								(status) -> new JwtValidationException(status.description(), List.of(error(status))),
								Jwts::outage)));
		}

		// Not a BadJwtException, which would be a 401
		static RuntimeException outage(RedisUnavailableException outage) {
			return new JwtException(UNKNOWN, outage);
		}

	}

	/** Apart, since an application may have no opaque tokens. */
	private static final class Opaque {

		static BeanPostProcessor blocking(Supplier<@Nullable TokenBlacklist> blacklist, Supplier<OpaqueTokens> tokens) {
			return wrap(OpaqueTokenIntrospector.class, (delegate) -> (token) -> {
				OAuth2AuthenticatedPrincipal principal = delegate.introspect(token);
				TokenBlacklist used = blacklist.get();
				TokenStatus status = (used == null) ? TokenStatus.CLEAR
						: check(used, () -> tokens.get().identity(token, principal), Opaque::outage);
				if (status != TokenStatus.CLEAR) {
					note(status);
					throw new BadOpaqueTokenException(status.description());
				}
				return principal;
			});
		}

		static BeanPostProcessor reactive(Supplier<@Nullable TokenBlacklist> blacklist, Supplier<OpaqueTokens> tokens) {
			return wrap(ReactiveOpaqueTokenIntrospector.class,
					(delegate) -> (token) -> delegate.introspect(token)
						.flatMap((principal) -> pass(blacklist.get(), principal,
								() -> tokens.get().identity(token, principal),
								(status) -> new BadOpaqueTokenException(status.description()), Opaque::outage)));
		}

		// Not a BadOpaqueTokenException, which would be a 401
		private static RuntimeException outage(RedisUnavailableException outage) {
			return new OAuth2IntrospectionException(UNKNOWN, outage);
		}

	}

}
