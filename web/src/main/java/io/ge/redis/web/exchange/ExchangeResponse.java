// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.web.util.ContentCachingResponseWrapper;

/**
 * Response of a guarded handler, whose body is held in memory until Redis has it, or
 * which is replaced by a stored one. Status and headers are passed on, so that filters
 * see them. Errors are passed on as well, since servers answer them after the filters.
 */
final class ExchangeResponse extends ContentCachingResponseWrapper implements Exchange.HeldResponse {

	private final HttpServletResponse server;

	private final Set<String> kept;

	private @Nullable Map<String, List<String>> before;

	private boolean replaying;

	private boolean redirected;

	private @Nullable String error;

	private @Nullable Locale locale;

	ExchangeResponse(HttpServletResponse server, Set<String> kept) {
		super(server);
		this.server = server;
		this.kept = kept;
	}

	/**
	 * Begins the response to a call; of an earlier attempt only the headers stay.
	 */
	void capture() {
		if (this.before == null) {
			this.before = present(this.kept);
		}
		begin(false);
	}

	/**
	 * Discards what the dispatch writes, and the headers that a stored response has.
	 */
	void discard() {
		begin(true);
	}

	void abandonReplay() {
		begin(false);
		this.server.setHeader(IdempotencyKeyHeader.REPLAYED, null);
	}

	private void begin(boolean replaying) {
		resetBuffer();
		this.replaying = replaying;
		this.redirected = false;
		this.error = null;
	}

	@Override
	public int status() {
		return getStatus();
	}

	@Override
	public @Nullable String error() {
		return this.error;
	}

	@Override
	public Map<String, List<String>> before() {
		return (this.before != null) ? this.before : Map.of();
	}

	@Override
	public byte[] body() {
		return this.redirected ? new byte[0] : getContentAsByteArray();
	}

	/**
	 * Sends the response.
	 * @param whole whether nothing is written after this
	 */
	void release(boolean whole) throws IOException {
		if (this.error != null) {
			return;
		}
		String length = getHeader(HttpHeaders.CONTENT_LENGTH);
		if (this.redirected) {
			resetBuffer();
		}
		else if (getContentSize() > 0) {
			if (whole) {
				setContentLength(getContentSize());
			}
			copyBodyToResponse(false);
		}
		else if (length != null) {
			this.server.setContentLengthLong(Long.parseLong(length));
		}
	}

	/**
	 * Sends a stored response instead of this one.
	 */
	void send(StoredResponse response) throws IOException {
		resetBuffer();
		this.replaying = false;
		if (this.server.isCommitted()) {
			return;
		}
		StoredResponse.Head head = response.head();
		head.headers().forEach((name, values) -> {
			this.server.setHeader(name, values.get(0));
			values.subList(1, values.size()).forEach((value) -> this.server.addHeader(name, value));
		});
		if (head.error() != null) {
			sendError(head.status(), head.error());
			return;
		}
		this.server.setStatus(head.status());
		if (head.bodiless()) {
			this.server.setHeader("Preference-Applied", "return=minimal");
		}
		if (response.body().length > 0) {
			this.server.setContentLength(response.body().length);
			this.server.getOutputStream().write(response.body());
		}
	}

	@Override
	public boolean isCommitted() {
		return this.redirected || super.isCommitted();
	}

	// As servers do, so that the type of the content names the encoding. Wrapped, since
	// the writer of Spring does not pass on the end of a line.
	@Override
	public PrintWriter getWriter() throws IOException {
		setCharacterEncoding(getCharacterEncoding());
		return new PrintWriter(super.getWriter());
	}

	/**
	 * Does nothing: interceptors of the application may call it, but Redis comes first.
	 */
	@Override
	public void copyBodyToResponse() {
	}

	@Override
	public void sendError(int status) throws IOException {
		sendError(status, "");
	}

	@Override
	public void sendError(int status, @Nullable String message) throws IOException {
		if (this.replaying) {
			return;
		}
		resetBuffer();
		this.error = (message != null) ? message : "";
		if (this.error.isEmpty()) {
			this.server.sendError(status);
		}
		else {
			this.server.sendError(status, this.error);
		}
	}

	@Override
	public void sendRedirect(String location) {
		sendRedirect(location, SC_FOUND, true);
	}

	@Override
	public void sendRedirect(String location, int status) {
		sendRedirect(location, status, true);
	}

	@Override
	public void sendRedirect(String location, boolean clearBuffer) {
		sendRedirect(location, SC_FOUND, clearBuffer);
	}

	// Some servers send a redirection at once
	@Override
	public void sendRedirect(String location, int status, boolean clearBuffer) {
		setStatus(status);
		setHeader(HttpHeaders.LOCATION, location);
		this.redirected = true;
	}

	@Override
	public void setStatus(int status) {
		if (!this.replaying && !this.redirected) {
			super.setStatus(status);
		}
	}

	@Override
	public void setContentLengthLong(long length) {
		setHeader(HttpHeaders.CONTENT_LENGTH, String.valueOf(length));
	}

	@Override
	public void setHeader(String name, String value) {
		if (!isReplaced(name) && !isTooLong(name, value)) {
			super.setHeader(name, value);
		}
	}

	@Override
	public void addHeader(String name, String value) {
		if (!isReplaced(name) && !isTooLong(name, value)) {
			super.addHeader(name, value);
		}
	}

	@Override
	public void setContentType(@Nullable String type) {
		if (!this.replaying) {
			super.setContentType(type);
		}
	}

	@Override
	public void setCharacterEncoding(@Nullable String encoding) {
		if (!this.replaying) {
			super.setCharacterEncoding(encoding);
		}
	}

	@Override
	public void setLocale(@Nullable Locale locale) {
		if (!this.replaying) {
			this.locale = locale;
			super.setLocale(locale);
		}
	}

	private boolean isReplaced(String name) {
		return this.replaying && this.kept.contains(name);
	}

	// A body of that length does not fit into memory, and the superclass would throw
	private static boolean isTooLong(String name, @Nullable String value) {
		return value != null && name.equalsIgnoreCase(HttpHeaders.CONTENT_LENGTH)
				&& Long.parseLong(value) > Integer.MAX_VALUE;
	}

	// Not every server shows its properties among the headers
	@Override
	public @Nullable Collection<String> values(String name) {
		String property = null;
		if (name.equalsIgnoreCase(HttpHeaders.CONTENT_TYPE)) {
			property = getContentType();
		}
		else if (this.locale != null && name.equalsIgnoreCase(HttpHeaders.CONTENT_LANGUAGE)) {
			property = this.locale.toLanguageTag();
		}
		return (property != null) ? List.of(property) : getHeaders(name);
	}

}
