// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.TokenIdentity;
import io.ge.redis.core.RedisBackends;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.invocation.PropertyChecks;
import io.ge.redis.core.structure.StructureCalls;
import io.ge.redis.session.SessionEvent;
import io.ge.redis.session.SessionProperties;
import io.ge.redis.session.SessionProperties.OnOutage;
import io.ge.redis.session.Sessions;
import io.ge.redis.session.internal.RedisSessions;
import io.ge.redis.session.internal.SessionCodec;
import io.ge.redis.web.problem.ProblemResolver;
import io.ge.redis.web.session.ReactiveSessions;
import io.ge.redis.web.session.ServletSessions;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.data.redis.serializer.RedisSerializer;
import org.springframework.security.jackson.SecurityJacksonModules;
import org.springframework.session.ReactiveSessionRepository;
import org.springframework.session.Session;
import org.springframework.session.SessionIdGenerator;
import org.springframework.session.SessionRepository;
import org.springframework.session.config.annotation.web.http.SpringHttpSessionConfiguration;
import org.springframework.session.config.annotation.web.server.SpringWebSessionConfiguration;
import org.springframework.session.events.AbstractSessionEvent;
import org.springframework.session.web.http.SessionRepositoryFilter;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * Sessions, where they are switched on or {@link Sessions} is injected. The repository of
 * Spring Session's own auto-configuration steps back.
 */
@AutoConfiguration(
		after = { GeRedisAutoConfiguration.class, BlacklistAutoConfiguration.class, GeRedisWebAutoConfiguration.class },
		beforeName = { "org.springframework.boot.session.autoconfigure.SessionAutoConfiguration",
				"org.springframework.boot.session.data.redis.autoconfigure.SessionDataRedisAutoConfiguration",
				"org.springframework.boot.webflux.autoconfigure.WebFluxAutoConfiguration" })
@ConditionalOnClass(Session.class)
@ConditionalOnBean(RedisBackends.class)
@Conditional(SessionAutoConfiguration.OnSessions.class)
@EnableConfigurationProperties(SessionProperties.class)
public final class SessionAutoConfiguration {

	private static final String SERIALIZER = "springSessionDefaultRedisSerializer";

	@Bean
	@ConditionalOnMissingBean(Sessions.class)
	RedisSessions geRedisSessions(SessionProperties properties, ObjectProvider<JsonMapper> mapper,
			ObjectProvider<SessionIdGenerator> ids, ObjectProvider<BlacklistUse> blacklist, GuardEvents events,
			ConfigurableListableBeanFactory beans, Environment environment, ApplicationEventPublisher publisher,
			@Qualifier("applicationTaskExecutor") ObjectProvider<Executor> executor) {
		Set<@Nullable String> issuers = issuers(environment);
		Supplier<Executor> threads = SingletonSupplier.of(() -> executor.getIfAvailable(ForkJoinPool::commonPool));
		BlacklistUse use = properties.followBlacklist() ? blacklist.getIfAvailable() : null;
		return new RedisSessions(properties, timeout(properties, environment),
				new StructureCalls("session", new PatternBackend("session", beans).get()),
				codec(properties, mapper, beans), ids.getIfAvailable(() -> RedisSessions::random), () -> {
					TokenBlacklist used = (use != null) ? use.blacklist() : null;
					return (used != null) ? logouts(used, issuers) : null;
				}, events, (event) -> publish(event, publisher, threads));
	}

	// Listeners may wait, which a thread of the driver must not
	private static void publish(AbstractSessionEvent event, ApplicationEventPublisher publisher,
			Supplier<Executor> executor) {
		try {
			executor.get().execute(() -> publisher.publishEvent(event));
		}
		catch (RejectedExecutionException ex) {
			// The application closes
		}
	}

	private static Duration timeout(SessionProperties properties, Environment environment) {
		String text = environment.resolvePlaceholders("${spring.session.timeout:${server.servlet.session.timeout:"
				+ "${server.reactive.session.timeout:30m}}}");
		Duration timeout = Objects.requireNonNullElseGet(properties.timeout(),
				() -> DurationStyle.detectAndParse(text, ChronoUnit.SECONDS));
		PropertyChecks.atLeastMillis("spring.session.timeout, or ge.redis.session.timeout in its place,", 1000,
				timeout);
		return timeout;
	}

	@SuppressWarnings("unchecked")
	private static SessionCodec codec(SessionProperties properties, ObjectProvider<JsonMapper> mapper,
			ConfigurableListableBeanFactory beans) {
		ClassLoader loader = Objects.requireNonNull(beans.getBeanClassLoader());
		RedisSerializer<Object> serializer = beans.containsBean(SERIALIZER)
				? (RedisSerializer<Object>) beans.getBean(SERIALIZER, RedisSerializer.class)
				: (properties.codec() == SessionProperties.Codec.JDK) ? RedisSerializer.java(loader) : null;
		if (serializer != null) {
			return new SessionCodec(serializer::serialize, serializer::deserialize);
		}
		boolean secured = ClassUtils.isPresent("org.springframework.security.jackson.SecurityJacksonModules", loader);
		return SessionCodec.json(mapper.getIfAvailable(JsonMapper::shared), properties.allowedTypes(),
				secured ? (types) -> SecurityJacksonModules.getModules(loader, types) : null);
	}

	/** Returns the issuers of the application's tokens, and none for tokens without. */
	private static Set<@Nullable String> issuers(Environment environment) {
		Set<@Nullable String> issuers = new HashSet<>();
		issuers.add(null);
		Binder.get(environment)
			.bind("spring.security.oauth2.client.provider", Bindable.mapOf(String.class, Provider.class))
			.ifBound((providers) -> providers.values().forEach((provider) -> issuers.add(provider.issuerUri())));
		issuers.add(environment.getProperty("spring.security.oauth2.resourceserver.jwt.issuer-uri"));
		return issuers;
	}

	// A login counts as a token of its principal, from each issuer
	private static RedisSessions.Logouts logouts(TokenBlacklist blacklist, Set<@Nullable String> issuers) {
		return new RedisSessions.Logouts((principal, login) -> {
			CompletionStage<Boolean> loggedOut = CompletableFuture.completedFuture(false);
			for (String issuer : issuers) {
				TokenIdentity token = new TokenIdentity(issuer, null, principal, null, null, login);
				loggedOut = loggedOut.thenCompose(
						(known) -> known ? CompletableFuture.completedFuture(true) : blacklist.isRevokedAsync(token));
			}
			return loggedOut;
		}, (principal) -> blacklist.revokeAllAsync(null, principal));
	}

	@Bean
	static SmartInitializingSingleton geRedisSessionStart(ConfigurableListableBeanFactory beans,
			Environment environment, GuardEvents events) {
		return () -> {
			// One of them would be replaced without a word
			String other = Stream.of(SessionRepository.class, ReactiveSessionRepository.class)
				.flatMap((type) -> Stream.of(beans.getBeanNamesForType(type, true, false)))
				.filter((bean) -> String.valueOf(beans.getType(bean)).contains(".session.data.redis."))
				.map((bean) -> "the bean '" + bean + "' is Spring Session's own repository in Redis")
				.findFirst()
				.orElseGet(() -> PatternUse.findProperty(environment, "spring.session.data.redis"));
			if (other != null) {
				throw new GuardConfigurationException("ge.redis.session.enabled",
						"sessions would be in Redis twice, since " + other + ".",
						"Remove it and the properties below spring.session.data.redis, or set"
								+ " ge.redis.session.enabled=false.");
			}
			SessionEvent.none().forEach(events::publish);
		};
	}

	/** Sessions of servlets. The filter is in front of Spring Session's. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
	@ConditionalOnMissingBean(SessionRepository.class)
	@Import(SpringHttpSessionConfiguration.class)
	static class Servlets {

		@Bean
		ServletSessions geRedisSessionRepository(RedisSessions sessions) {
			return new ServletSessions(sessions);
		}

		@Bean
		FilterRegistrationBean<Filter> geRedisSessionFilter(ServletSessions sessions, ProblemResolver problems) {
			Filter refusals = problems.filter();
			FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>(
					(request, response, chain) -> refusals.doFilter(request, response,
							(passed, answer) -> sessions.doFilter(passed, answer, chain)));
			registration.setName("geRedisSessionFilter");
			registration.setDispatcherTypes(EnumSet.allOf(DispatcherType.class));
			registration.setOrder(SessionRepositoryFilter.DEFAULT_ORDER - 1);
			return registration;
		}

	}

	/** Sessions of WebFlux. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
	@ConditionalOnMissingBean(ReactiveSessionRepository.class)
	@Import(SpringWebSessionConfiguration.class)
	static class WebFlux {

		@Bean
		ReactiveSessions geRedisSessionRepository(RedisSessions sessions, SessionProperties properties) {
			if (properties.onOutage() == OnOutage.ANONYMOUS) {
				throw new GuardConfigurationException("ge.redis.session.on-outage",
						"\"anonymous\" would log callers out in a reactive application, where a request without"
								+ " session removes the cookie.",
						"Write deny, or remove the property.");
			}
			return new ReactiveSessions(sessions);
		}

	}

	record Provider(@Nullable String issuerUri) {
	}

	static final class OnSessions extends SpringBootCondition implements ConfigurationCondition {

		@Override
		public ConfigurationPhase getConfigurationPhase() {
			return ConfigurationPhase.REGISTER_BEAN;
		}

		@Override
		public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
			Boolean enabled = context.getEnvironment().getProperty("ge.redis.session.enabled", Boolean.class);
			String user = (enabled == null)
					? PatternUse.findType(Objects.requireNonNull(context.getBeanFactory()), "session") : null;
			return new ConditionOutcome(Boolean.TRUE.equals(enabled) || user != null,
					(user != null) ? user : "ge.redis.session.enabled is " + enabled);
		}

	}

}
