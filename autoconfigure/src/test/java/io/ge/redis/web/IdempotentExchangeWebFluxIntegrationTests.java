// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.ge.redis.idempotency.FailureWithoutTransaction;
import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.idempotency.OnDuplicate;
import io.ge.redis.test.Wide;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.NonBlocking;
import reactor.core.scheduler.Schedulers;

import org.springframework.aop.Advisor;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.core.io.FileSystemResource;
import org.springframework.core.io.Resource;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.client.ReactorResourceFactory;
import org.springframework.http.codec.multipart.FilePart;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import org.springframework.security.access.prepost.PostAuthorize;
import org.springframework.security.config.annotation.method.configuration.EnableReactiveMethodSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.stereotype.Controller;
import org.springframework.stereotype.Service;
import org.springframework.test.util.AopTestUtils;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RequestPart;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.reactive.result.view.View;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Responses that are kept as they were sent, on WebFlux.
 */
@Wide
class IdempotentExchangeWebFluxIntegrationTests extends IdempotentExchangeContract {

	@TempDir
	private static Path directory;

	private Desk desk;

	@BeforeAll
	void findDesk() {
		this.desk = AopTestUtils.getUltimateTargetObject(application().getBean(Desk.class));
	}

	@Override
	Class<?> configuration() {
		return Configured.class;
	}

	@ParameterizedTest
	@ValueSource(strings = { "value", "created", "exception" })
	void repetitionOnAnEventLoopIsTheSame(String path) {
		assertRepeated(path);
	}

	@Override
	@Test
	void callIsInFlightUntilItHasEnded() throws Exception {
		super.callIsInFlightUntilItHasEnded();
	}

	@Override
	Stream<String> server() {
		return Stream.of("spring.main.web-application-type=reactive", "spring.webflux.problemdetails.enabled=true",
				"logging.level.org.springframework.boot.webflux.autoconfigure.error=OFF",
				"logging.level.org.springframework.web.server.adapter.HttpWebHandlerAdapter=OFF",
				"logging.level.org.springframework.web.HttpLogging=OFF");
	}

	@Override
	ConfigurableApplicationContext first() {
		return another();
	}

	@Override
	void reset() {
		this.desk.reset();
	}

	@Override
	int effects() {
		return this.desk.effects.get();
	}

	@Override
	CountDownLatch entered() {
		return this.desk.entered;
	}

	@Override
	CountDownLatch leave() {
		return this.desk.leave;
	}

	@ParameterizedTest
	@ValueSource(strings = { "several", "several-texts", "disk", "view", "written-and-refused", "written-in-vain" })
	void repetitionGetsTheSameWhateverMadeTheResponse(String path) {
		assertRepeated(path);
	}

	@Test
	void filterWithoutAnOrderSeesTheResponse() {
		for (int call = 0; call < 2; call++) {
			Watched.seen = "";
			send(request("/created", "k").header("X-Watched", "true"));
			await().until(() -> !Watched.seen.isEmpty());
			assertThat(Watched.seen).isEqualTo("201 CREATED {\"id\":1,\"amount\":1.50}");
		}
	}

	@Test
	void responseInPiecesIsSentAsItComesAndLost() throws Exception {
		HttpResponse<InputStream> response = CLIENT.send(
				request("/pieces", "k").header("Accept", "application/x-ndjson").build(),
				HttpResponse.BodyHandlers.ofInputStream());
		byte[] first = "{\"id\":1,\"amount\":1.50}\n".getBytes(StandardCharsets.UTF_8);
		assertThat(response.body().readNBytes(first.length)).isEqualTo(first);
		assertProblem(post("/pieces", "k"), 409, "request-in-flight");
		this.desk.leave.countDown();
		assertThat(response.body().readAllBytes()).asString().contains("\"id\":2");
		await().atMost(Duration.ofSeconds(10))
			.untilAsserted(() -> assertProblem(post("/pieces", "k"), 409, "response-lost"));
	}

	@Test
	void responseInPiecesIsCancelledWithItsClient() throws Exception {
		try (Socket socket = new Socket("localhost", port())) {
			socket.getOutputStream()
				.write(("POST /pieces HTTP/1.1\r\nHost: localhost\r\nIdempotency-Key: k\r\nContent-Length: 0\r\n"
						+ "Accept: application/x-ndjson\r\n\r\n")
					.getBytes(StandardCharsets.US_ASCII));
			assertThat(this.desk.entered.await(10, TimeUnit.SECONDS)).isTrue();
			socket.getInputStream().read();
			socket.setSoLinger(true, 0);
		}
		assertThat(this.desk.cancelled.await(10, TimeUnit.SECONDS)).isTrue();
		await().atMost(Duration.ofSeconds(10))
			.untilAsserted(() -> assertProblem(post("/pieces", "k"), 409, "outcome-unknown"));
	}

	@Test
	void callGoesOnAlthoughAFilterDoesNotWaitForIt() {
		HttpResponse<byte[]> first = send(request("/slow", "k").header("X-Impatient", "true"));
		assertThat(first.statusCode()).isEqualTo(504);
		this.desk.leave.countDown();
		await().atMost(Duration.ofSeconds(10)).until(() -> post("/slow", "k").statusCode() == 201);
		assertThat(effects()).isEqualTo(1);
	}

	@Test
	void whoIsRefusedBeforeTheGuardHasNoCall() {
		HttpResponse<byte[]> refused = send(request("/value", "k").header("Accept", "text/csv"));
		assertThat(refused.statusCode()).isEqualTo(406);
		assertThat(post("/value", "k").headers().firstValue(REPLAYED)).isEmpty();
		assertThat(effects()).isEqualTo(1);
	}

	@Test
	void valueIsRenderedAnewWhereTheResponseCouldNotBeMade() {
		HttpResponse<byte[]> first = send(request("/created", "k").header("Accept", "text/csv"));
		assertThat(first.statusCode()).isEqualTo(406);
		HttpResponse<byte[]> again = post("/created", "k");
		assertThat(again.statusCode()).isEqualTo(201);
		assertThat(again.headers().firstValue(REPLAYED)).contains("true");
		assertThat(text(again)).isEqualTo("{\"id\":1,\"amount\":1.50}");
		assertThat(effects()).isEqualTo(1);
	}

	@Test
	void checkOfTheResultSeesWhatIsGivenAgain() {
		HttpResponse<byte[]> first = post("/checked", "k");
		assertThat(text(first)).isEqualTo("{\"id\":1,\"amount\":1.50}");
		HttpResponse<byte[]> again = post("/checked", "k");
		assertThat(again.body()).isEqualTo(first.body());
		assertThat(again.headers().firstValue(REPLAYED)).contains("true");
		assertThat(post("/checked", "k-2").statusCode()).isEqualTo(401);
		assertThat(post("/checked", "k-2").statusCode()).isEqualTo(401);
		assertThat(effects()).isEqualTo(2);
	}

	@Test
	void withoutKeyTheBodyIsLeftToTheHandler() {
		String large = "x".repeat(5000);
		assertThat(text(send(HttpRequest.newBuilder(uri(application(), "/reads-without-key"))
			.POST(HttpRequest.BodyPublishers.ofString(large))))).isEqualTo(large + " 1");
		assertThat(text(send(request("/reads-by-itself", "k").POST(HttpRequest.BodyPublishers.ofString(large)))))
			.isEqualTo(large + " 2");
	}

	@Test
	void bodyThatAFilterHasReadIsComparedWhoeverNamesTheKey() {
		for (String path : List.of("/reads", "/reads-by-own-key")) {
			assertThat(text(readByFilter(path, "abc"))).isEqualTo("abc " + effects());
			assertThat(readByFilter(path, "abc").headers().firstValue(REPLAYED)).contains("true");
			assertProblem(readByFilter(path, "abd"), 422, "idempotency-key-reused");
		}
		assertThat(effects()).isEqualTo(2);
	}

	private HttpResponse<byte[]> readByFilter(String path, String body) {
		HttpRequest.Builder request = HttpRequest.newBuilder(uri(application(), path))
			.header("X-Read", "true")
			.POST(HttpRequest.BodyPublishers.ofString(body));
		return send(path.equals("/reads") ? request.header("Idempotency-Key", "k") : request);
	}

	@Test
	void formsThatNobodyHasReadYetAreComparedByTheirParameters() {
		assertThat(text(form("/late-form", "k", "a=1&b=%C3%A4"))).isEqualTo("1 1");
		assertThat(form("/late-form", "k", "b=%c3%a4&a=1").headers().firstValue(REPLAYED)).contains("true");
		assertProblem(form("/late-form", "k", "a=1&b=3"), 422, "idempotency-key-reused");
	}

	@Test
	void eventLoopIsNeverBlocked() {
		post("/loop", "k");
		assertThat(text(post("/loop", "k"))).isEqualTo("true");
	}

	record Form(String a) {
	}

	@Controller
	@ResponseBody
	@RequestMapping(method = { RequestMethod.POST, RequestMethod.PUT, RequestMethod.HEAD })
	static class Desk {

		private final AtomicInteger effects = new AtomicInteger();

		private final Inner inner;

		volatile CountDownLatch entered = new CountDownLatch(1);

		volatile CountDownLatch leave = new CountDownLatch(1);

		volatile CountDownLatch cancelled = new CountDownLatch(1);

		Desk(Inner inner) {
			this.inner = inner;
		}

		void reset() {
			this.effects.set(0);
			this.inner.reset();
			this.entered = new CountDownLatch(1);
			this.leave = new CountDownLatch(1);
			this.cancelled = new CountDownLatch(1);
		}

		private int effect() {
			return this.effects.incrementAndGet();
		}

		private Sale sale() {
			return ExchangedSales.sale(effect());
		}

		private Mono<Void> left() {
			return Mono.<Void>fromRunnable(() -> {
				this.entered.countDown();
				try {
					this.leave.await(10, TimeUnit.SECONDS);
				}
				catch (InterruptedException ex) {
					throw new IllegalStateException(ex);
				}
			}).subscribeOn(Schedulers.boundedElastic());
		}

		@RequestMapping("/value")
		@Idempotent
		public Mono<Sale> value() {
			return Mono.fromCallable(this::sale);
		}

		@RequestMapping("/created")
		@Idempotent
		public Mono<ResponseEntity<Sale>> created() {
			return Mono.fromCallable(() -> ExchangedSales.created(effect()));
		}

		@RequestMapping("/checked")
		@PostAuthorize("returnObject.id == 1")
		@Idempotent
		public Mono<Sale> checked() {
			return Mono.fromCallable(this::sale);
		}

		@RequestMapping("/nothing")
		@Idempotent
		public Mono<ResponseEntity<Void>> nothing() {
			return Mono.fromCallable(() -> {
				effect();
				return ResponseEntity.noContent().build();
			});
		}

		@RequestMapping("/accepted")
		@ResponseStatus(HttpStatus.ACCEPTED)
		@Idempotent
		public Mono<Void> accepted() {
			return Mono.fromRunnable(this::effect);
		}

		@RequestMapping("/text")
		@Idempotent
		public Mono<String> text() {
			return Mono.fromCallable(() -> "text \u00e4 " + effect());
		}

		@RequestMapping("/several")
		@Idempotent
		public Flux<Sale> several() {
			return Flux.defer(() -> Flux.just(sale(), new Sale(7, new java.math.BigDecimal("2.00"))));
		}

		@RequestMapping("/several-texts")
		@Idempotent
		public Flux<String> severalTexts() {
			return Flux.defer(() -> Flux.just("text " + effect(), " and \u00e4"));
		}

		@RequestMapping("/pieces")
		@Idempotent
		public Flux<Sale> pieces() {
			return Flux.defer(() -> Flux.just(sale()).concatWith(left().thenMany(Flux.just(1).map((one) -> sale()))))
				.doOnCancel(() -> this.cancelled.countDown());
		}

		@RequestMapping("/written")
		@Idempotent
		public Mono<Void> written(ServerWebExchange exchange) {
			exchange.getResponse().setStatusCode(HttpStatus.CREATED);
			exchange.getResponse().getHeaders().setContentType(MediaType.APPLICATION_OCTET_STREAM);
			return exchange.getResponse()
				.writeWith(Flux.defer(() -> Flux.just(new byte[] { 0, (byte) 0xff }, new byte[] { (byte) effect() })
					.map(exchange.getResponse().bufferFactory()::wrap)));
		}

		@RequestMapping("/written-and-refused")
		@Idempotent
		public Mono<Void> writtenAndRefused(ServerWebExchange exchange) {
			return Mono.error(() -> new IllegalArgumentException("no such thing " + effect()));
		}

		@RequestMapping("/written-in-vain")
		@Idempotent
		public Mono<Void> writtenInVain(ServerWebExchange exchange) {
			return exchange.getResponse()
				.writeWith(Mono.fromCallable(() -> exchange.getResponse().bufferFactory().wrap(new byte[] { 1 })))
				.then(Mono.error(() -> new IllegalArgumentException("no such thing " + effect())));
		}

		@RequestMapping("/bytes")
		@Idempotent
		public Mono<ResponseEntity<byte[]>> bytes() {
			return Mono.fromCallable(() -> ExchangedSales.bytes(effect()));
		}

		@RequestMapping("/zipped")
		@Idempotent
		public Mono<ResponseEntity<byte[]>> zipped() {
			return Mono.fromCallable(() -> ExchangedSales.zipped(effect()));
		}

		@RequestMapping("/file")
		@Idempotent
		public Mono<ResponseEntity<Resource>> file() {
			return Mono.fromCallable(() -> ExchangedSales.file(effect()));
		}

		@RequestMapping("/disk")
		@Idempotent
		public Mono<Resource> disk() {
			return Mono.fromCallable(
					() -> new FileSystemResource(Files.writeString(directory.resolve("file.txt"), "disk " + effect())));
		}

		@RequestMapping("/entity")
		@Idempotent
		public Mono<HttpEntity<String>> entity() {
			return Mono.fromCallable(() -> ExchangedSales.entity(effect()));
		}

		@RequestMapping("/object")
		@Idempotent
		public Mono<Object> object() {
			return Mono.fromCallable(() -> Map.of("id", effect()));
		}

		@RequestMapping("/unreadable")
		@Idempotent
		public Mono<WriteOnly> unreadable() {
			return Mono.fromCallable(() -> new WriteOnly("te", "xt " + effect()));
		}

		@RequestMapping("/exception")
		@Idempotent
		public Mono<String> exception() {
			return Mono.error(() -> {
				effect();
				return new IllegalArgumentException("no such thing");
			});
		}

		@RequestMapping("/not-found")
		@Idempotent
		public Mono<Sale> notFound() {
			return Mono.error(() -> new ResponseStatusException(HttpStatus.NOT_FOUND, "There is no sale " + effect()));
		}

		@RequestMapping("/gone")
		@Idempotent
		public Mono<Sale> gone() {
			effect();
			throw new GoneException();
		}

		@RequestMapping("/reason")
		@ResponseStatus(code = HttpStatus.LOCKED, reason = "Locked")
		@Idempotent
		public Mono<Void> reason() {
			return Mono.fromRunnable(this::effect);
		}

		@RequestMapping("/listed")
		@Idempotent(storeExceptions = ConflictException.class)
		public Mono<String> listed() {
			return Mono.error(() -> new ConflictException("not enough left " + effect()));
		}

		@RequestMapping("/returned-conflict")
		@Idempotent
		public Mono<ResponseEntity<String>> returnedConflict() {
			return Mono.fromCallable(() -> {
				effect();
				return ResponseEntity.status(409).body("later");
			});
		}

		@RequestMapping("/unavailable")
		@Idempotent
		public Mono<String> unavailable() {
			return Mono.fromRunnable(this::effect).then(Mono.error(UnavailableException::new));
		}

		@RequestMapping("/envelope")
		@Idempotent
		public Mono<String> envelope() {
			return Mono.fromRunnable(this::effect).then(Mono.error(EnvelopeException::new));
		}

		@RequestMapping("/failure")
		@Idempotent
		public Mono<String> failure() {
			return Mono.fromRunnable(this::effect).then(Mono.error(() -> new IllegalStateException("failed")));
		}

		@RequestMapping("/unwritable")
		@Idempotent
		public Mono<Unwritable> unwritable() {
			return Mono.fromCallable(() -> {
				effect();
				return new Unwritable();
			});
		}

		@RequestMapping("/slow")
		@Idempotent
		public Mono<ResponseEntity<Sale>> slow() {
			return left().then(Mono.fromCallable(() -> ExchangedSales.created(effect())));
		}

		@RequestMapping("/slow-large")
		@Idempotent
		public Mono<String> slowLarge() {
			return left().then(Mono.fromCallable(() -> {
				effect();
				return "x".repeat(200_000);
			}));
		}

		@RequestMapping("/waits")
		@Idempotent(onDuplicate = OnDuplicate.WAIT)
		public Mono<ResponseEntity<Sale>> waits() {
			return left().then(Mono.fromCallable(() -> ExchangedSales.created(effect())));
		}

		@RequestMapping("/large")
		@Idempotent
		public Mono<ResponseEntity<String>> large() {
			return Mono.fromCallable(() -> {
				effect();
				return ResponseEntity.status(201).body("x".repeat(300_000));
			});
		}

		@RequestMapping("/large-written")
		@Idempotent
		public Mono<Void> largeWritten(ServerWebExchange exchange) {
			byte[] bytes = "x".repeat(30_000).getBytes(StandardCharsets.US_ASCII);
			return Mono.fromRunnable(this::effect)
				.then(exchange.getResponse()
					.writeWith(Flux.range(0, 10).map((part) -> exchange.getResponse().bufferFactory().wrap(bytes))));
		}

		@RequestMapping("/orders/{id}")
		@Idempotent
		public Mono<String> order(@PathVariable int id, @RequestBody Order order) {
			return Mono.fromCallable(() -> "order " + effect());
		}

		@RequestMapping("/reads")
		@Idempotent
		public Mono<String> reads(@RequestBody(required = false) Mono<String> body) {
			return body.map((read) -> read + " " + effect());
		}

		@RequestMapping("/reads-without-key")
		@Idempotent(required = false)
		public Mono<String> readsWithoutKey(@RequestBody Mono<String> body) {
			return body.map((read) -> read + " " + effect());
		}

		@RequestMapping("/reads-by-own-key")
		@Idempotent(key = "'own'")
		public Mono<String> readsByOwnKey(@RequestBody Mono<String> body) {
			return body.map((read) -> read + " " + effect());
		}

		@RequestMapping("/reads-by-itself")
		@Idempotent(fingerprint = "'same'")
		public Mono<String> readsByItself(@RequestBody Mono<String> body) {
			return body.map((read) -> read + " " + effect());
		}

		@RequestMapping("/form")
		@Idempotent
		public Mono<String> form(@ModelAttribute Form form) {
			return Mono.fromCallable(() -> form.a() + " " + effect());
		}

		@RequestMapping("/late-form")
		@Idempotent
		public Mono<String> lateForm(ServerWebExchange exchange) {
			return exchange.getFormData().map((form) -> form.getFirst("a") + " " + effect());
		}

		@RequestMapping("/upload")
		@Idempotent
		public Mono<String> upload(@RequestPart FilePart file) {
			return DataBufferUtils.join(file.content()).map((content) -> content.readableByteCount() + " " + effect());
		}

		@RequestMapping("/outer")
		@Idempotent
		public Mono<String> outer() {
			effect();
			return this.inner.once("same").zipWith(this.inner.handler(), (one, other) -> one + " and " + other);
		}

		@RequestMapping("/retried")
		@Retried
		@Idempotent(onFailureWithoutTransaction = FailureWithoutTransaction.RELEASE)
		public Mono<String> retried() {
			return Mono.fromCallable(() -> {
				int attempt = effect();
				if (attempt == 1) {
					throw new ConflictException("try again");
				}
				return "attempt " + attempt;
			});
		}

		@RequestMapping("/loop")
		@Idempotent
		public Mono<String> loop() {
			return Mono.fromCallable(() -> String.valueOf(Thread.currentThread() instanceof NonBlocking));
		}

	}

	@Controller
	static class Pages {

		private final Desk desk;

		Pages(Desk desk) {
			this.desk = AopTestUtils.getUltimateTargetObject(desk);
		}

		@RequestMapping(path = "/view", method = RequestMethod.POST)
		@Idempotent
		public Mono<View> view() {
			return Mono.fromCallable(() -> page(this.desk.effect()));
		}

		private static View page(int number) {
			return new View() {

				@Override
				public List<MediaType> getSupportedMediaTypes() {
					return List.of(MediaType.TEXT_HTML);
				}

				@Override
				public Mono<Void> render(@Nullable Map<String, ?> model, @Nullable MediaType type,
						ServerWebExchange exchange) {
					exchange.getResponse().getHeaders().setContentType(MediaType.TEXT_HTML);
					return exchange.getResponse()
						.writeWith(Mono.fromCallable(() -> exchange.getResponse()
							.bufferFactory()
							.wrap(("<p>" + number + "</p>").getBytes(StandardCharsets.UTF_8))));
				}

			};
		}

	}

	@Service
	@Controller
	static class Inner {

		private final AtomicInteger effects = new AtomicInteger();

		public void reset() {
			this.effects.set(0);
		}

		@Idempotent(key = "#key")
		public Mono<String> once(String key) {
			return Mono.fromCallable(() -> "inner " + this.effects.incrementAndGet());
		}

		@GetMapping("/inner")
		@ResponseBody
		@Idempotent(key = "'same'")
		public Mono<String> handler() {
			return Mono.just("1");
		}

	}

	static class Watched implements WebFilter {

		static volatile String seen = "";

		@Override
		public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
			if (exchange.getRequest().getHeaders().getFirst("X-Watched") == null) {
				return chain.filter(exchange);
			}
			ByteArrayOutputStream body = new ByteArrayOutputStream();
			ServerHttpResponseDecorator watched = new ServerHttpResponseDecorator(exchange.getResponse()) {

				@Override
				public Mono<Void> writeWith(Publisher<? extends DataBuffer> written) {
					return super.writeWith(Flux.from(written).doOnNext((buffer) -> {
						try {
							buffer.asInputStream().transferTo(body);
							buffer.readPosition(0);
						}
						catch (IOException ex) {
							throw new UncheckedIOException(ex);
						}
					}));
				}

			};
			return chain.filter(exchange.mutate().response(watched).build())
				.then(Mono.fromRunnable(() -> seen = watched.getStatusCode() + " "
						+ new String(body.toByteArray(), StandardCharsets.UTF_8)));
		}

	}

	/**
	 * Reads the body before anybody else, such as to check its signature.
	 */
	static class Reading implements WebFilter {

		@Override
		public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
			if (exchange.getRequest().getHeaders().getFirst("X-Read") == null) {
				return chain.filter(exchange);
			}
			return DataBufferUtils.join(exchange.getRequest().getBody()).map((buffer) -> {
				byte[] bytes = new byte[buffer.readableByteCount()];
				buffer.read(bytes);
				DataBufferUtils.release(buffer);
				return bytes;
			})
				.flatMap((body) -> chain
					.filter(exchange.mutate().request(new ServerHttpRequestDecorator(exchange.getRequest()) {

						@Override
						public Flux<DataBuffer> getBody() {
							return Flux.just(exchange.getResponse().bufferFactory().wrap(body));
						}

					}).build()));
		}

	}

	static class Impatient implements WebFilter {

		private final Desk desk;

		Impatient(Desk desk) {
			this.desk = AopTestUtils.getUltimateTargetObject(desk);
		}

		@Override
		public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
			Mono<Void> answered = chain.filter(exchange);
			if (exchange.getRequest().getHeaders().getFirst("X-Impatient") == null) {
				return answered;
			}
			Mono<Void> entered = Mono.<Void>fromCallable(() -> {
				this.desk.entered.await(10, TimeUnit.SECONDS);
				return null;
			})
				.subscribeOn(Schedulers.boundedElastic())
				.then(Mono.error(new ResponseStatusException(HttpStatus.GATEWAY_TIMEOUT)));
			return Mono.firstWithSignal(answered, entered);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableReactiveMethodSecurity
	@Import({ Desk.class, Pages.class, Inner.class, Advice.class, Watched.class, Reading.class, Impatient.class })
	static class Configured {

		// Of its own, since another application of the same kind ends with its test
		@Bean
		ReactorResourceFactory resources() {
			ReactorResourceFactory resources = new ReactorResourceFactory();
			resources.setUseGlobalResources(false);
			return resources;
		}

		@Bean
		SecurityWebFilterChain security(ServerHttpSecurity http) {
			return http.csrf(ServerHttpSecurity.CsrfSpec::disable)
				.authorizeExchange((requests) -> requests.anyExchange().permitAll())
				.build();
		}

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static Advisor retried() {
			return outermost(Retried.class,
					(invocation) -> ((Mono<?>) ((ProxyMethodInvocation) invocation).invocableClone().proceed())
						.retry(1));
		}

	}

}
