// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.util.List;
import java.util.Objects;

import io.ge.redis.core.RedisBackends;
import io.ge.redis.session.Sessions;
import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;
import org.springframework.session.MapSessionRepository;
import org.springframework.session.ReactiveFindByIndexNameSessionRepository;
import org.springframework.session.ReactiveSessionRepository;
import org.springframework.session.Session;
import org.springframework.session.SessionRepository;
import org.springframework.session.data.redis.config.annotation.web.http.EnableRedisHttpSession;
import org.springframework.session.web.http.SessionRepositoryFilter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Where sessions are in Redis, and what is refused at startup.
 */
class SessionAutoConfigurationTests {

	private static final AutoConfigurations ALL = AutoConfigurations.of(DataRedisAutoConfiguration.class,
			GeRedisAutoConfiguration.class, GeRedisWebAutoConfiguration.class, SessionAutoConfiguration.class,
			GeRedisDisabledAutoConfiguration.class);

	private final WebApplicationContextRunner servlets = new WebApplicationContextRunner().withConfiguration(ALL)
		.withPropertyValues("spring.data.redis.port=1");

	private final ReactiveWebApplicationContextRunner webFlux = new ReactiveWebApplicationContextRunner()
		.withConfiguration(ALL)
		.withPropertyValues("spring.data.redis.port=1");

	@Test
	void changesNothingUnlessItIsUsed() {
		this.servlets.withPropertyValues("ge.redis.session.timeout=10m")
			.run((context) -> assertThat(context).doesNotHaveBean(SessionRepository.class)
				.doesNotHaveBean(SessionRepositoryFilter.class)
				.doesNotHaveBean(Sessions.class));
		this.servlets.withPropertyValues("ge.redis.session.enabled=true")
			.withClassLoader(new FilteredClassLoader(Session.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(Sessions.class));
	}

	@Test
	void isUsedWhereItIsSwitchedOnOrInjected() {
		this.servlets.withPropertyValues("ge.redis.session.enabled=true")
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(SessionRepository.class)
				.hasSingleBean(SessionRepositoryFilter.class)
				.hasSingleBean(Sessions.class));
		this.servlets.withUserConfiguration(Injected.class)
			.run((context) -> assertThat(context).hasSingleBean(SessionRepository.class));
		this.webFlux.withPropertyValues("ge.redis.session.enabled=true")
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(ReactiveSessionRepository.class)
				.hasSingleBean(ReactiveFindByIndexNameSessionRepository.class)
				.hasBean("webSessionManager"));
		new ApplicationContextRunner().withConfiguration(ALL)
			.withPropertyValues("ge.redis.session.enabled=true", "spring.data.redis.port=1")
			.run((context) -> assertThat(context).hasSingleBean(Sessions.class)
				.doesNotHaveBean(SessionRepository.class)
				.hasSingleBean(RedisBackends.class));
	}

	@Test
	void standsInWhereItIsSwitchedOff() {
		this.servlets.withPropertyValues("ge.redis.session.enabled=false")
			.withUserConfiguration(Injected.class)
			.run((context) -> {
				assertThat(context).doesNotHaveBean(SessionRepository.class);
				assertThat(context.getBean(Sessions.class).endAll("alice")).isZero();
				assertThat(context.getBean(Sessions.class).list("alice")).isEmpty();
			});
	}

	@Test
	void stepsBackForARepositoryOfTheApplication() {
		this.servlets.withPropertyValues("ge.redis.session.enabled=true")
			.withBean(MapSessionRepository.class, () -> mock())
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(SessionRepository.class));
	}

	@Test
	void refusesSpringSessionsOwnRepositoryBesideIt() {
		this.servlets.withPropertyValues("ge.redis.session.enabled=true")
			.withUserConfiguration(Springs.class)
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("ge.redis.session.enabled: sessions would be in Redis twice")
				.hasMessageContaining("'sessionRepository'")
				.hasMessageContaining("set ge.redis.session.enabled=false"));
		this.servlets.withPropertyValues("ge.redis.session.enabled=true", "spring.session.data.redis.namespace=shop")
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("spring.session.data.redis.namespace is set"));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					ge.redis.session.codec=xml                  | Codec.xml
					ge.redis.session.timeout=10ms               | ge.redis.session.timeout must be at least 1000ms
					ge.redis.session.max-per-principal=0        | ge.redis.session.max-per-principal must be at least 1
					ge.redis.session.allowed-types=Cart         | such as com.example.Cart or a package such as com.example.*
					spring.session.timeout=0                    | or ge.redis.session.timeout in its place, must be at least 1000ms
					""")
	void refusesPropertiesThatCannotWork(String property, String problem) {
		this.servlets.withPropertyValues("ge.redis.session.enabled=true", property)
			.run((context) -> assertThat(context).getFailure().rootCause().hasMessageContaining(problem));
	}

	@ParameterizedTest
	@ValueSource(strings = { "local", "allow" })
	void refusesOutagePoliciesWithoutMeaning(String policy) {
		this.servlets.withPropertyValues("ge.redis.session.enabled=true", "ge.redis.session.on-outage=" + policy)
			.run((context) -> {
				List<FailureAnalyzer> analyzers = SpringFactoriesLoader.forDefaultResourceLocation()
					.load(FailureAnalyzer.class, ArgumentResolver.of(Environment.class, new StandardEnvironment()),
							FailureHandler.logging(LogFactory.getLog(getClass())));
				FailureAnalysis analysis = analyzers.stream()
					.map((analyzer) -> analyzer.analyze(context.getStartupFailure()))
					.filter(Objects::nonNull)
					.findFirst()
					.orElseThrow();
				assertThat(analysis.getDescription()).contains("ge.redis.session.on-outage", policy);
				assertThat(analysis.getAction()).contains("ANONYMOUS", "DENY");
			});
	}

	@Test
	void refusesAnonymousRequestsOnWebFlux() {
		this.webFlux.withPropertyValues("ge.redis.session.enabled=true", "ge.redis.session.on-outage=anonymous")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("ge.redis.session.on-outage")
				.hasMessageContaining("Write deny"));
	}

	@Configuration(proxyBeanMethods = false)
	static class Injected {

		Injected(org.springframework.beans.factory.ObjectProvider<Sessions> sessions) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableRedisHttpSession
	static class Springs {

	}

}
