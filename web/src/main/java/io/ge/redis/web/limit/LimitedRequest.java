// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.limit;

import java.net.InetSocketAddress;
import java.security.Principal;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.server.ServerWebExchange;

/**
 * Request as rules see it, on every web stack.
 *
 * @param exposed what expressions see as {@code #request}
 * @param headers the lines of a header
 * @param address the address of the client, as the container knows it
 */
record LimitedRequest(Object exposed, String method, Function<String, List<String>> headers,
		Supplier<@Nullable String> address, Supplier<@Nullable String> user) {

	static LimitedRequest of(HttpServletRequest request) {
		return new LimitedRequest(request, request.getMethod(), (name) -> {
			Enumeration<String> lines = request.getHeaders(name);
			return (lines != null) ? Collections.list(lines) : List.of();
		}, request::getRemoteAddr, () -> {
			Principal user = request.getUserPrincipal();
			return (user != null) ? user.getName() : null;
		});
	}

	static LimitedRequest of(ServerHttpRequest request, @Nullable String user) {
		return new LimitedRequest(request, request.getMethod().name(), (name) -> request.getHeaders().getOrEmpty(name),
				() -> {
					InetSocketAddress remote = request.getRemoteAddress();
					return (remote != null && remote.getAddress() != null) ? remote.getAddress().getHostAddress()
							: null;
				}, () -> user);
	}

	static @Nullable LimitedRequest ofThread() {
		return (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes)
				? of(attributes.getRequest()) : null;
	}

	static @Nullable LimitedRequest ofSubscriber() {
		ServerWebExchange exchange = RateLimitHeaders.OnWebFlux.current();
		return (exchange != null) ? of(exchange.getRequest(), null) : null;
	}

	@Nullable String header(String name) {
		List<String> lines = this.headers.apply(name);
		return lines.isEmpty() ? null : lines.get(0);
	}

}
