// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.draft.IdempotencyKeyDraftContract;
import io.ge.redis.test.draft.IdempotentServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.http.ResponseEntity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;

/**
 * The header as the draft wants it, whichever web stack it is on.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class IdempotencyKeyDraftWebContract extends IdempotencyKeyDraftContract {

	private static final String DOCUMENTATION = "https://shop.example.org/idempotency";

	private ConfigurableApplicationContext application;

	/**
	 * Returns what runs the application.
	 */
	abstract WebApplicationType type();

	/**
	 * Returns the application.
	 */
	abstract Class<?> configuration();

	@BeforeAll
	void start() {
		this.application = start(configuration(), type());
	}

	static ConfigurableApplicationContext start(Class<?> configuration, WebApplicationType type) {
		SpringApplication starting = new SpringApplication(configuration);
		starting.setWebApplicationType(type);
		Stream<String> properties = Stream.of("server.port=0", "server.address=127.0.0.1",
				// Reactor Netty 1.3.6 and 1.3.7 may stop reading a connection that is
				// kept
				// (reactor-netty#4361)
				"server.netty.max-keep-alive-requests=1", "spring.main.banner-mode=off",
				"ge.redis.outage.command-timeout=5s", "ge.redis.idempotency.documentation=" + DOCUMENTATION,
				"spring.autoconfigure.exclude=org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration");
		return starting.run(Stream.concat(Stream.of(SharedRedis.standalone().properties()), properties)
			.map((property) -> "--" + property)
			.toArray(String[]::new));
	}

	@AfterAll
	void stop() {
		if (this.application != null) {
			this.application.close();
		}
	}

	ConfigurableApplicationContext application() {
		return this.application;
	}

	@Override
	protected IdempotentServer server() {
		return this.application.getBean(Sales.class);
	}

	static UserDetails[] users() {
		return Stream.of("anna", "boris")
			.map((name) -> User.withUsername(name).password("{noop}secret").build())
			.toArray(UserDetails[]::new);
	}

	/**
	 * What the resources do.
	 */
	static class Sales implements IdempotentServer {

		private final AtomicLong effects = new AtomicLong();

		private final CountDownLatch processing = new CountDownLatch(1);

		private final CompletableFuture<Void> released = new CompletableFuture<>();

		private final Environment environment;

		Sales(Environment environment) {
			this.environment = environment;
		}

		ResponseEntity<Sale> add(Order order) {
			return ResponseEntity.created(URI.create("/sales/" + this.effects.incrementAndGet()))
				.body(new Sale(UUID.randomUUID(), order.amount()));
		}

		ResponseEntity<Sale> refuse(Order order) {
			return ResponseEntity.unprocessableContent().body(new Sale(UUID.randomUUID(), order.amount()));
		}

		/**
		 * A slow request is being processed.
		 * @return completes when it may be answered
		 */
		CompletableFuture<Void> process() {
			this.processing.countDown();
			return this.released;
		}

		@Override
		public URI resource() {
			return address("/sales");
		}

		@Override
		public URI refusing() {
			return address("/refused-sales");
		}

		@Override
		public URI slow() {
			return address("/slow-sales");
		}

		private URI address(String path) {
			return URI.create("http://127.0.0.1:" + this.environment.getRequiredProperty("local.server.port") + path);
		}

		@Override
		public void awaitProcessing() {
			try {
				if (!this.processing.await(30, TimeUnit.SECONDS)) {
					throw new IllegalStateException("Nobody came");
				}
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

		@Override
		public void release() {
			this.released.complete(null);
		}

		@Override
		public String documentation() {
			return DOCUMENTATION;
		}

		@Override
		public long effects() {
			return this.effects.get();
		}

		@Override
		public Map<String, String> credentials(String name) {
			String text = Base64.getEncoder().encodeToString((name + ":secret").getBytes(StandardCharsets.UTF_8));
			return Map.of("Authorization", "Basic " + text);
		}

	}

	/**
	 * What is asked for.
	 */
	record Order(int amount) {
	}

	/**
	 * What is answered.
	 */
	record Sale(UUID id, int amount) {
	}

}
