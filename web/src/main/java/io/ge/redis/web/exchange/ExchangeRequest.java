// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.function.Consumer;

import io.ge.redis.core.hash.Sha256;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import org.jspecify.annotations.Nullable;

/**
 * Request whose body is hashed while it is read. When the hash is requested, the unread
 * rest is read and kept for later readers.
 */
final class ExchangeRequest extends HttpServletRequestWrapper {

	private final Runnable asyncStarts;

	private final Consumer<AsyncContext> asyncStarted;

	private boolean watched;

	private boolean readBefore;

	private @Nullable Body body;

	private @Nullable BufferedReader reader;

	ExchangeRequest(HttpServletRequest request, Runnable asyncStarts, Consumer<AsyncContext> asyncStarted) {
		super(request);
		this.asyncStarts = asyncStarts;
		this.asyncStarted = asyncStarted;
	}

	void watch() {
		this.watched = true;
	}

	byte @Nullable [] hash(long mostUnread) throws IOException {
		return (this.watched && !this.readBefore) ? body().hash(mostUnread) : null;
	}

	private Body body() throws IOException {
		if (this.body == null) {
			this.body = new Body(super.getInputStream());
		}
		return this.body;
	}

	@Override
	public ServletInputStream getInputStream() throws IOException {
		if (this.watched && !this.readBefore) {
			return body();
		}
		this.readBefore = true;
		return super.getInputStream();
	}

	@Override
	public BufferedReader getReader() throws IOException {
		if (!this.watched || this.readBefore) {
			this.readBefore = true;
			return super.getReader();
		}
		if (this.reader == null) {
			String encoding = getCharacterEncoding();
			this.reader = new BufferedReader(new InputStreamReader(body(),
					(encoding != null) ? Charset.forName(encoding) : StandardCharsets.ISO_8859_1));
		}
		return this.reader;
	}

	@Override
	public AsyncContext startAsync() {
		this.asyncStarts.run();
		return begun(super.startAsync());
	}

	@Override
	public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
		this.asyncStarts.run();
		return begun(super.startAsync(request, response));
	}

	private AsyncContext begun(AsyncContext context) {
		this.asyncStarted.accept(context);
		return context;
	}

	private static final class Body extends ServletInputStream {

		private final ServletInputStream source;

		private final MessageDigest digest = Sha256.digest();

		private InputStream body;

		private byte @Nullable [] hash;

		private @Nullable UnreadBodyTooLargeException tooLarge;

		Body(ServletInputStream source) {
			this.source = source;
			this.body = new DigestInputStream(source, this.digest);
		}

		byte[] hash(long mostUnread) throws IOException {
			byte[] known = this.hash;
			if (known == null) {
				requireWhole();
				int most = (int) Math.min(mostUnread, Integer.MAX_VALUE - 16);
				byte[] unread = this.body.readNBytes(most);
				if (unread.length == most && this.source.read() != -1) {
					this.tooLarge = new UnreadBodyTooLargeException(mostUnread);
					throw this.tooLarge;
				}
				this.body = new ByteArrayInputStream(unread);
				known = this.digest.digest();
				this.hash = known;
			}
			return known;
		}

		// The hashed part cannot be read again, so the rest is not the body
		private void requireWhole() {
			if (this.tooLarge != null) {
				throw this.tooLarge;
			}
		}

		@Override
		public int read() throws IOException {
			requireWhole();
			return this.body.read();
		}

		@Override
		public int read(byte[] bytes, int offset, int count) throws IOException {
			requireWhole();
			return this.body.read(bytes, offset, count);
		}

		@Override
		public int available() throws IOException {
			return this.body.available();
		}

		@Override
		public boolean isFinished() {
			return (this.body instanceof ByteArrayInputStream rest) ? rest.available() == 0 : this.source.isFinished();
		}

		@Override
		public boolean isReady() {
			return this.hash != null || this.source.isReady();
		}

		@Override
		public void setReadListener(ReadListener listener) {
			throw new IllegalStateException("The body of an idempotent request cannot be read by a ReadListener");
		}

	}

}
