// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange.reactive;

import java.nio.file.Path;

import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.io.FileSystemResource;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.ZeroCopyHttpOutputMessage;
import org.springframework.http.server.reactive.ServerHttpResponse;

/**
 * Sends files without reading them, unless they are held back: then their bytes are kept.
 */
final class ZeroCopyExchangeResponse extends ReactiveExchangeResponse implements ZeroCopyHttpOutputMessage {

	private static final int PIECE = 8192;

	ZeroCopyExchangeResponse(ServerHttpResponse response, long maxBytes, Listener listener) {
		super(response, maxBytes, listener);
	}

	@Override
	public Mono<Void> writeWith(Path file, long position, long count) {
		return writeFile(count, () -> ((ZeroCopyHttpOutputMessage) getDelegate()).writeWith(file, position, count),
				() -> read(file, position, count));
	}

	private Flux<DataBuffer> read(Path file, long position, long count) {
		Flux<DataBuffer> bytes = DataBufferUtils.read(new FileSystemResource(file), position, bufferFactory(), PIECE);
		return DataBufferUtils.takeUntilByteCount(bytes, count);
	}

}
