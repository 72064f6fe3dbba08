// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web;

import java.io.InputStream;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.test.Wide;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.aop.Advisor;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.core.io.Resource;
import org.springframework.http.HttpEntity;
import org.springframework.http.ResponseEntity;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.multipart.MultipartFile;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.View;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Handlers on Spring MVC that return publishers.
 */
@Wide
class IdempotentExchangeMonoIntegrationTests extends IdempotentExchangeLaterContract {

	@Override
	Class<?> configuration() {
		return Configured.class;
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

	static <T> Mono<T> later(Callable<T> task) {
		return Mono.fromCallable(task).subscribeOn(Schedulers.boundedElastic());
	}

	static class Desk extends LaterDesk {

		private final Inner inner;

		private final TransactionTemplate transactions;

		Desk(LaterWork work, Inner inner, PlatformTransactionManager transactions) {
			super(work);
			this.inner = inner;
			this.transactions = new TransactionTemplate(transactions);
		}

		@Override
		public Mono<Sale> value() {
			return later(this.work::sale);
		}

		@Override
		public Mono<ResponseEntity<Sale>> created() {
			return later(this.work::created);
		}

		@Override
		public Mono<ResponseEntity<Void>> nothing() {
			return later(this.work::nothing);
		}

		@Override
		public Mono<Void> accepted() {
			return later(this.work::accepted);
		}

		@Override
		public Mono<String> text() {
			return later(this.work::text);
		}

		@Override
		public Mono<Void> written(HttpServletResponse response) {
			return later(() -> this.work.written(response));
		}

		@Override
		public Mono<ResponseEntity<byte[]>> bytes() {
			return later(this.work::bytes);
		}

		@Override
		public Mono<ResponseEntity<byte[]>> zipped() {
			return later(this.work::zipped);
		}

		@Override
		public Mono<ResponseEntity<Resource>> file() {
			return later(this.work::file);
		}

		@Override
		public Mono<HttpEntity<String>> entity() {
			return later(this.work::entity);
		}

		@Override
		public Mono<Object> object() {
			return later(this.work::object);
		}

		@Override
		public Mono<WriteOnly> unreadable() {
			return later(this.work::unreadable);
		}

		@Override
		public Mono<String> exception() {
			return later(this.work::exception);
		}

		@Override
		public Mono<Sale> notFound() {
			return later(this.work::notFound);
		}

		@Override
		public Mono<Void> gone() {
			return later(this.work::gone);
		}

		@Override
		public Mono<Void> reason() {
			return later(this.work::reason);
		}

		@Override
		public Mono<String> listed() {
			return later(this.work::listed);
		}

		@Override
		public Mono<ResponseEntity<String>> returnedConflict() {
			return later(this.work::returnedConflict);
		}

		@Override
		public Mono<String> unavailable() {
			return later(this.work::unavailable);
		}

		@Override
		public Mono<String> envelope() {
			return later(this.work::envelope);
		}

		@Override
		public Mono<String> failure() {
			return later(this.work::failure);
		}

		@Override
		public Mono<Unwritable> unwritable() {
			return later(this.work::unwritable);
		}

		@Override
		public Mono<ResponseEntity<Sale>> slow() {
			return later(this.work::slow);
		}

		@Override
		public Mono<String> slowLarge() {
			return later(this.work::slowLarge);
		}

		@Override
		public Mono<String> late() {
			return later(this.work::late);
		}

		@Override
		public Mono<String> delayed(int millis) {
			return later(() -> this.work.delayed(millis));
		}

		@Override
		public Mono<String> shortLease() {
			return later(this.work::late);
		}

		@Override
		public Mono<ResponseEntity<Sale>> waits() {
			return later(this.work::slow);
		}

		@Override
		public Mono<ResponseEntity<String>> large() {
			return later(this.work::large);
		}

		@Override
		public Mono<Void> largeWritten(HttpServletResponse response) {
			return later(() -> this.work.largeWritten(response));
		}

		@Override
		public Mono<String> orders(int id, Order order) {
			return later(this.work::order);
		}

		@Override
		public Mono<String> reads(HttpServletRequest request) {
			return later(() -> this.work.read(request));
		}

		@Override
		public Mono<String> form(String a) {
			return later(() -> this.work.form(a));
		}

		@Override
		public Mono<String> upload(MultipartFile file) {
			return later(() -> this.work.upload(file));
		}

		@Override
		public Mono<String> thrown() {
			return this.work.exception();
		}

		@Override
		public Mono<String> surroundings() {
			return Mono.fromCallable(() -> this.transactions.execute((status) -> this.work.surroundings()));
		}

		@Override
		public Mono<String> limited() {
			return Mono.fromCallable(this.work::limited);
		}

		@Override
		public Mono<String> outer() {
			this.work.effect();
			return this.inner.once("same").zipWith(this.inner.handler(), (one, other) -> one + " and " + other);
		}

		@Override
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

	static class Pages extends LaterPages {

		Pages(LaterWork work) {
			super(work);
		}

		@Override
		public Mono<View> view() {
			return later(this.work::view);
		}

		@Override
		public Mono<ModelAndView> page() {
			return later(this.work::page);
		}

		@Override
		public Mono<String> redirect() {
			return later(this.work::redirect);
		}

		@Override
		public Mono<String> forward() {
			return later(this.work::forward);
		}

	}

	static class Inner extends LaterInner {

		Inner(LaterWork work) {
			super(work);
		}

		@Override
		public Mono<String> once(String key) {
			return later(this.work::inner);
		}

		@Override
		public Mono<String> handler() {
			return later(() -> "1");
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
