// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.ge.redis.idempotency.Idempotency;
import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.NonBlocking;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextImpl;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.security.web.server.context.ServerSecurityContextRepository;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.config.BlockingExecutionConfigurer;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.server.ServerWebExchange;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Who calls, where no handler is guarded but what some of them call is: looked up if a
 * guard asks, and never otherwise.
 */
@Wide
class CallerOnWebFluxIntegrationTests {

	private static final HttpClient CLIENT = HttpClient.newHttpClient();

	/** Long enough not to be over when a guard asks. */
	private static final Duration LOOKUP = Duration.ofMillis(50);

	private static ConfigurableApplicationContext application;

	private static Sessions sessions;

	@BeforeAll
	static void start() {
		Stream<String> properties = Stream.of("spring.main.web-application-type=reactive", "server.port=0",
				"server.address=127.0.0.1",
				// Reactor Netty 1.3.6 and 1.3.7 may stop reading a connection that is
				// kept
				// (reactor-netty#4361)
				"server.netty.max-keep-alive-requests=1", "spring.main.banner-mode=off",
				"ge.redis.outage.command-timeout=5s",
				"logging.level.org.springframework.boot.webflux.autoconfigure.error=OFF",
				"logging.level.org.springframework.web.HttpLogging=OFF",
				"spring.autoconfigure.exclude=org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration");
		application = new SpringApplication(Configured.class)
			.run(Stream.concat(Stream.of(SharedRedis.standalone().properties()), properties)
				.map((property) -> "--" + property)
				.toArray(String[]::new));
		sessions = application.getBean(Sessions.class);
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@BeforeEach
	void reset() {
		SharedRedis.standalone().flushAll();
		sessions.lookups.set(0);
		sessions.broken = false;
	}

	@ParameterizedTest
	@ValueSource(strings = { "/public", "/public-future", "/public-end", "/public-waiting" })
	void nobodyIsLookedUpForWhatIsPublic(String path) throws Exception {
		sessions.broken = true;
		assertThat(get(path, "anna").statusCode()).isEqualTo(200);
		assertThat(sessions.lookups).hasValue(0);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/waiting", "/future", "/code", "/subscribed" })
	void guardThatAsksKnowsTheCaller(String path) throws Exception {
		String anna = get(path, "anna").body();
		assertThat(sessions.lookups).hasValue(1);
		assertThat(get(path, "boris").body()).startsWith("call ").isNotEqualTo(anna);
		assertThat(get(path, "anna").body()).startsWith("call ").isEqualTo(anna);
		assertThat(get(path, "").body()).startsWith("call ").isNotEqualTo(anna);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/waiting", "/future", "/code", "/subscribed" })
	void nobodyIsTakenForAnonymousWhoseSessionCannotBeRead(String path) throws Exception {
		int effects = application.getBean(Service.class).effects();
		sessions.broken = true;
		assertThat(get(path, "anna").statusCode()).isEqualTo(500);
		assertThat(application.getBean(Service.class).effects()).isEqualTo(effects);
	}

	@Test
	void callerOfASubscriberComesBeforeThatOfItsThread() throws Exception {
		String boris = get("/waiting", "boris").body();
		assertThat(get("/nested", "anna").body()).isEqualTo(boris);
		String nobody = get("/waiting", "").body();
		assertThat(get("/nested-nobody", "anna").body()).isEqualTo(nobody);
	}

	private static HttpResponse<String> get(String path, String user) throws IOException, InterruptedException {
		String port = application.getEnvironment().getRequiredProperty("local.server.port");
		return CLIENT.send(
				HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).header("X-User", user).build(),
				HttpResponse.BodyHandlers.ofString());
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Desk.class, WaitingDesk.class, Service.class, Sessions.class })
	static class Configured {

		@Bean
		SecurityWebFilterChain everybodyMay(ServerHttpSecurity http, Sessions sessions) {
			return http.csrf(ServerHttpSecurity.CsrfSpec::disable)
				.securityContextRepository(sessions)
				.authorizeExchange((requests) -> requests.anyExchange().permitAll())
				.build();
		}

		@Bean
		WebFluxConfigurer blockingHandlers() {
			return new WebFluxConfigurer() {

				@Override
				public void configureBlockingExecution(BlockingExecutionConfigurer configurer) {
					configurer.setExecutor(new SimpleAsyncTaskExecutor("waiting-"))
						.setControllerMethodPredicate((method) -> method.getBeanType() == WaitingDesk.class);
				}

			};
		}

	}

	/**
	 * A store that takes its time.
	 */
	static class Sessions implements ServerSecurityContextRepository {

		final AtomicInteger lookups = new AtomicInteger();

		volatile boolean broken;

		@Override
		public Mono<Void> save(ServerWebExchange exchange, SecurityContext context) {
			return Mono.empty();
		}

		@Override
		public Mono<SecurityContext> load(ServerWebExchange exchange) {
			return Mono.fromCallable(() -> {
				this.lookups.incrementAndGet();
				if (this.broken) {
					throw new IllegalStateException("The store is away");
				}
				return context(exchange.getRequest().getHeaders().getFirst("X-User"));
			}).subscribeOn(Schedulers.boundedElastic()).delaySubscription(LOOKUP);
		}

		static SecurityContext context(String user) {
			return user.isEmpty() ? null
					: new SecurityContextImpl(UsernamePasswordAuthenticationToken.authenticated(user, "", List.of()));
		}

	}

	/**
	 * Called on the event loop.
	 */
	@RestController
	static class Desk {

		private final Service service;

		private final Idempotency idempotency;

		Desk(Service service, Idempotency idempotency) {
			this.service = service;
			this.idempotency = idempotency;
		}

		@GetMapping("/public")
		public String done() {
			return "done";
		}

		@GetMapping("/public-future")
		public CompletableFuture<String> doneLater() {
			return CompletableFuture.completedFuture("done");
		}

		@GetMapping("/public-end")
		public Mono<Void> end() {
			return Mono.empty();
		}

		@GetMapping("/future")
		public CompletableFuture<String> future() {
			assertThat(Thread.currentThread()).isInstanceOf(NonBlocking.class);
			return this.service.later("k");
		}

		@GetMapping("/code")
		public CompletionStage<String> code() {
			return this.idempotency.executeAsync("code", "k", "payload", String.class,
					() -> CompletableFuture.completedFuture(this.service.call()));
		}

		@GetMapping("/subscribed")
		public CompletableFuture<String> subscribed() {
			return this.service.mono("k").toFuture();
		}

	}

	/**
	 * Called where it may wait.
	 */
	@RestController
	static class WaitingDesk {

		private final Service service;

		WaitingDesk(Service service) {
			this.service = service;
		}

		@GetMapping("/public-waiting")
		public String done() {
			return "done";
		}

		@GetMapping("/waiting")
		public String waiting() {
			return this.service.once("k");
		}

		@GetMapping("/nested")
		public String nested() {
			return nested(Sessions.context("boris"));
		}

		@GetMapping("/nested-nobody")
		public String nestedNobody() {
			return nested(new SecurityContextImpl());
		}

		private String nested(SecurityContext security) {
			return this.service.sameAsOnce("k")
				.contextWrite((context) -> context.put(SecurityContext.class, Mono.just(security)))
				.block();
		}

	}

	static class Service {

		private final AtomicInteger effects = new AtomicInteger();

		public int effects() {
			return this.effects.get();
		}

		public String call() {
			return "call " + this.effects.incrementAndGet();
		}

		@Idempotent(name = "once", key = "#key")
		public String once(String key) {
			return call();
		}

		@Idempotent(name = "once", key = "#key")
		public Mono<String> sameAsOnce(String key) {
			return Mono.fromCallable(this::call);
		}

		@Idempotent(key = "#key")
		public CompletableFuture<String> later(String key) {
			return CompletableFuture.completedFuture(call());
		}

		@Idempotent(key = "#key")
		public Mono<String> mono(String key) {
			return Mono.fromCallable(this::call);
		}

	}

}
