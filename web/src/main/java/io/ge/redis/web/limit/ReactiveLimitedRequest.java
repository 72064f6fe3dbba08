// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.limit;

import java.net.InetSocketAddress;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.http.server.reactive.ServerHttpRequest;

/**
 * A request of a reactive web application.
 */
record ReactiveLimitedRequest(ServerHttpRequest request, @Nullable String user) implements LimitedRequest {

	@Override
	public String method() {
		return this.request.getMethod().name();
	}

	@Override
	public @Nullable String header(String name) {
		return this.request.getHeaders().getFirst(name);
	}

	@Override
	public @Nullable String address() {
		InetSocketAddress remote = this.request.getRemoteAddress();
		return (remote != null && remote.getAddress() != null) ? remote.getAddress().getHostAddress() : null;
	}

	@Override
	public List<String> headers(String name) {
		return this.request.getHeaders().getOrEmpty(name);
	}

	@Override
	public Object exposed() {
		return this.request;
	}

}
