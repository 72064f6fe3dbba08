// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.test.FreePorts;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.embedded.RedisExecProvider;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

/**
 * Tests for {@link EmbeddedRedisAutoConfiguration}.
 */
class EmbeddedRedisAutoConfigurationIntegrationTests {

	private final ApplicationContextRunner runnerWithoutDriver = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(EmbeddedRedisAutoConfiguration.class));

	private final ApplicationContextRunner runner = this.runnerWithoutDriver
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class));

	@Test
	void applicationUsesEmbeddedServerIfNothingIsConfigured() {
		this.runner.run((context) -> {
			StringRedisTemplate template = context.getBean(StringRedisTemplate.class);
			template.opsForValue().set("key", "value");
			assertThat(template.opsForValue().get("key")).isEqualTo("value");
			assertThat(context.getBean(LettuceConnectionFactory.class).getPort())
				.isEqualTo(context.getBean(EmbeddedRedisServer.class).getPort());
		});
	}

	@Test
	void stopsWithTheContext() {
		AtomicReference<EmbeddedRedisServer> server = new AtomicReference<>();
		this.runner.run((context) -> server.set(context.getBean(EmbeddedRedisServer.class)));
		assertThatIOException().isThrownBy(() -> connect(server.get()));
	}

	@Test
	void outlivesTheBeansThatUseIt() {
		this.runner.withUserConfiguration(UsesRedisOnCloseConfiguration.class).run((context) -> {
			UsesRedisOnClose bean = context.getBean(UsesRedisOnClose.class);
			context.close();
			assertThat(bean.reached).isTrue();
		});
	}

	@Test
	void eachContextHasItsOwnServer() {
		this.runner.run((first) -> this.runner.run((second) -> {
			first.getBean(StringRedisTemplate.class).opsForValue().set("key", "first");
			assertThat(second.getBean(StringRedisTemplate.class).opsForValue().get("key")).isNull();
		}));
	}

	@Test
	void isNoPartOfAnApplicationProcessedAheadOfTime() {
		ApplicationContextRunner processing = this.runner.withSystemProperties("spring.aot.processing=true");
		processing.run((context) -> assertThat(context).doesNotHaveBean(EmbeddedRedisServer.class));
		processing.withPropertyValues("ge.redis.embedded.enabled=true")
			.run((context) -> assertThat(context).hasSingleBean(EmbeddedRedisServer.class));
	}

	@Test
	void processedAheadOfTimeItDoesNotHideAnotherServer() {
		MockEnvironment elsewhere = new MockEnvironment().withProperty("spring.data.redis.host", "redis.example.org");
		assertThatExceptionOfType(GuardConfigurationException.class)
			.isThrownBy(() -> new EmbeddedRedisAutoConfiguration()
				.geRedisEmbeddedServer(new EmbeddedRedisProperties(true, 0), elsewhere))
			.withMessageContaining("spring.data.redis.host")
			.withMessageContaining("processed ahead of time to have an embedded Redis");
	}

	@Test
	@Wide
	void usesConfiguredPort() {
		int port = FreePorts.next();
		this.runner.withPropertyValues("ge.redis.embedded.port=" + port)
			.run((context) -> assertThat(context.getBean(LettuceConnectionFactory.class).getPort()).isEqualTo(port));
	}

	@Test
	@Wide
	void failsIfConfiguredPortIsTaken() throws IOException {
		try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
			this.runner.withPropertyValues("ge.redis.embedded.port=" + taken.getLocalPort())
				.run((context) -> assertThat(context).getFailure()
					.rootCause()
					.isInstanceOf(GuardConfigurationException.class));
		}
	}

	@Test
	@Wide
	void usesConfiguredDatabase() {
		this.runner.withPropertyValues("spring.data.redis.database=3")
			.run((context) -> assertThat(context.getBean(LettuceConnectionFactory.class).getDatabase()).isEqualTo(3));
	}

	@Test
	void ignoresCredentialsAndTlsOfRedisThatIsNotConfigured() {
		this.runner
			.withPropertyValues("spring.data.redis.username=user", "spring.data.redis.password=secret",
					"spring.data.redis.ssl.enabled=true")
			.run((context) -> assertThat(context.getBean(StringRedisTemplate.class)
				.execute((RedisConnection connection) -> connection.ping())).isEqualTo("PONG"));
	}

	@Test
	@Wide
	void startsIfGuardsAreOff() {
		this.runner.withPropertyValues("ge.redis.enabled=false")
			.run((context) -> assertThat(context).hasSingleBean(EmbeddedRedisServer.class));
	}

	@Test
	void staysOutIfDisabled() {
		this.runner.withPropertyValues("ge.redis.embedded.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(EmbeddedRedisServer.class)
				.hasSingleBean(DataRedisConnectionDetails.class));
	}

	@Test
	void staysOutWithoutLibrary() {
		this.runner.withClassLoader(new FilteredClassLoader(RedisExecProvider.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(EmbeddedRedisServer.class));
	}

	@Test
	void staysOutWithoutSpringBootsRedisModule() {
		this.runnerWithoutDriver.withClassLoader(new FilteredClassLoader(DataRedisConnectionDetails.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(EmbeddedRedisServer.class));
	}

	@ParameterizedTest
	@ValueSource(strings = { "host=redis.example", "host=", "port=6379", "url=redis://redis.example:6379",
			"sentinel.master=primary", "sentinel.nodes=sentinel.example:26379", "cluster.nodes[0]=node.example:6379",
			"masterreplica.nodes=node.example:6379" })
	void staysOutIfPropertySaysWhereRedisIs(String property) {
		this.runnerWithoutDriver.withPropertyValues("spring.data.redis." + property)
			.run((context) -> assertThat(context).doesNotHaveBean(EmbeddedRedisServer.class));
	}

	@Test
	void staysOutIfEnvironmentVariableSaysWhereRedisIs() {
		this.runnerWithoutDriver
			.withInitializer((context) -> context.getEnvironment()
				.getPropertySources()
				.addFirst(new SystemEnvironmentPropertySource(
						"test-" + StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
						Map.of("SPRING_DATA_REDIS_SENTINEL_NODES", "sentinel.example:26379"))))
			.run((context) -> assertThat(context).doesNotHaveBean(EmbeddedRedisServer.class));
	}

	@Test
	void staysOutIfUserDefinesConnectionFactory() {
		this.runner.withUserConfiguration(ConnectionFactoryConfiguration.class)
			.run((context) -> assertThat(context).doesNotHaveBean(EmbeddedRedisServer.class)
				.getBean(RedisConnectionFactory.class)
				.isSameAs(context.getBean("userConnectionFactory")));
	}

	@Test
	void staysOutIfServiceConnectionSaysWhereRedisIs() {
		this.runner.withUserConfiguration(ConnectionDetailsConfiguration.class)
			.run((context) -> assertThat(context).doesNotHaveBean(EmbeddedRedisServer.class)
				.getBean(LettuceConnectionFactory.class)
				.extracting(LettuceConnectionFactory::getPort)
				.isEqualTo(SharedRedis.standalone().primary().port()));
	}

	@Test
	@Wide
	void publishesServerThatUserDefines() {
		this.runner.withUserConfiguration(ServerConfiguration.class)
			.run((context) -> assertThat(context.getBean(LettuceConnectionFactory.class).getPort())
				.isEqualTo(context.getBean("userServer", EmbeddedRedisServer.class).getPort()));
	}

	private static void connect(EmbeddedRedisServer server) throws IOException {
		new Socket(server.getHost(), server.getPort()).close();
	}

	@Configuration(proxyBeanMethods = false)
	static class ConnectionFactoryConfiguration {

		@Bean
		LettuceConnectionFactory userConnectionFactory() {
			return new LettuceConnectionFactory("redis.example", 6379);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ConnectionDetailsConfiguration {

		@Bean
		DataRedisConnectionDetails userConnectionDetails() {
			return new DataRedisConnectionDetails() {

				@Override
				public Standalone getStandalone() {
					return Standalone.of("127.0.0.1", SharedRedis.standalone().primary().port());
				}

			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ServerConfiguration {

		@Bean
		EmbeddedRedisServer userServer() {
			return EmbeddedRedisServer.start(0);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class UsesRedisOnCloseConfiguration {

		@Bean
		UsesRedisOnClose usesRedisOnClose(DataRedisConnectionDetails details) {
			return new UsesRedisOnClose(details);
		}

	}

	static class UsesRedisOnClose implements DisposableBean {

		private final DataRedisConnectionDetails details;

		private boolean reached;

		UsesRedisOnClose(DataRedisConnectionDetails details) {
			this.details = details;
		}

		@Override
		public void destroy() throws IOException {
			DataRedisConnectionDetails.Standalone redis = this.details.getStandalone();
			new Socket(redis.getHost(), redis.getPort()).close();
			this.reached = true;
		}

	}

}
