// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange.servlet;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.Charset;

import jakarta.servlet.ServletOutputStream;

/**
 * The body of a response as text, encoded as it is written: after a forward, or on
 * another thread, nothing is left behind.
 */
final class ExchangeWriter extends Writer {

	private final ServletOutputStream body;

	private final OutputStreamWriter encoder;

	ExchangeWriter(ServletOutputStream body, Charset charset) {
		this.body = body;
		this.encoder = new OutputStreamWriter(new FilterOutputStream(body) {

			@Override
			public void write(byte[] bytes, int offset, int count) throws IOException {
				this.out.write(bytes, offset, count);
			}

			@Override
			public void flush() {
				// Only the encoder is to be emptied, and not the response committed
			}

		}, charset);
	}

	@Override
	public void write(char[] text, int offset, int count) throws IOException {
		this.encoder.write(text, offset, count);
		this.encoder.flush();
	}

	@Override
	public void flush() throws IOException {
		this.body.flush();
	}

	@Override
	public void close() throws IOException {
		this.encoder.close();
	}

}
