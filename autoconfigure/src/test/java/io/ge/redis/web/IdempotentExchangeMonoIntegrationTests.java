/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import java.io.InputStream;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

import io.ge.redis.idempotency.FailureWithoutTransaction;
import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.idempotency.OnDuplicate;
import io.ge.redis.ratelimit.RateLimited;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.aop.Advisor;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.core.io.Resource;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.stereotype.Service;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.multipart.MultipartFile;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.View;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Handlers on Spring MVC that return publishers.
 */
class IdempotentExchangeMonoIntegrationTests extends IdempotentExchangeLaterContract {

	private static ConfigurableApplicationContext application;

	@BeforeAll
	static void startApplication() {
		application = start(Configured.class, "ge.redis.idempotency.witness=off");
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@Override
	ConfigurableApplicationContext application() {
		return application;
	}

	@Override
	ConfigurableApplicationContext another(String... properties) {
		return start(Configured.class, properties);
	}

	@Test
	void valuesThatAreCollectedAreRepeated() {
		assertRepeated("several");
		assertThat(text(post("/several", "k"))).isEqualTo("[{\"id\":1,\"amount\":1.50},{\"id\":7,\"amount\":2.00}]");
	}

	@Test
	void responseInPiecesIsSentAsItComesAndLost() throws Exception {
		HttpResponse<InputStream> response = CLIENT.send(
				request("/pieces", "k").header("Accept", "application/x-ndjson").build(),
				HttpResponse.BodyHandlers.ofInputStream());
		byte[] first = "{\"id\":1,\"amount\":1.50}\n".getBytes(StandardCharsets.UTF_8);
		assertThat(response.body().readNBytes(first.length)).isEqualTo(first);
		assertProblem(post("/pieces", "k"), 409, "request-in-flight");
		leave().countDown();
		assertThat(response.body().readAllBytes()).asString().contains("\"id\":2");
		await().atMost(Duration.ofSeconds(10))
			.untilAsserted(() -> assertProblem(post("/pieces", "k"), 409, "response-lost"));
		assertThat(effects()).isEqualTo(2);
	}

	@Test
	void responseInPiecesIsCancelledWithItsClient() throws Exception {
		try (Socket socket = new Socket("localhost", port())) {
			socket.getOutputStream()
				.write(("POST /endless HTTP/1.1\r\nHost: localhost\r\nIdempotency-Key: k\r\nContent-Length: 0\r\n"
						+ "Accept: application/x-ndjson\r\n\r\n")
					.getBytes(StandardCharsets.US_ASCII));
			assertThat(entered().await(10, TimeUnit.SECONDS)).isTrue();
			socket.getInputStream().read();
			socket.setSoLinger(true, 0);
		}
		assertThat(work().cancelled.await(10, TimeUnit.SECONDS)).isTrue();
		await().atMost(Duration.ofSeconds(10))
			.untilAsserted(() -> assertProblem(post("/endless", "k"), 409, "outcome-unknown"));
	}

	@ResponseStatus(HttpStatus.GONE)
	static class GoneException extends RuntimeException {

	}

	@Controller
	@ResponseBody
	@RequestMapping(method = { RequestMethod.POST, RequestMethod.PUT, RequestMethod.HEAD })
	static class Desk {

		private final Work work;

		private final Inner inner;

		private final TransactionTemplate transactions;

		Desk(Work work, Inner inner, PlatformTransactionManager transactions) {
			this.work = work;
			this.inner = inner;
			this.transactions = new TransactionTemplate(transactions);
		}

		static <T> Mono<T> later(Callable<T> task) {
			return Mono.fromCallable(task).subscribeOn(Schedulers.boundedElastic());
		}

		@RequestMapping("/value")
		@Idempotent
		public Mono<Sale> value() {
			return later(this.work::sale);
		}

		@RequestMapping("/created")
		@Idempotent
		public Mono<ResponseEntity<Sale>> created() {
			return later(this.work::created);
		}

		@RequestMapping("/nothing")
		@Idempotent
		public Mono<ResponseEntity<Void>> nothing() {
			return later(this.work::nothing);
		}

		@RequestMapping("/accepted")
		@ResponseStatus(HttpStatus.ACCEPTED)
		@Idempotent
		public Mono<Void> accepted() {
			return later(() -> {
				this.work.effect();
				return null;
			});
		}

		@RequestMapping("/text")
		@Idempotent
		public Mono<String> text() {
			return later(() -> "text \u00e4 " + this.work.effect());
		}

		@RequestMapping("/written")
		@Idempotent
		public Mono<Void> written(HttpServletResponse response) {
			return later(() -> this.work.written(response));
		}

		@RequestMapping("/bytes")
		@Idempotent
		public Mono<ResponseEntity<byte[]>> bytes() {
			return later(this.work::bytes);
		}

		@RequestMapping("/zipped")
		@Idempotent
		public Mono<ResponseEntity<byte[]>> zipped() {
			return later(this.work::zipped);
		}

		@RequestMapping("/file")
		@Idempotent
		public Mono<ResponseEntity<Resource>> file() {
			return later(this.work::file);
		}

		@RequestMapping("/entity")
		@Idempotent
		public Mono<HttpEntity<String>> entity() {
			return later(this.work::entity);
		}

		@RequestMapping("/object")
		@Idempotent
		public Mono<Object> object() {
			return later(() -> Map.of("id", this.work.effect()));
		}

		@RequestMapping("/unreadable")
		@Idempotent
		public Mono<WriteOnly> unreadable() {
			return later(() -> new WriteOnly("te", "xt " + this.work.effect()));
		}

		@RequestMapping("/exception")
		@Idempotent
		public Mono<String> exception() {
			return later(() -> this.work.fail(() -> new IllegalArgumentException("no such thing")));
		}

		@RequestMapping("/not-found")
		@Idempotent
		public Mono<Sale> notFound() {
			return later(() -> this.work
				.fail(() -> new ResponseStatusException(HttpStatus.NOT_FOUND, "There is no such sale")));
		}

		@RequestMapping("/gone")
		@Idempotent
		public Mono<Void> gone() {
			return later(() -> this.work.fail(() -> new GoneException()));
		}

		// For the result of a handler with @ResponseStatus(reason = ...) Spring does not
		// wait
		@RequestMapping("/reason")
		@Idempotent
		public Mono<Void> reason() {
			return later(() -> this.work.fail(() -> new ResponseStatusException(HttpStatus.LOCKED, "Locked")));
		}

		@RequestMapping("/listed")
		@Idempotent(storeExceptions = ConflictException.class)
		public Mono<String> listed() {
			return later(() -> this.work.fail(() -> new ConflictException("not enough left")));
		}

		@RequestMapping("/returned-conflict")
		@Idempotent
		public Mono<ResponseEntity<String>> returnedConflict() {
			return later(() -> {
				this.work.effect();
				return ResponseEntity.status(409).body("later");
			});
		}

		@RequestMapping("/unavailable")
		@Idempotent
		public Mono<String> unavailable() {
			return later(() -> this.work.fail(UnavailableException::new));
		}

		@RequestMapping("/envelope")
		@Idempotent
		public Mono<String> envelope() {
			return later(() -> this.work.fail(EnvelopeException::new));
		}

		@RequestMapping("/failure")
		@Idempotent
		public Mono<String> failure() {
			return later(() -> this.work.fail(() -> new IllegalStateException("failed")));
		}

		@RequestMapping("/unwritable")
		@Idempotent
		public Mono<Unwritable> unwritable() {
			return later(() -> {
				this.work.effect();
				return new Unwritable();
			});
		}

		@RequestMapping("/slow")
		@Idempotent
		public Mono<ResponseEntity<Sale>> slow() {
			return later(this.work::slow);
		}

		@RequestMapping("/slow-large")
		@Idempotent
		public Mono<String> slowLarge() {
			return later(this.work::slowLarge);
		}

		@RequestMapping("/late")
		@Idempotent
		public Mono<String> late() {
			return later(this.work::late);
		}

		@RequestMapping("/delayed")
		@Idempotent
		public Mono<String> delayed(@RequestParam int millis) {
			return later(() -> this.work.delayed(millis));
		}

		@RequestMapping("/short-lease")
		@Idempotent(lease = "1s")
		public Mono<String> shortLease() {
			return later(this.work::late);
		}

		@RequestMapping("/waits")
		@Idempotent(onDuplicate = OnDuplicate.WAIT)
		public Mono<ResponseEntity<Sale>> waits() {
			return later(this.work::slow);
		}

		@RequestMapping("/large")
		@Idempotent
		public Mono<ResponseEntity<String>> large() {
			return later(() -> {
				this.work.effect();
				return ResponseEntity.status(201).body("x".repeat(300_000));
			});
		}

		@RequestMapping("/large-written")
		@Idempotent
		public Mono<Void> largeWritten(HttpServletResponse response) {
			return later(() -> this.work.largeWritten(response));
		}

		@RequestMapping("/orders/{id}")
		@Idempotent
		public Mono<String> orders(@PathVariable int id, @RequestBody Order order) {
			return later(() -> "order " + this.work.effect());
		}

		@RequestMapping("/reads")
		@Idempotent
		public Mono<String> reads(HttpServletRequest request) {
			return later(() -> this.work.read(request));
		}

		@RequestMapping("/form")
		@Idempotent
		public Mono<String> form(@RequestParam String a) {
			return later(() -> a + " " + this.work.effect());
		}

		@RequestMapping("/upload")
		@Idempotent
		public Mono<String> upload(@RequestParam MultipartFile file) {
			return later(() -> file.getSize() + " " + this.work.effect());
		}

		@RequestMapping("/thrown")
		@Idempotent
		public Mono<String> thrown() {
			return this.work.fail(() -> new IllegalArgumentException("no such thing"));
		}

		@RequestMapping("/surroundings")
		@Idempotent
		public Mono<String> surroundings() {
			return Mono.fromCallable(() -> this.transactions.execute((status) -> this.work.surroundings()));
		}

		@RequestMapping("/limited")
		@RateLimited(name = "later", limit = 1000, window = "1m")
		@Idempotent
		public Mono<String> limited() {
			return Mono.fromCallable(this.work::limited);
		}

		@RequestMapping("/outer")
		@Idempotent
		public Mono<String> outer() {
			this.work.effect();
			return this.inner.once("same").zipWith(this.inner.handler(), (one, other) -> one + " and " + other);
		}

		@RequestMapping("/retried")
		@Retried
		@Idempotent(onFailureWithoutTransaction = FailureWithoutTransaction.RELEASE)
		public Mono<String> retried() {
			return later(() -> {
				int attempt = this.work.effect();
				if (attempt == 1) {
					throw new ConflictException("try again");
				}
				return "attempt " + attempt;
			});
		}

		@RequestMapping("/several")
		@Idempotent
		public Flux<Sale> several() {
			return later(this.work::sale).concatWith(Mono.just(new Sale(7, new java.math.BigDecimal("2.00"))));
		}

		@RequestMapping("/pieces")
		@Idempotent
		public Flux<Sale> pieces() {
			return Flux.defer(() -> Flux.just(this.work.sale()).concatWith(later(() -> {
				this.work.pause();
				return this.work.sale();
			}))).doOnCancel(() -> this.work.cancelled.countDown());
		}

		@RequestMapping("/endless")
		@Idempotent
		public Flux<Sale> endless() {
			return Flux.defer(() -> Flux.just(this.work.sale())
				.concatWith(Flux.interval(Duration.ofMillis(20)).onBackpressureDrop().map((tick) -> {
					this.work.entered.countDown();
					return new Sale(7, new java.math.BigDecimal("2.00"));
				}))).doOnCancel(() -> this.work.cancelled.countDown());
		}

	}

	@Controller
	static class Pages {

		private final Work work;

		Pages(Work work) {
			this.work = work;
		}

		@PostMapping("/view")
		@Idempotent
		public Mono<View> view() {
			return Desk.later(this.work::page);
		}

		@PostMapping("/page")
		@Idempotent
		public Mono<ModelAndView> page() {
			return Desk.later(() -> new ModelAndView(this.work.page()));
		}

		@PostMapping("/redirect")
		@Idempotent
		public Mono<String> redirect() {
			return Desk.later(() -> "redirect:/sales/" + this.work.effect());
		}

		@PostMapping("/forward")
		@Idempotent
		public Mono<String> forward() {
			return Desk.later(() -> {
				this.work.effect();
				return "forward:/plain";
			});
		}

	}

	@Service
	@Controller
	static class Inner {

		private final Work work;

		Inner(Work work) {
			this.work = work;
		}

		@Idempotent(key = "#key")
		public Mono<String> once(String key) {
			return Desk.later(() -> "inner " + this.work.innerEffects.incrementAndGet());
		}

		@GetMapping("/inner")
		@ResponseBody
		@Idempotent(key = "'same'")
		public Mono<String> handler() {
			return Desk.later(() -> "1");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Common.class, Desk.class, Pages.class, Inner.class })
	static class Configured {

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static Advisor retried() {
			return outermost(Retried.class, (invocation) -> ((Mono<?>) Objects
				.requireNonNull(((ProxyMethodInvocation) invocation).invocableClone().proceed())).retry(1));
		}

	}

}
