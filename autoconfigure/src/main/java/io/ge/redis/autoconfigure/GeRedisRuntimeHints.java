// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.util.List;

import io.ge.redis.core.invocation.MethodExpression;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.cache.interceptor.SimpleKey;
import org.springframework.util.ClassUtils;

/**
 * Hints for the library's own needs in a native image.
 */
final class GeRedisRuntimeHints implements RuntimeHintsRegistrar {

	/**
	 * Classes whose presence is checked when the image runs, which only finds listed
	 * ones.
	 */
	static final List<String> ASKED_FOR = List.of("com.github.benmanes.caffeine.cache.Caffeine",
			"io.micrometer.context.ContextSnapshotFactory", "kotlinx.coroutines.reactor.MonoKt",
			"org.cache2k.extra.spring.SpringCache2kCacheManager", "org.hibernate.collection.spi.PersistentCollection",
			"org.hibernate.proxy.HibernateProxy", "org.springframework.security.oauth2.core.ClaimAccessor",
			"org.springframework.security.oauth2.server.resource.web.authentication.BearerTokenAuthenticationFilter",
			"org.springframework.web.context.request.RequestContextHolder");

	/** Made from JSON and written as JSON by the library. */
	static final List<String> JSON = List.of("io.ge.redis.web.exchange.StoredResponse$Head",
			"io.ge.redis.core.bus.Reports$Filter", "io.ge.redis.lock.internal.LockReport",
			"io.ge.redis.idempotency.internal.IdempotencyReport", "io.ge.redis.cache.internal.CacheReport");

	/**
	 * Classes that declare the status by which a circuit breaker distinguishes client
	 * errors.
	 */
	static final List<String> STATUS = List.of("org.springframework.web.client.RestClientResponseException",
			"org.springframework.web.reactive.function.client.WebClientResponseException");

	/**
	 * Checked as well: whether a security filter chain can be given a check of proofs.
	 */
	private static final String DPOP_CONFIGURER = "org.springframework.security.config.annotation.web.configurers"
			+ ".oauth2.server.resource.OAuth2ResourceServerConfigurer$DPoPConfigurer";

	/** Wraps the application's resources as a proxy. */
	private static final String CLIENT_RESOURCES = "io.lettuce.core.resource.ClientResources";

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.resources().registerPattern("io/ge/redis/**/*.lua");
		// For the initialisation of the database, or Flyway
		hints.resources().registerPattern("db/ge-redis/**/*.sql");
		ReflectionHints reflection = hints.reflection();
		ASKED_FOR.forEach((type) -> reflection.registerTypeIfPresent(classLoader, type));
		reflection.registerTypeIfPresent(classLoader, DPOP_CONFIGURER);
		// For the keys of rules, which are expressions over the request
		reflection.registerTypeIfPresent(classLoader, "jakarta.servlet.http.HttpServletRequest",
				MemberCategory.INVOKE_PUBLIC_METHODS);
		reflection.registerTypeIfPresent(classLoader, "org.springframework.http.server.reactive.ServerHttpRequest",
				MemberCategory.INVOKE_PUBLIC_METHODS);
		// For the bodies of responses, in which work may continue
		reflection.registerTypeIfPresent(classLoader, "org.springframework.http.HttpEntity",
				MemberCategory.INVOKE_PUBLIC_METHODS);
		STATUS.forEach(
				(type) -> reflection.registerTypeIfPresent(classLoader, type, MemberCategory.INVOKE_PUBLIC_METHODS));
		reflection.registerType(MethodExpression.CallRoot.class, MemberCategory.INVOKE_PUBLIC_METHODS);
		// By which its arguments are found
		reflection.registerJavaSerialization(SimpleKey.class);
		if (ClassUtils.isPresent(CLIENT_RESOURCES, classLoader)) {
			Class<?> resources = ClassUtils.resolveClassName(CLIENT_RESOURCES, classLoader);
			hints.proxies().registerJdkProxy(resources);
			reflection.registerType(resources, MemberCategory.INVOKE_PUBLIC_METHODS);
		}
		JSON.forEach((type) -> new BindingReflectionHintsRegistrar().registerReflectionHints(reflection,
				ClassUtils.resolveClassName(type, GeRedisRuntimeHints.class.getClassLoader())));
	}

}
