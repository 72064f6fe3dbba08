// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange.servlet;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import org.jspecify.annotations.Nullable;

/**
 * A request whose body is hashed while it is read.
 */
final class ExchangeRequest extends HttpServletRequestWrapper {

	private final Runnable asyncStarts;

	private final Consumer<AsyncContext> asyncStarted;

	private boolean watched;

	private boolean readBefore;

	private @Nullable HashingInputStream body;

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

	private HashingInputStream body() throws IOException {
		if (this.body == null) {
			this.body = new HashingInputStream(super.getInputStream());
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

}
