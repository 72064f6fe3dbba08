// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.interfaces.RSAPrivateKey;
import java.security.interfaces.RSAPublicKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.http.HttpStatus;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.security.core.Authentication;
import org.springframework.security.oauth2.jwt.JwtClaimsSet;
import org.springframework.security.oauth2.jwt.JwtEncoder;
import org.springframework.security.oauth2.jwt.JwtEncoderParameters;
import org.springframework.security.oauth2.jwt.NimbusJwtEncoder;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.context.WebApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application with Spring Boot's resource server, a cache and JPA, and without any
 * annotation of ours, answers as it does without the starter, however Redis is. It runs
 * on two class paths: from one, ours and what the starter brings with it are hidden.
 */
@ExtendWith(OutputCaptureExtension.class)
class SafeToAddIntegrationTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final HttpClient client = HttpClient.newHttpClient();

	@Test
	void answersAsWithoutTheStarter(@TempDir Path directory, CapturedOutput output) throws Exception {
		KeyPair keys = KeyPairGenerator.getInstance("RSA").generateKeyPair();
		Path key = Files.writeString(directory.resolve("key.pem"),
				"-----BEGIN PUBLIC KEY-----\n" + Base64.getMimeEncoder().encodeToString(keys.getPublic().getEncoded())
						+ "\n-----END PUBLIC KEY-----\n");
		Map<String, String> tokens = tokens(keys);
		try (StandaloneRedis redis = RedisServers.standalone(); ConfigurableApplicationContext without = without(key)) {
			redis.primary().pause();
			try (ConfigurableApplicationContext with = with(redis, key)) {
				assertSameAnswers(with, without, tokens, "hung");
				assertHardlyAnyBeans(with.getBeanFactory());
				assertThat(filters(with)).isEqualTo(filters(without));
				redis.primary().resume();
				assertSameAnswers(with, without, tokens, "up");
				redis.primary().stop();
				assertSameAnswers(with, without, tokens, "down");
				assertThat(with.getBeanFactory().containsSingleton("geRedisTokenBlacklist")).isFalse();
			}
		}
		assertThat(output).doesNotContain("Tokens are checked", "ge_idempotency");
	}

	private static Set<String> filters(ConfigurableApplicationContext application) {
		return new TreeSet<>(
				((WebApplicationContext) application).getServletContext().getFilterRegistrations().keySet());
	}

	// Of patterns only what looks for their annotations. Connections and threads are
	// those
	// of the factory
	private static void assertHardlyAnyBeans(ConfigurableListableBeanFactory beans) {
		List<String> made = Arrays.stream(beans.getBeanDefinitionNames())
			.filter(PatternUse::isOurs)
			.filter(beans::containsSingleton)
			.toList();
		assertThat(made).hasSizeLessThanOrEqualTo(55)
			.noneMatch((name) -> name.matches(".*(Pattern|Filter|Gauge|Resource|Meters)"))
			.doesNotContain("geRedisBackendFactory", "geRedisTokenBlacklist");
	}

	private void assertSameAnswers(ConfigurableApplicationContext with, ConfigurableApplicationContext without,
			Map<String, String> tokens, String redis) {
		SoftAssertions.assertSoftly((softly) -> {
			for (Call call : calls(tokens.keySet())) {
				String token = tokens.get(call.token());
				softly.assertThat(answer(with, call, token))
					.as("%s while Redis is %s", call, redis)
					.isEqualTo(answer(without, call, token));
			}
		});
	}

	/**
	 * The health of all contains Spring Boot's own health of Redis, so it is not asked.
	 */
	private static List<Call> calls(Set<String> tokens) {
		List<Call> calls = new ArrayList<>();
		tokens.forEach((token) -> calls.add(new Call("GET", "/me", token)));
		for (String path : List.of("/rates/eur", "/rates/eur", "/notes", "/actuator/health/liveness",
				"/actuator/health/readiness", "/nowhere")) {
			calls.add(new Call("GET", path, "good"));
		}
		calls.add(new Call("POST", "/notes/first", "good"));
		calls.add(new Call("POST", "/notes/refused", "good"));
		calls.add(new Call("GET", "/notes", "good"));
		return calls;
	}

	private static Map<String, String> tokens(KeyPair keys) {
		JwtEncoder encoder = NimbusJwtEncoder
			.withKeyPair((RSAPublicKey) keys.getPublic(), (RSAPrivateKey) keys.getPrivate())
			.build();
		Instant now = Instant.now();
		Map<String, String> tokens = new LinkedHashMap<>();
		tokens.put("good", token(encoder, (claims) -> claims.id("id").issuedAt(now).expiresAt(now.plusSeconds(300))));
		tokens.put("no jti", token(encoder, (claims) -> claims.issuedAt(now).expiresAt(now.plusSeconds(300))));
		tokens.put("old", token(encoder,
				(claims) -> claims.id("id").issuedAt(now.minus(Duration.ofDays(400))).expiresAt(now.plusSeconds(300))));
		tokens.put("expired", token(encoder,
				(claims) -> claims.id("id").issuedAt(now.minusSeconds(600)).expiresAt(now.minusSeconds(300))));
		tokens.put("too early", token(encoder,
				(claims) -> claims.id("id").notBefore(now.plusSeconds(300)).expiresAt(now.plusSeconds(600))));
		tokens.put("forged", "forged");
		tokens.put("none", null);
		return tokens;
	}

	private static String token(JwtEncoder encoder, Consumer<JwtClaimsSet.Builder> times) {
		JwtClaimsSet.Builder claims = JwtClaimsSet.builder().issuer("https://issuer.example").subject("anna");
		times.accept(claims);
		return encoder.encode(JwtEncoderParameters.from(claims.build())).getTokenValue();
	}

	private Answer answer(ConfigurableApplicationContext application, Call call, String token) {
		String address = "localhost:" + application.getEnvironment().getProperty("local.server.port");
		HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://" + address + call.path()))
			.timeout(PATIENCE)
			.method(call.method(), HttpRequest.BodyPublishers.noBody());
		if (token != null) {
			request.header("Authorization", "Bearer " + token);
		}
		try {
			HttpResponse<String> response = this.client.send(request.build(), HttpResponse.BodyHandlers.ofString());
			Map<String, List<String>> headers = new TreeMap<>(response.headers().map());
			headers.remove("date");
			String text = headers.toString().replace(address, "address").replaceAll("JSESSIONID=\\w+", "JSESSIONID");
			return new Answer(response.statusCode(), text, response.body());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static ConfigurableApplicationContext with(StandaloneRedis redis, Path key) {
		return run(new SpringApplication(Application.class), key, redis.properties());
	}

	private static ConfigurableApplicationContext without(Path key) {
		ClassLoader all = SafeToAddIntegrationTests.class.getClassLoader();
		String ours = String.join(",",
				ImportCandidates.load(AutoConfiguration.class, all)
					.getCandidates()
					.stream()
					.filter((name) -> name.startsWith("io.ge.redis."))
					.toList());
		SpringApplication application = new SpringApplication(
				new DefaultResourceLoader(new FilteredClassLoader(SafeToAddIntegrationTests::isHidden)),
				Application.class);
		return run(application, key, "spring.autoconfigure.exclude=" + ours);
	}

	private static boolean isHidden(String name) {
		// The file that names the check cannot be hidden
		boolean ours = name.startsWith("io.ge.redis.") && !name.startsWith(SafeToAddIntegrationTests.class.getName())
				&& !name.endsWith(".BootVersionCheck");
		return ours
				|| Stream.of("org.springframework.data.redis.", "io.lettuce.", "redis.clients.", "com.github.benmanes.")
					.anyMatch(name::startsWith);
	}

	private static ConfigurableApplicationContext run(SpringApplication application, Path key, String... properties) {
		String[] arguments = Stream
			.concat(Stream.of(properties),
					Stream.of("server.port=0", "server.address=127.0.0.1", "spring.main.banner-mode=off",
							"spring.mvc.problemdetails.enabled=true", "management.endpoint.health.probes.enabled=true",
							"management.endpoints.web.exposure.include=*",
							"spring.security.oauth2.resourceserver.jwt.public-key-location=file:" + key))
			.map((property) -> "--" + property)
			.toArray(String[]::new);
		return application.run(arguments);
	}

	private record Call(String method, String path, String token) {
	}

	private record Answer(int status, String headers, String body) {
	}

	public record Rate(String currency, double value) {
	}

	@Entity(name = "note")
	public static class Note {

		@Id
		private String text;

	}

	public static class Rates {

		@Cacheable("rates")
		public Rate rate(String currency) {
			return new Rate(currency, 1.5);
		}

	}

	// Public, since proxies are made by the class loader that hides things
	public static class Notes {

		private final EntityManager entities;

		public Notes(EntityManager entities) {
			this.entities = entities;
		}

		@Transactional
		public void add(String text) {
			Note note = new Note();
			note.text = text;
			this.entities.merge(note);
			if (text.equals("refused")) {
				throw new ResponseStatusException(HttpStatus.CONFLICT);
			}
		}

		@Transactional(readOnly = true)
		public List<String> all() {
			return this.entities.createQuery("select n.text from note n order by n.text", String.class).getResultList();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableCaching
	@Import(Controller.class)
	static class Application {

		@Bean
		LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource dataSource) {
			LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
			factory.setDataSource(dataSource);
			factory.setManagedTypes(PersistenceManagedTypes.of(Note.class.getName()));
			factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
			factory.setJpaPropertyMap(Map.of("hibernate.hbm2ddl.auto", "create"));
			return factory;
		}

		@Bean
		JpaTransactionManager transactionManager(EntityManagerFactory factory) {
			return new JpaTransactionManager(factory);
		}

		@Bean
		Notes notes(EntityManagerFactory factory) {
			return new Notes(SharedEntityManagerCreator.createSharedEntityManager(factory));
		}

		@Bean
		Rates rates() {
			return new Rates();
		}

	}

	@RestController
	static class Controller {

		private final Notes notes;

		private final Rates rates;

		Controller(Notes notes, Rates rates) {
			this.notes = notes;
			this.rates = rates;
		}

		@GetMapping("/me")
		String me(Authentication caller) {
			return caller.getName();
		}

		@GetMapping("/rates/{currency}")
		Rate rate(@PathVariable String currency) {
			return this.rates.rate(currency);
		}

		@GetMapping("/notes")
		List<String> notes() {
			return this.notes.all();
		}

		@PostMapping("/notes/{text}")
		void add(@PathVariable String text) {
			this.notes.add(text);
		}

	}

}
