// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.problem;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

import io.ge.redis.GeRedisException;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.TokenRevokedException;
import io.ge.redis.blacklist.TokenStatus;
import io.ge.redis.lock.LockNotAcquiredException;
import io.ge.redis.web.ZeroCopyResponse;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.http.HttpStatus;
import org.springframework.context.ApplicationContext;
import org.springframework.context.support.StaticApplicationContext;
import org.springframework.http.ZeroCopyHttpOutputMessage;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.http.server.reactive.MockServerHttpResponse;
import org.springframework.mock.web.server.MockServerWebExchange;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ReactiveProblemResolver.RefusalWebFilter}.
 */
class RefusalWebFilterTests {

	private final ReactiveProblemResolver.RefusalWebFilter filter = new ReactiveProblemResolver.RefusalWebFilter(
			new ReactiveProblemResolver(context()), 0);

	private final MockServerHttpResponse server = new MockServerHttpResponse();

	private final ZeroCopyResponse zeroCopy = new ZeroCopyResponse(this.server);

	@Test
	void bareRefusalGetsItsBodyWhateverTheServerCanDo() {
		for (ServerHttpResponse response : List.of(new MockServerHttpResponse(), this.zeroCopy)) {
			answer(response, (behind) -> Mono.deferContextual((context) -> {
				context.<AtomicReference<GeRedisException>>get(GeRedisException.class.getName())
					.set(new TokenRevokedException(TokenBlacklist.TOKENS, TokenStatus.REVOKED));
				behind.setStatusCode(HttpStatus.UNAUTHORIZED);
				return behind.setComplete();
			}));
			assertThat(response.getHeaders().getFirst("Content-Type")).isEqualTo("application/problem+json");
			assertThat(response.getHeaders().getFirst("WWW-Authenticate")).contains("error=\"invalid_token\"");
		}
		assertThat(this.server.getBodyAsString().block()).contains("token-revoked");
	}

	@Test
	void headersOfTheRefusalReplaceEarlierOnesExceptForAChallenge() {
		answer(this.server, (behind) -> {
			behind.getHeaders().set("Retry-After", "1");
			return Mono.error(new LockNotAcquiredException("orders", Duration.ofSeconds(7)));
		});
		assertThat(this.server.getHeaders().get("Retry-After")).containsExactly("7");
		MockServerHttpResponse challenged = new MockServerHttpResponse();
		answer(challenged, (behind) -> {
			behind.getHeaders().set("WWW-Authenticate", "Bearer realm=\"mine\"");
			return Mono.error(new TokenRevokedException(TokenBlacklist.TOKENS, TokenStatus.REVOKED));
		});
		assertThat(challenged.getHeaders().get("WWW-Authenticate")).containsExactly("Bearer realm=\"mine\"");
	}

	@Test
	void serverSendsFilesByItselfIfItCan() {
		answer(this.zeroCopy, (behind) -> ((ZeroCopyHttpOutputMessage) behind).writeWith(Path.of("file.bin"), 1, 2));
		assertThat(this.zeroCopy.files).containsExactly("file.bin 1+2");
		answer(this.server, (behind) -> {
			assertThat(behind).isNotInstanceOf(ZeroCopyHttpOutputMessage.class);
			return Mono.empty();
		});
	}

	private void answer(ServerHttpResponse response, Function<ServerHttpResponse, Mono<Void>> work) {
		this.filter
			.filter(MockServerWebExchange.from(MockServerHttpRequest.get("/me")).mutate().response(response).build(),
					(exchange) -> work.apply(exchange.getResponse()))
			.block();
	}

	private static ApplicationContext context() {
		StaticApplicationContext context = new StaticApplicationContext();
		context.refresh();
		return context;
	}

}
