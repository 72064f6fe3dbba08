// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange;

import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;

import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.idempotency.OversizedResponse;
import io.ge.redis.idempotency.spi.IdempotentExchange;
import io.ge.redis.idempotency.spi.Recording;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.core.io.buffer.NettyDataBuffer;
import org.springframework.core.io.buffer.NettyDataBufferFactory;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseCookie;
import org.springframework.http.codec.ServerCodecConfigurer;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.http.server.reactive.MockServerHttpResponse;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.mock.web.MockPart;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.reactive.ServerWebExchangeContextFilter;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.reactive.HandlerAdapter;
import org.springframework.web.reactive.HandlerResult;
import org.springframework.web.reactive.HandlerResultHandler;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.adapter.DefaultServerWebExchange;
import org.springframework.web.server.i18n.AcceptHeaderLocaleContextResolver;
import org.springframework.web.server.session.DefaultWebSessionManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What is held back, what is passed on, and that no buffer is kept from being released.
 */
class ReactiveExchangeTests {

	private static final ExchangeRules RULES = new ExchangeRules(ExchangeRules.keptHeaders(List.of()), 10,
			OversizedResponse.LOST, 5);

	private static final Method HANDLER = handler();

	private final NettyDataBufferFactory buffers = new NettyDataBufferFactory(new UnpooledByteBufAllocator(false));

	private final List<ByteBuf> allocated = new ArrayList<>();

	private final MockServerHttpResponse server = new MockServerHttpResponse(this.buffers);

	private final Ends completion = new Ends();

	@AfterEach
	void everyBufferIsReleased() {
		assertThat(this.allocated).allMatch((buffer) -> buffer.refCnt() == 0);
	}

	@Test
	void holdsBackUntilItIsKept() {
		CompletableFuture<Boolean> kept = new CompletableFuture<>();
		this.completion.ending = kept;
		Disposable answering = answer(post(""), (exchange, response) -> {
			exchange.capture(this.completion);
			response.setStatusCode(HttpStatus.CREATED);
			return response.writeWith(Flux.just(buffer("abc"), buffer("def")));
		}).subscribe();
		assertThat(this.completion.kept().body()).asString().isEqualTo("abcdef");
		assertThat(this.completion.kept().head().status()).isEqualTo(201);
		assertThat(this.server.isCommitted()).isFalse();
		kept.complete(true);
		org.awaitility.Awaitility.await().until(answering::isDisposed);
		assertThat(this.server.getBodyAsString().block()).isEqualTo("abcdef");
		assertThat(this.server.getHeaders().getContentLength()).isEqualTo(6);
	}

	@Test
	void longResponseIsSentAndLost() {
		answer(post(""), (exchange, response) -> {
			exchange.capture(this.completion);
			return response.writeWith(Flux.just(buffer("12345678"), buffer("90abc"), buffer("def")));
		}).block();
		assertThat(this.server.getBodyAsString().block()).isEqualTo("1234567890abcdef");
		assertThat(this.completion.answers).first().isInstanceOf(Recording.Lost.class);
	}

	@Test
	void bodyThatFailsIsForgotten() {
		answer(post(""), (exchange, response) -> {
			exchange.capture(this.completion);
			return response
				.writeWith(Flux.just(buffer("abc")).concatWith(Mono.error(new IllegalStateException("broken"))))
				.onErrorResume((failure) -> {
					exchange.failed(failure);
					response.setStatusCode(HttpStatus.NOT_FOUND);
					return response.writeWith(Mono.just(buffer("none")));
				});
		}).block();
		assertThat(this.completion.kept().body()).asString().isEqualTo("none");
		assertThat(this.server.getBodyAsString().block()).isEqualTo("none");
	}

	@Test
	void exceptionThatLeavesTheHandlerIsKeptAsStatusAndReason() {
		assertThatExceptionOfType(ResponseStatusException.class).isThrownBy(answer(post(""), (exchange, response) -> {
			exchange.capture(this.completion);
			return Mono.error(new ResponseStatusException(HttpStatus.GONE, "sold"));
		})::block);
		StoredResponse kept = this.completion.kept();
		assertThat(kept.head().status()).isEqualTo(410);
		assertThat(kept.head().error()).isEqualTo("sold");
		assertThatExceptionOfType(ResponseStatusException.class).isThrownBy(answer(post(""), (exchange, response) -> {
			exchange.replay(kept.write());
			return Mono.empty();
		})::block).satisfies((failure) -> assertThat(failure.getReason()).isEqualTo("sold"));
		this.completion.answers.clear();
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(answer(post(""), (exchange, response) -> {
			exchange.capture(this.completion);
			return Mono.error(new IllegalStateException("failed"));
		})::block);
		assertThat(this.completion.answers).containsExactly(new Recording.Failed());
	}

	@Test
	void claimedCallOutlivesItsClientAndAnUnclaimedOneDoesNot() {
		Sinks.Empty<Void> working = Sinks.empty();
		Disposable claimed = answer(post(""), (exchange, response) -> {
			exchange.capture(this.completion);
			return working.asMono().then(Mono.defer(() -> {
				// The server may have given its own to another request
				response.getHeaders().set("X-Answer", "late");
				return response.writeWith(Mono.fromSupplier(() -> buffer("abc")));
			}));
		}).subscribe();
		claimed.dispose();
		assertThat(this.completion.answers).isEmpty();
		working.tryEmitEmpty();
		assertThat(this.completion.answers).isEmpty();
		assertThat(this.completion.unanswered).isEqualTo(1);
		assertThat(this.server.getHeaders().containsHeader("X-Answer")).isFalse();
		Sinks.Empty<Void> asking = Sinks.empty();
		Disposable unclaimed = answer(post(""), (exchange, response) -> asking.asMono()).subscribe();
		unclaimed.dispose();
		assertThat(asking.currentSubscriberCount()).isZero();
	}

	@Test
	void callThatIsClaimedWhileItsClientGoesIsUnanswered() {
		AtomicReference<ReactiveExchange> asking = new AtomicReference<>();
		answer(post(""), (exchange, response) -> {
			asking.set(exchange);
			return Mono.never();
		}).subscribe().dispose();
		asking.get().capture(this.completion);
		assertThat(this.completion.unanswered).isEqualTo(1);
	}

	@Test
	void answerOfAFilterThatHasNotWaitedIsNotThatOfTheCall() {
		Sinks.Empty<Void> working = Sinks.empty();
		filtered((exchange, response) -> {
			exchange.capture(this.completion);
			return working.asMono().then(response.setComplete());
		}, (dispatched) -> Mono.firstWithSignal(dispatched, Mono.defer(() -> {
			this.server.setStatusCode(HttpStatus.SERVICE_UNAVAILABLE);
			return this.server.setComplete();
		}))).block();
		assertThat(this.completion.unanswered).isZero();
		working.tryEmitEmpty();
		assertThat(this.completion.answers).isEmpty();
		assertThat(this.completion.unanswered).isEqualTo(1);
	}

	@Test
	void longAnswerThatNobodyWaitsForIsNotThatOfTheCall() {
		Sinks.Empty<Void> working = Sinks.empty();
		filtered((exchange, response) -> {
			exchange.capture(this.completion);
			return working.asMono().then(response.writeWith(Flux.just("1234567890", "a").map(this::buffer)));
		}, (dispatched) -> Mono.firstWithSignal(dispatched, Mono.defer(() -> {
			this.server.setStatusCode(HttpStatus.SERVICE_UNAVAILABLE);
			return this.server.setComplete();
		}))).block();
		working.tryEmitEmpty();
		assertThat(this.completion.answers).isEmpty();
		assertThat(this.completion.unanswered).isPositive();
	}

	@Test
	void bodyOfACallWithoutAKeyIsPassedOn() {
		AtomicInteger sent = new AtomicInteger();
		this.server.setWriteHandler((body) -> body.doOnNext((buffer) -> {
			DataBufferUtils.release(buffer);
			sent.incrementAndGet();
		}).then());
		Sinks.Many<DataBuffer> body = Sinks.many().unicast().onBackpressureBuffer();
		Disposable answering = answer(post(""), (exchange, response) -> response.writeWith(body.asFlux())).subscribe();
		body.tryEmitNext(buffer("abc"));
		assertThat(sent).hasValue(1);
		body.tryEmitComplete();
		assertThat(answering.isDisposed()).isTrue();
	}

	@Test
	void handlerIsDispatchedAsUsualUnlessItsRequestMayHaveAKey() throws Exception {
		List<ServerWebExchange> dispatched = new ArrayList<>();
		IdempotencyKeyHeader handlers = new IdempotencyKeyHeader(() -> "Idempotency-Key", new ReactiveRequests());
		Method method = Sales.class.getDeclaredMethod("sell");
		handlers.bind(new GuardedMethod(method, Sales.class, Idempotent.class));
		HandlerAdapter next = new HandlerAdapter() {

			@Override
			public boolean supports(Object handler) {
				return true;
			}

			@Override
			public Mono<HandlerResult> handle(ServerWebExchange exchange, Object handler) {
				dispatched.add(exchange);
				return Mono.empty();
			}

		};
		StaticListableBeanFactory beans = new StaticListableBeanFactory(java.util.Map.of("next", next));
		IdempotentHandlerAdapter adapter = new IdempotentHandlerAdapter(handlers, RULES,
				beans.getBeanProvider(HandlerAdapter.class), beans.getBeanProvider(HandlerResultHandler.class));
		ServerWebExchange plain = exchange(post(""));
		adapter.handle(plain, new HandlerMethod(new Sales(), method)).block();
		assertThat(dispatched).containsExactly(plain);
		ServerWebExchange keyed = exchange(MockServerHttpRequest.post("/sales").header("Idempotency-Key", "k").build());
		adapter.handle(keyed, new HandlerMethod(new Sales(), method)).block();
		assertThat(dispatched).hasSize(2).doesNotContain(keyed);
	}

	/**
	 * Such as by a filter with a timeout that answers a moment later.
	 */
	@Test
	void nothingOfAnAbandonedCallReachesTheServer() {
		byte[] stored = new StoredResponse(new StoredResponse.Head(201, java.util.Map.of()), new byte[1]).write();
		List<Dispatch> dispatches = List.of(
				(exchange, response) -> response.writeWith(Mono.fromSupplier(() -> buffer("abc"))),
				(exchange, response) -> response.writeAndFlushWith(
						Flux.<Mono<DataBuffer>>just(Mono.fromSupplier(() -> buffer("abc"))).concatWith(Mono.never())),
				(exchange, response) -> response.setComplete(), (exchange, response) -> {
					exchange.replay(stored);
					return response.writeWith(Mono.fromSupplier(() -> buffer("placeholder")));
				});
		for (Dispatch dispatch : dispatches) {
			Sinks.Empty<Void> working = Sinks.empty();
			answer(post(""), (exchange, response) -> {
				exchange.capture(this.completion);
				return working.asMono().then(Mono.defer(() -> {
					response.setStatusCode(HttpStatus.CREATED);
					response.addCookie(ResponseCookie.from("a", "b").build());
					return dispatch.run(exchange, response);
				}));
			}).subscribe().dispose();
			working.tryEmitEmpty();
			assertThat(this.server.isCommitted()).isFalse();
			assertThat(this.server.getStatusCode()).isNull();
			assertThat(this.server.getCookies()).isEmpty();
		}
		assertThat(this.completion.unanswered).isEqualTo(3);
		this.server.setStatusCode(HttpStatus.GATEWAY_TIMEOUT);
		this.server.setComplete().block();
		assertThat(this.server.getBodyAsString().block()).isEmpty();
	}

	@Test
	void secondAttemptOfAFilterIsKept() {
		AtomicInteger attempts = new AtomicInteger();
		filtered((exchange, response) -> {
			assertThat(exchange.forNextCall()).isSameAs(exchange);
			exchange.capture(this.completion);
			return (attempts.incrementAndGet() == 1) ? Mono.error(new IllegalStateException("failed"))
					: response.writeWith(Mono.fromSupplier(() -> buffer("abc")));
		}, (dispatched) -> dispatched.retry(1)).block();
		assertThat(this.completion.answers.remove(0)).isEqualTo(new Recording.Failed());
		assertThat(this.completion.kept().body()).asString().isEqualTo("abc");
		assertThat(this.server.getBodyAsString().block()).isEqualTo("abc");
	}

	@Test
	void attemptBesideACallThatGoesOnIsNotItsAnswer() {
		Sinks.Empty<Void> working = Sinks.empty();
		AtomicInteger attempts = new AtomicInteger();
		this.completion.running = true;
		filtered((exchange, response) -> Mono.defer(() -> {
			if (attempts.incrementAndGet() > 1) {
				return response.writeWith(Mono.fromSupplier(() -> buffer("second")));
			}
			exchange.capture(this.completion);
			return working.asMono().then(response.writeWith(Mono.fromSupplier(() -> buffer("first"))));
		}), (dispatched) -> Mono.firstWithSignal(dispatched, dispatched)).block();
		this.completion.running = false;
		working.tryEmitEmpty();
		assertThat(this.completion.answers).isEmpty();
		assertThat(this.completion.unanswered).isEqualTo(1);
		assertThat(this.server.getBodyAsString().block()).isEqualTo("second");
	}

	@Test
	void userIsThatOfTheExchangeBehindAllFilters() {
		ReactivePrincipals principals = new ReactivePrincipals();
		List<@Nullable String> names = new ArrayList<>();
		ServerWebExchange authenticated = exchange(post("")).mutate().principal(Mono.just(() -> "alice")).build();
		new ServerWebExchangeContextFilter()
			.filter(authenticated, (exchange) -> Mono.deferContextual((context) -> Mono.from(principals.find(context)))
				.doOnNext((scope) -> scope.apply(() -> {
					names.add(principals.currentPrincipal());
					UnaryOperator<Runnable> captured = principals.capture();
					CompletableFuture.runAsync(captured.apply(() -> names.add(principals.currentPrincipal()))).join();
				}).run())
				.then())
			.block();
		names.add(principals.currentPrincipal());
		assertThat(names).containsExactly("alice", "alice", null);
	}

	@Test
	void responseInPiecesIsCancelledWithItsClient() {
		// The mock keeps what is sent
		this.server.setWriteHandler((sent) -> sent.doOnNext(DataBufferUtils::release).then());
		Sinks.Many<DataBuffer> pieces = Sinks.many().unicast().onBackpressureBuffer();
		Disposable answering = answer(post(""), (exchange, response) -> {
			exchange.capture(this.completion);
			return response.writeAndFlushWith(pieces.asFlux().map(Mono::just));
		}).subscribe();
		pieces.tryEmitNext(buffer("a"));
		answering.dispose();
		assertThat(pieces.currentSubscriberCount()).isZero();
		assertThat(this.completion.unanswered).isPositive();
	}

	@Test
	void replayReplacesWhatIsWritten() {
		byte[] stored = new StoredResponse(
				new StoredResponse.Head(201, java.util.Map.of("Location", List.of("/sales/1"))),
				"kept".getBytes(StandardCharsets.UTF_8))
			.write();
		answer(post(""), (exchange, response) -> {
			exchange.replay(stored);
			exchange.replaying().run();
			response.getHeaders().setContentType(MediaType.TEXT_PLAIN);
			return response.writeWith(Flux.just(buffer("placeholder")));
		}).block();
		assertThat(this.server.getStatusCode()).isEqualTo(HttpStatus.CREATED);
		assertThat(this.server.getBodyAsString().block()).isEqualTo("kept");
		assertThat(this.server.getHeaders().getContentType()).isNull();
		assertThat(this.server.getHeaders().getFirst(IdempotencyKeyHeader.REPLAYED)).isEqualTo("true");
	}

	@Test
	void refusalAfterAReplayIsAnswered() {
		byte[] stored = new StoredResponse(new StoredResponse.Head(201, java.util.Map.of()), new byte[1]).write();
		answer(post(""), (exchange, response) -> {
			exchange.replay(stored);
			exchange.replaying().run();
			exchange.failed(new IllegalStateException("refused"));
			response.setStatusCode(HttpStatus.FORBIDDEN);
			return response.writeWith(Mono.just(buffer("no")));
		}).block();
		assertThat(this.server.getStatusCode()).isEqualTo(HttpStatus.FORBIDDEN);
		assertThat(this.server.getBodyAsString().block()).isEqualTo("no");
		assertThat(this.server.getHeaders().containsHeader(IdempotencyKeyHeader.REPLAYED)).isFalse();
	}

	@Test
	void unreadBodyIsKeptForTheHandlerUnlessItIsTooLarge() {
		List<String> read = new ArrayList<>();
		answer(request("ab", "cd"),
				(exchange, response) -> exchange.readContent()
					.doOnSuccess((done) -> assertThat(exchange.content()).isNotNull())
					.then(DataBufferUtils.join(exchange.exchange().getRequest().getBody()))
					.doOnNext((body) -> read.add(body.toString(StandardCharsets.UTF_8)))
					.then())
			.block();
		assertThat(read).containsExactly("abcd");
		answer(request("abcd", "efgh", "ijkl"),
				(exchange, response) -> exchange.readContent()
					.doOnSuccess((done) -> assertThatExceptionOfType(ExchangeRules.UnreadBodyTooLargeException.class)
						.isThrownBy(exchange::content)))
			.block();
	}

	@Test
	void requestsAreComparedAlikeOnServletsAndWebFlux() throws Exception {
		assertAlike("application/json", "{\"a\":1}");
		assertAlike("application/x-www-form-urlencoded", "b=%C3%A4+1&a=2&b=3");
		assertAlike("multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"p\"\r\n\r\nv\r\n"
				+ "--x\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f.txt\"\r\n\r\nabc\r\n--x--\r\n");
	}

	private void assertAlike(String type, String body) throws Exception {
		ExchangeRules rules = new ExchangeRules(ExchangeRules.keptHeaders(List.of()), 10, OversizedResponse.LOST, 1000);
		List<Object> reactive = new ArrayList<>();
		MockServerHttpRequest request = MockServerHttpRequest.post("/sales/1?q=1&b=0")
			.header("Content-Type", type)
			.body(body);
		answer(request, rules, (exchange, response) -> exchange.readContent()
			.then(Mono.fromRunnable(() -> reactive.addAll(exchange.content())))).block();
		assertThat(reactive).usingRecursiveComparison().isEqualTo(servlets(rules, type, body));
	}

	private static List<@Nullable Object> servlets(ExchangeRules rules, String type, String body) throws Exception {
		MockHttpServletRequest request = new MockHttpServletRequest("POST", "/sales/1");
		request.setContentType(type);
		request.addParameter("q", "1");
		request.addParameter("b", "0");
		if (type.startsWith("multipart")) {
			request.addParameter("p", "v");
			request.addPart(new MockPart("f", "f.txt", "abc".getBytes(StandardCharsets.UTF_8)));
		}
		else if (type.endsWith("urlencoded")) {
			request.addParameter("b", "\u00e4 1", "3");
			request.addParameter("a", "2");
		}
		else {
			request.setContent(body.getBytes(StandardCharsets.UTF_8));
		}
		ServletExchange exchange = new ServletExchange(request, new MockHttpServletResponse(), rules);
		exchange.expect(new IdempotencyKeyHeader.GuardedHandler(HANDLER, Object.class, false, false, true));
		List<@Nullable Object> content = exchange.content();
		assertThat(content).isNotNull();
		return content;
	}

	private MockServerHttpRequest post(String body) {
		return MockServerHttpRequest.post("/sales").body(body);
	}

	private MockServerHttpRequest request(String... pieces) {
		return MockServerHttpRequest.post("/sales").body(Flux.just(pieces).map(this::buffer));
	}

	private DataBuffer buffer(String text) {
		NettyDataBuffer buffer = this.buffers.allocateBuffer(text.length());
		buffer.write(text.getBytes(StandardCharsets.UTF_8));
		this.allocated.add(buffer.getNativeBuffer());
		return buffer;
	}

	private Mono<Void> answer(MockServerHttpRequest request, Dispatch dispatch) {
		return answer(request, RULES, dispatch);
	}

	private Mono<Void> answer(MockServerHttpRequest request, ExchangeRules rules, Dispatch dispatch) {
		return Mono.defer(() -> {
			ReactiveExchange exchange = new ReactiveExchange(exchange(request), HANDLER, true, rules);
			return exchange.answerWith(Mono
				.defer(() -> dispatch.run(exchange, (ReactiveExchangeResponse) exchange.exchange().getResponse())));
		}).then(Mono.defer(this.server::setComplete));
	}

	private Mono<Void> filtered(Dispatch dispatch, UnaryOperator<Mono<Void>> filter) {
		return filter.apply(answer(post(""), dispatch));
	}

	private ServerWebExchange exchange(MockServerHttpRequest request) {
		return new DefaultServerWebExchange(request, this.server, new DefaultWebSessionManager(),
				ServerCodecConfigurer.create(), new AcceptHeaderLocaleContextResolver());
	}

	private static Method handler() {
		try {
			return Object.class.getMethod("toString");
		}
		catch (NoSuchMethodException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@RestController
	static class Sales {

		@PostMapping
		@Idempotent
		Mono<String> sell() {
			return Mono.empty();
		}

	}

	private interface Dispatch {

		Mono<Void> run(ReactiveExchange exchange, ReactiveExchangeResponse response);

	}

	private static final class Ends implements IdempotentExchange.Completion {

		final List<Recording> answers = new ArrayList<>();

		CompletionStage<Boolean> ending = CompletableFuture.completedFuture(true);

		int unanswered;

		boolean running;

		StoredResponse kept() {
			assertThat(this.answers).first().isInstanceOf(Recording.Stored.class);
			return StoredResponse.read(((Recording.Stored) this.answers.get(0)).bytes(),
					ExchangeRules.keptHeaders(List.of()));
		}

		@Override
		public boolean isRunning() {
			return this.running;
		}

		@Override
		public boolean isFinal() {
			return false;
		}

		@Override
		public @Nullable Throwable failure() {
			return null;
		}

		@Override
		public CompletionStage<Boolean> answered(Recording response, boolean failed) {
			this.answers.add(response);
			return this.ending;
		}

		@Override
		public CompletionStage<Boolean> unanswered() {
			this.unanswered++;
			return CompletableFuture.completedFuture(true);
		}

	}

}
