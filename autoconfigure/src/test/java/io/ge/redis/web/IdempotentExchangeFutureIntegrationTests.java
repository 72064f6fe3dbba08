// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.test.Wide;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.aopalliance.intercept.MethodInvocation;
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
import org.springframework.http.ResponseEntity;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.multipart.MultipartFile;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.View;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Handlers on Spring MVC that return futures.
 */
@Wide
class IdempotentExchangeFutureIntegrationTests extends IdempotentExchangeLaterContract {

	@Override
	Class<?> configuration() {
		return Configured.class;
	}

	@Test
	void callThatCannotBeCancelledGoesOnAlthoughNobodyWaits() {
		try (ConfigurableApplicationContext impatient = another("spring.mvc.async.request-timeout=200ms",
				"ge.redis.idempotency.witness=off")) {
			LaterWork work = impatient.getBean(LaterWork.class);
			String key = begunAndLeft(impatient, "/stage");
			await().atMost(Duration.ofSeconds(10))
				.untilAsserted(() -> assertProblem(send(request(impatient, "/stage", key)), 409, "request-in-flight"));
			work.leave.countDown();
			await().atMost(Duration.ofSeconds(10))
				.until(() -> send(request(impatient, "/stage", key)).statusCode() == 200);
			HttpResponse<byte[]> again = send(request(impatient, "/stage", key));
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

	static class Desk extends LaterDesk {

		private final Inner inner;

		Desk(LaterWork work, Inner inner) {
			super(work);
			this.inner = inner;
		}

		@Override
		public CompletableFuture<Sale> value() {
			return later(this.work::sale);
		}

		@Override
		public CompletableFuture<ResponseEntity<Sale>> created() {
			return later(this.work::created);
		}

		@Override
		public CompletableFuture<ResponseEntity<Void>> nothing() {
			return later(this.work::nothing);
		}

		@Override
		public CompletableFuture<Void> accepted() {
			return later(this.work::accepted);
		}

		@Override
		public CompletableFuture<String> text() {
			return later(this.work::text);
		}

		@Override
		public CompletableFuture<Void> written(HttpServletResponse response) {
			return later(() -> this.work.written(response));
		}

		@Override
		public CompletableFuture<ResponseEntity<byte[]>> bytes() {
			return later(this.work::bytes);
		}

		@Override
		public CompletableFuture<ResponseEntity<byte[]>> zipped() {
			return later(this.work::zipped);
		}

		@Override
		public CompletableFuture<ResponseEntity<Resource>> file() {
			return later(this.work::file);
		}

		@Override
		public CompletableFuture<HttpEntity<String>> entity() {
			return later(this.work::entity);
		}

		@Override
		public CompletableFuture<Object> object() {
			return later(this.work::object);
		}

		@Override
		public CompletableFuture<WriteOnly> unreadable() {
			return later(this.work::unreadable);
		}

		@Override
		public CompletableFuture<String> exception() {
			return later(this.work::exception);
		}

		@Override
		public CompletableFuture<Sale> notFound() {
			return later(this.work::notFound);
		}

		@Override
		public CompletableFuture<Void> gone() {
			return later(this.work::gone);
		}

		@Override
		public CompletableFuture<Void> reason() {
			return later(this.work::reason);
		}

		@Override
		public CompletableFuture<String> listed() {
			return later(this.work::listed);
		}

		@Override
		public CompletableFuture<ResponseEntity<String>> returnedConflict() {
			return later(this.work::returnedConflict);
		}

		@Override
		public CompletableFuture<String> unavailable() {
			return later(this.work::unavailable);
		}

		@Override
		public CompletableFuture<String> envelope() {
			return later(this.work::envelope);
		}

		@Override
		public CompletableFuture<String> failure() {
			return later(this.work::failure);
		}

		@Override
		public CompletableFuture<Unwritable> unwritable() {
			return later(this.work::unwritable);
		}

		@Override
		public CompletableFuture<ResponseEntity<Sale>> slow() {
			return later(this.work::slow);
		}

		@Override
		public CompletableFuture<String> slowLarge() {
			return later(this.work::slowLarge);
		}

		@Override
		public CompletableFuture<String> late() {
			return later(this.work::late);
		}

		@Override
		public CompletableFuture<String> delayed(int millis) {
			return later(() -> this.work.delayed(millis));
		}

		@Override
		public CompletableFuture<String> shortLease() {
			return later(this.work::late);
		}

		@Override
		public CompletableFuture<ResponseEntity<Sale>> waits() {
			return later(this.work::slow);
		}

		@Override
		public CompletableFuture<ResponseEntity<String>> large() {
			return later(this.work::large);
		}

		@Override
		public CompletableFuture<Void> largeWritten(HttpServletResponse response) {
			return later(() -> this.work.largeWritten(response));
		}

		@Override
		public CompletableFuture<String> orders(int id, Order order) {
			return later(this.work::order);
		}

		@Override
		public CompletableFuture<String> reads(HttpServletRequest request) {
			return later(() -> this.work.read(request));
		}

		@Override
		public CompletableFuture<String> form(String a) {
			return later(() -> this.work.form(a));
		}

		@Override
		public CompletableFuture<String> upload(MultipartFile file) {
			return later(() -> this.work.upload(file));
		}

		@Override
		public CompletableFuture<String> thrown() {
			return this.work.exception();
		}

		@Override
		@Transactional
		public CompletionStage<String> surroundings() {
			return CompletableFuture.completedFuture(this.work.surroundings());
		}

		@Override
		public CompletableFuture<String> limited() {
			return CompletableFuture.completedFuture(this.work.limited());
		}

		@Override
		public CompletableFuture<String> outer() {
			this.work.effect();
			return this.inner.once("same").thenCombine(this.inner.handler(), (one, other) -> one + " and " + other);
		}

		@Override
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

	static class Pages extends LaterPages {

		Pages(LaterWork work) {
			super(work);
		}

		@Override
		public CompletableFuture<View> view() {
			return later(this.work::view);
		}

		@Override
		public CompletableFuture<ModelAndView> page() {
			return later(this.work::page);
		}

		@Override
		public CompletableFuture<String> redirect() {
			return later(this.work::redirect);
		}

		@Override
		public CompletableFuture<String> forward() {
			return later(this.work::forward);
		}

	}

	static class Inner extends LaterInner {

		Inner(LaterWork work) {
			super(work);
		}

		@Override
		public CompletableFuture<String> once(String key) {
			return later(this.work::inner);
		}

		@Override
		public CompletableFuture<String> handler() {
			return later(() -> "1");
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
