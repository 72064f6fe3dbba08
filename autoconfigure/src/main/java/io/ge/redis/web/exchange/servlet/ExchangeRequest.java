/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web.exchange.servlet;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

import io.ge.redis.web.exchange.UnreadBodyTooLargeException;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import org.jspecify.annotations.Nullable;

/**
 * A request whose body is hashed while it is read, from when it is told to.
 */
final class ExchangeRequest extends HttpServletRequestWrapper {

	private final AsyncStart asyncStart;

	private boolean watched;

	private boolean readBefore;

	private @Nullable HashingInputStream body;

	private @Nullable BufferedReader reader;

	/**
	 * Creates a request.
	 * @param request the request of the server
	 * @param asyncStart told that the response is left to another thread
	 */
	ExchangeRequest(HttpServletRequest request, AsyncStart asyncStart) {
		super(request);
		this.asyncStart = asyncStart;
	}

	/**
	 * Hashes the body from now on.
	 */
	void watch() {
		this.watched = true;
	}

	/**
	 * Returns the hash of the whole body.
	 * @param mostUnread how much of it may be kept for whoever has not read it yet
	 * @return the hash, or {@code null} if parts were read before it was watched
	 * @throws IOException if it cannot be read
	 * @throws UnreadBodyTooLargeException if there is more that was not read
	 */
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
		this.asyncStart.begins();
		return begun(super.startAsync());
	}

	@Override
	public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
		this.asyncStart.begins();
		return begun(super.startAsync(request, response));
	}

	private AsyncContext begun(AsyncContext context) {
		this.asyncStart.hasBegun(context);
		return context;
	}

	/**
	 * Told that the response is left to another thread.
	 */
	interface AsyncStart {

		/**
		 * It is about to be.
		 */
		void begins();

		/**
		 * It is.
		 * @param context the context
		 */
		void hasBegun(AsyncContext context);

	}

}
