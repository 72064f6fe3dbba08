/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.ge.redis.idempotency.FailureWithoutTransaction;
import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.idempotency.OnDuplicate;
import io.ge.redis.ratelimit.RateLimited;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.aopalliance.intercept.MethodInvocation;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

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
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
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
 * Handlers on Spring MVC that return futures.
 */
class IdempotentExchangeFutureIntegrationTests extends IdempotentExchangeLaterContract {

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
	void callThatCannotBeCancelledGoesOnAlthoughNobodyWaits() {
		try (ConfigurableApplicationContext impatient = another("spring.mvc.async.request-timeout=200ms",
				"ge.redis.idempotency.witness=off")) {
			Work work = impatient.getBean(Work.class);
			assertThat(send(request(impatient, "/stage", "k")).statusCode()).isEqualTo(503);
			assertProblem(send(request(impatient, "/stage", "k")), 409, "request-in-flight");
			work.leave.countDown();
			await().atMost(Duration.ofSeconds(10))
				.until(() -> send(request(impatient, "/stage", "k")).statusCode() == 200);
			HttpResponse<byte[]> again = send(request(impatient, "/stage", "k"));
			assertThat(text(again)).isEqualTo("late 1");
			assertThat(again.headers().firstValue(REPLAYED)).contains("true");
			assertThat(work.effects.get()).isEqualTo(1);
		}
	}

	@Test
	void failureThatWasRolledBackFreesTheKey() {
		for (int attempt = 1; attempt < 3; attempt++) {
			HttpResponse<byte[]> response = post("/rolled-back", "k");
			assertThat(response.statusCode()).isEqualTo(503);
			assertThat(response.headers().firstValue(REPLAYED)).isEmpty();
			assertThat(effects()).isEqualTo(attempt);
		}
		assertThat(work().rows()).isZero();
	}

	@Test
	void failureAfterACommitClosesTheKey() {
		assertThat(post("/committed", "k").statusCode()).isEqualTo(503);
		assertProblem(post("/committed", "k"), 409, "outcome-unknown");
		assertThat(work().rows()).isEqualTo(1);
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

		Desk(Work work, Inner inner) {
			this.work = work;
			this.inner = inner;
		}

		static <T> CompletableFuture<T> later(Callable<T> task) {
			CompletableFuture<T> promised = new CompletableFuture<>();
			THREAD_EACH.execute(() -> {
				try {
					promised.complete(task.call());
				}
				catch (Throwable ex) {
					promised.completeExceptionally(ex);
				}
			});
			return promised;
		}

		@RequestMapping("/value")
		@Idempotent
		public CompletableFuture<Sale> value() {
			return later(this.work::sale);
		}

		@RequestMapping("/created")
		@Idempotent
		public CompletableFuture<ResponseEntity<Sale>> created() {
			return later(this.work::created);
		}

		@RequestMapping("/nothing")
		@Idempotent
		public CompletableFuture<ResponseEntity<Void>> nothing() {
			return later(this.work::nothing);
		}

		@RequestMapping("/accepted")
		@ResponseStatus(HttpStatus.ACCEPTED)
		@Idempotent
		public CompletableFuture<Void> accepted() {
			return later(() -> {
				this.work.effect();
				return null;
			});
		}

		@RequestMapping("/text")
		@Idempotent
		public CompletableFuture<String> text() {
			return later(() -> "text \u00e4 " + this.work.effect());
		}

		@RequestMapping("/written")
		@Idempotent
		public CompletableFuture<Void> written(HttpServletResponse response) {
			return later(() -> this.work.written(response));
		}

		@RequestMapping("/bytes")
		@Idempotent
		public CompletableFuture<ResponseEntity<byte[]>> bytes() {
			return later(this.work::bytes);
		}

		@RequestMapping("/zipped")
		@Idempotent
		public CompletableFuture<ResponseEntity<byte[]>> zipped() {
			return later(this.work::zipped);
		}

		@RequestMapping("/file")
		@Idempotent
		public CompletableFuture<ResponseEntity<Resource>> file() {
			return later(this.work::file);
		}

		@RequestMapping("/entity")
		@Idempotent
		public CompletableFuture<HttpEntity<String>> entity() {
			return later(this.work::entity);
		}

		@RequestMapping("/object")
		@Idempotent
		public CompletableFuture<Object> object() {
			return later(() -> Map.of("id", this.work.effect()));
		}

		@RequestMapping("/unreadable")
		@Idempotent
		public CompletableFuture<WriteOnly> unreadable() {
			return later(() -> new WriteOnly("te", "xt " + this.work.effect()));
		}

		@RequestMapping("/exception")
		@Idempotent
		public CompletableFuture<String> exception() {
			return later(() -> this.work.fail(() -> new IllegalArgumentException("no such thing")));
		}

		@RequestMapping("/not-found")
		@Idempotent
		public CompletableFuture<Sale> notFound() {
			return later(() -> this.work
				.fail(() -> new ResponseStatusException(HttpStatus.NOT_FOUND, "There is no such sale")));
		}

		@RequestMapping("/gone")
		@Idempotent
		public CompletableFuture<Void> gone() {
			return later(() -> this.work.fail(() -> new GoneException()));
		}

		// For the result of a handler with @ResponseStatus(reason = ...) Spring does not
		// wait
		@RequestMapping("/reason")
		@Idempotent
		public CompletableFuture<Void> reason() {
			return later(() -> this.work.fail(() -> new ResponseStatusException(HttpStatus.LOCKED, "Locked")));
		}

		@RequestMapping("/listed")
		@Idempotent(storeExceptions = ConflictException.class)
		public CompletableFuture<String> listed() {
			return later(() -> this.work.fail(() -> new ConflictException("not enough left")));
		}

		@RequestMapping("/returned-conflict")
		@Idempotent
		public CompletableFuture<ResponseEntity<String>> returnedConflict() {
			return later(() -> {
				this.work.effect();
				return ResponseEntity.status(409).body("later");
			});
		}

		@RequestMapping("/unavailable")
		@Idempotent
		public CompletableFuture<String> unavailable() {
			return later(() -> this.work.fail(UnavailableException::new));
		}

		@RequestMapping("/envelope")
		@Idempotent
		public CompletableFuture<String> envelope() {
			return later(() -> this.work.fail(EnvelopeException::new));
		}

		@RequestMapping("/failure")
		@Idempotent
		public CompletableFuture<String> failure() {
			return later(() -> this.work.fail(() -> new IllegalStateException("failed")));
		}

		@RequestMapping("/unwritable")
		@Idempotent
		public CompletableFuture<Unwritable> unwritable() {
			return later(() -> {
				this.work.effect();
				return new Unwritable();
			});
		}

		@RequestMapping("/slow")
		@Idempotent
		public CompletableFuture<ResponseEntity<Sale>> slow() {
			return later(this.work::slow);
		}

		@RequestMapping("/slow-large")
		@Idempotent
		public CompletableFuture<String> slowLarge() {
			return later(this.work::slowLarge);
		}

		@RequestMapping("/late")
		@Idempotent
		public CompletableFuture<String> late() {
			return later(this.work::late);
		}

		@RequestMapping("/delayed")
		@Idempotent
		public CompletableFuture<String> delayed(@RequestParam int millis) {
			return later(() -> this.work.delayed(millis));
		}

		@RequestMapping("/short-lease")
		@Idempotent(lease = "1s")
		public CompletableFuture<String> shortLease() {
			return later(this.work::late);
		}

		@RequestMapping("/waits")
		@Idempotent(onDuplicate = OnDuplicate.WAIT)
		public CompletableFuture<ResponseEntity<Sale>> waits() {
			return later(this.work::slow);
		}

		@RequestMapping("/large")
		@Idempotent
		public CompletableFuture<ResponseEntity<String>> large() {
			return later(() -> {
				this.work.effect();
				return ResponseEntity.status(201).body("x".repeat(300_000));
			});
		}

		@RequestMapping("/large-written")
		@Idempotent
		public CompletableFuture<Void> largeWritten(HttpServletResponse response) {
			return later(() -> this.work.largeWritten(response));
		}

		@RequestMapping("/orders/{id}")
		@Idempotent
		public CompletableFuture<String> orders(@PathVariable int id, @RequestBody Order order) {
			return later(() -> "order " + this.work.effect());
		}

		@RequestMapping("/reads")
		@Idempotent
		public CompletableFuture<String> reads(HttpServletRequest request) {
			return later(() -> this.work.read(request));
		}

		@RequestMapping("/form")
		@Idempotent
		public CompletableFuture<String> form(@RequestParam String a) {
			return later(() -> a + " " + this.work.effect());
		}

		@RequestMapping("/upload")
		@Idempotent
		public CompletableFuture<String> upload(@RequestParam MultipartFile file) {
			return later(() -> file.getSize() + " " + this.work.effect());
		}

		@RequestMapping("/thrown")
		@Idempotent
		public CompletableFuture<String> thrown() {
			return this.work.fail(() -> new IllegalArgumentException("no such thing"));
		}

		@RequestMapping("/surroundings")
		@Transactional
		@Idempotent
		public CompletionStage<String> surroundings() {
			return CompletableFuture.completedFuture(this.work.surroundings());
		}

		@RequestMapping("/limited")
		@RateLimited(name = "later", limit = 1000, window = "1m")
		@Idempotent
		public CompletableFuture<String> limited() {
			return CompletableFuture.completedFuture(this.work.limited());
		}

		@RequestMapping("/outer")
		@Idempotent
		public CompletableFuture<String> outer() {
			this.work.effect();
			return this.inner.once("same").thenCombine(this.inner.handler(), (one, other) -> one + " and " + other);
		}

		@RequestMapping("/retried")
		@Retried
		@Idempotent(onFailureWithoutTransaction = FailureWithoutTransaction.RELEASE)
		public CompletableFuture<String> retried() {
			int attempt = this.work.effect();
			return (attempt == 1) ? CompletableFuture.failedFuture(new ConflictException("try again"))
					: later(() -> "attempt " + attempt);
		}

		@RequestMapping("/stage")
		@Idempotent
		public CompletionStage<String> stage() {
			return later(this.work::late).minimalCompletionStage();
		}

		@RequestMapping("/rolled-back")
		@Transactional
		@Idempotent
		public CompletableFuture<String> rolledBack() {
			this.work.row();
			return CompletableFuture.failedFuture(new UnavailableException());
		}

		@RequestMapping("/committed")
		@Transactional
		@Idempotent
		public CompletableFuture<String> committed() {
			this.work.row();
			CompletableFuture<String> promised = new CompletableFuture<>();
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCompletion(int status) {
					THREAD_EACH.execute(() -> promised.completeExceptionally(new UnavailableException()));
				}

			});
			return promised;
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
		public CompletableFuture<View> view() {
			return Desk.later(this.work::page);
		}

		@PostMapping("/page")
		@Idempotent
		public CompletableFuture<ModelAndView> page() {
			return Desk.later(() -> new ModelAndView(this.work.page()));
		}

		@PostMapping("/redirect")
		@Idempotent
		public CompletableFuture<String> redirect() {
			return Desk.later(() -> "redirect:/sales/" + this.work.effect());
		}

		@PostMapping("/forward")
		@Idempotent
		public CompletableFuture<String> forward() {
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
		public CompletableFuture<String> once(String key) {
			return Desk.later(() -> "inner " + this.work.innerEffects.incrementAndGet());
		}

		@GetMapping("/inner")
		@ResponseBody
		@Idempotent(key = "'same'")
		public CompletableFuture<String> handler() {
			return Desk.later(() -> "1");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Common.class, Desk.class, Pages.class, Inner.class })
	static class Configured {

		private static CompletionStage<?> again(MethodInvocation invocation, Throwable failure) {
			try {
				return (CompletionStage<?>) invocation.proceed();
			}
			catch (Throwable ex) {
				return CompletableFuture.failedFuture(ex);
			}
		}

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static Advisor retried() {
			return outermost(Retried.class,
					(invocation) -> ((CompletableFuture<?>) Objects
						.requireNonNull(((ProxyMethodInvocation) invocation).invocableClone().proceed()))
						.handle((value, failure) -> failure)
						.thenCompose((failure) -> again(invocation, failure)));
		}

	}

}
