// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import reactor.core.publisher.Mono;

import org.springframework.http.ZeroCopyHttpOutputMessage;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;

/**
 * A response whose server sends files by itself.
 */
public final class ZeroCopyResponse extends ServerHttpResponseDecorator implements ZeroCopyHttpOutputMessage {

	public final List<String> files = new ArrayList<>();

	public ZeroCopyResponse(ServerHttpResponse response) {
		super(response);
	}

	@Override
	public Mono<Void> writeWith(Path file, long position, long count) {
		return Mono.fromRunnable(() -> this.files.add(file.getFileName() + " " + position + "+" + count))
			.then(setComplete());
	}

}
