// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange.servlet;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import io.ge.redis.web.exchange.IdempotencyKeyHeader;
import io.ge.redis.web.exchange.KeptHeaders;
import io.ge.redis.web.exchange.StoredResponse;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

/**
 * A response that passes everything on, until it is told to hold it back or to give
 * another response in its place.
 * <p>
 * Held back is what would commit it: the body, its length, errors and redirections.
 * Status and headers are passed on, so that filters see them. A body longer than is kept
 * is passed on from there.
 * <p>
 * Each of the many ways to write, to fail or to redirect must do right in all three
 * modes: one that is forgotten reaches the client before Redis has it, or beside what is
 * replayed.
 */
public final class ExchangeResponse extends HttpServletResponseWrapper {

	private final KeptHeaders kept;

	private final long maxBytes;

	private final Runnable overflow;

	private Mode mode = Mode.PASSING;

	private boolean watched;

	private @Nullable ServletOutputStream stream;

	private @Nullable PrintWriter writer;

	private @Nullable ByteArrayOutputStream body;

	private @Nullable Long length;

	private @Nullable Integer error;

	private @Nullable String errorMessage;

	private boolean closed;

	private @Nullable Locale locale;

	ExchangeResponse(HttpServletResponse response, Set<String> kept, long maxBytes, Runnable overflow) {
		super(response);
		this.kept = new KeptHeaders(kept);
		this.maxBytes = maxBytes;
		this.overflow = overflow;
	}

	void watch() {
		this.watched = true;
	}

	/**
	 * Holds the response back; of an earlier attempt only the headers stay.
	 */
	void capture() {
		this.watched = true;
		this.kept.begin(this::values);
		this.body = new ByteArrayOutputStream();
		this.writer = null;
		this.length = null;
		this.error = null;
		this.errorMessage = null;
		this.closed = false;
		this.mode = Mode.CAPTURING;
	}

	/**
	 * Discards what is written; that an earlier attempt has ended the response is
	 * forgotten.
	 */
	void discard() {
		this.watched = true;
		this.error = null;
		this.closed = false;
		this.mode = Mode.REPLAYING;
	}

	void abandonReplay() {
		this.mode = Mode.PASSING;
		this.length = null;
		setHeader(IdempotencyKeyHeader.REPLAYED, null);
	}

	StoredResponse captured(Map<String, List<String>> ahead) {
		Map<String, List<String>> headers = new LinkedHashMap<>(ahead);
		headers.putAll(this.kept.of(this::values));
		return new StoredResponse(
				new StoredResponse.Head(getStatus(), headers,
						(this.error == null) ? null : (this.errorMessage != null) ? this.errorMessage : "", false),
				(this.body != null) ? this.body.toByteArray() : new byte[0]);
	}

	StoredResponse withoutBody() {
		return new StoredResponse(new StoredResponse.Head(getStatus(), headersWithoutBody(), null, true), new byte[0]);
	}

	Map<String, List<String>> headersWithoutBody() {
		return this.kept.withoutBody(this::values);
	}

	void release() throws IOException {
		if (this.mode != Mode.CAPTURING) {
			return;
		}
		this.mode = Mode.PASSING;
		HttpServletResponse target = target();
		if (this.error != null) {
			sendError(target, this.error, this.errorMessage);
			return;
		}
		if (this.body != null && this.body.size() > 0) {
			send(target, this.body);
		}
		else if (this.length != null) {
			target.setContentLengthLong(this.length);
		}
	}

	void send(StoredResponse response) throws IOException {
		this.mode = Mode.PASSING;
		HttpServletResponse target = target();
		if (target.isCommitted()) {
			return;
		}
		StoredResponse.Head head = response.head();
		head.headers().forEach((name, values) -> {
			target.setHeader(name, values.get(0));
			values.subList(1, values.size()).forEach((value) -> target.addHeader(name, value));
		});
		if (head.error() != null) {
			sendError(target, head.status(), head.error());
			return;
		}
		target.setStatus(head.status());
		if (head.bodiless()) {
			target.setHeader("Preference-Applied", "return=minimal");
		}
		if (response.body().length > 0) {
			target.setContentLength(response.body().length);
			target.getOutputStream().write(response.body());
		}
	}

	private static void sendError(HttpServletResponse target, int status, @Nullable String message) throws IOException {
		if (message == null || message.isEmpty()) {
			target.sendError(status);
		}
		else {
			target.sendError(status, message);
		}
	}

	private static void send(HttpServletResponse target, ByteArrayOutputStream body) throws IOException {
		if (target.getHeader(HttpHeaders.TRANSFER_ENCODING) == null) {
			target.setContentLength(body.size());
		}
		body.writeTo(target.getOutputStream());
	}

	private HttpServletResponse target() {
		return (HttpServletResponse) getResponse();
	}

	boolean isError() {
		return this.error != null;
	}

	private void write(byte[] bytes, int offset, int count) throws IOException {
		if (this.mode == Mode.REPLAYING || this.closed) {
			return;
		}
		if (this.mode == Mode.CAPTURING && this.body != null) {
			if (this.body.size() + (long) count <= this.maxBytes) {
				this.body.write(bytes, offset, count);
				return;
			}
			this.overflow.run();
			passOn();
		}
		target().getOutputStream().write(bytes, offset, count);
	}

	private void passOn() throws IOException {
		this.mode = Mode.PASSING;
		if (this.length != null) {
			target().setContentLengthLong(this.length);
		}
		if (this.body != null) {
			this.body.writeTo(target().getOutputStream());
			this.body = null;
		}
	}

	/**
	 * Passes on what somebody else will write later. An error is all there is to come.
	 */
	void handOver() throws IOException {
		if (isError()) {
			release();
		}
		else if (this.mode == Mode.CAPTURING) {
			passOn();
		}
	}

	// What the client is to get of the head is settled once an error or a redirection was
	// sent, and in a replay
	private boolean isSettled() {
		return this.closed || this.mode == Mode.REPLAYING;
	}

	private boolean isPassing() {
		return this.mode == Mode.PASSING;
	}

	@Override
	public ServletOutputStream getOutputStream() throws IOException {
		if (!this.watched) {
			return super.getOutputStream();
		}
		if (this.stream == null) {
			this.stream = new Output();
		}
		return this.stream;
	}

	@Override
	public PrintWriter getWriter() throws IOException {
		if (!this.watched) {
			return super.getWriter();
		}
		if (this.writer == null) {
			String encoding = getCharacterEncoding();
			Charset charset = (encoding != null) ? Charset.forName(encoding) : StandardCharsets.ISO_8859_1;
			setCharacterEncoding(charset.name());
			this.writer = new PrintWriter(new ExchangeWriter(getOutputStream(), charset));
		}
		return this.writer;
	}

	@Override
	public void flushBuffer() throws IOException {
		if (isPassing()) {
			super.flushBuffer();
		}
	}

	@Override
	public boolean isCommitted() {
		return this.closed || super.isCommitted();
	}

	@Override
	public void resetBuffer() {
		if (this.closed) {
			throw new IllegalStateException("The response is committed");
		}
		if (isPassing()) {
			super.resetBuffer();
		}
		if (this.body != null) {
			this.body.reset();
		}
		this.length = null;
	}

	@Override
	public void reset() {
		if (this.mode == Mode.REPLAYING) {
			return;
		}
		resetBuffer();
		super.reset();
	}

	@Override
	public void setBufferSize(int size) {
		if (isPassing()) {
			super.setBufferSize(size);
		}
	}

	@Override
	public void sendError(int status) throws IOException {
		sendError(status, null);
	}

	@Override
	public void sendError(int status, @Nullable String message) throws IOException {
		if (isPassing()) {
			sendError(target(), status, message);
		}
		else if (this.mode == Mode.CAPTURING) {
			resetBuffer();
			this.error = status;
			this.errorMessage = message;
			this.closed = true;
		}
	}

	// Each is passed on as it came, since what is around this may know only one of them
	@Override
	public void sendRedirect(String location) throws IOException {
		if (isPassing()) {
			super.sendRedirect(location);
			return;
		}
		redirect(location, SC_FOUND, true);
	}

	@Override
	public void sendRedirect(String location, int status) throws IOException {
		if (isPassing()) {
			super.sendRedirect(location, status);
			return;
		}
		redirect(location, status, true);
	}

	@Override
	public void sendRedirect(String location, boolean clearBuffer) throws IOException {
		if (isPassing()) {
			super.sendRedirect(location, clearBuffer);
			return;
		}
		redirect(location, SC_FOUND, clearBuffer);
	}

	@Override
	public void sendRedirect(String location, int status, boolean clearBuffer) throws IOException {
		if (isPassing()) {
			super.sendRedirect(location, status, clearBuffer);
			return;
		}
		redirect(location, status, clearBuffer);
	}

	private void redirect(String location, int status, boolean clearBuffer) {
		if (this.mode == Mode.CAPTURING) {
			if (clearBuffer) {
				resetBuffer();
			}
			setStatus(status);
			setHeader(HttpHeaders.LOCATION, location);
			this.closed = true;
		}
	}

	@Override
	public void setStatus(int status) {
		if (!isSettled()) {
			super.setStatus(status);
		}
	}

	@Override
	public int getStatus() {
		return (this.error != null) ? this.error : super.getStatus();
	}

	@Override
	public void setContentLength(int length) {
		setContentLengthLong(length);
	}

	@Override
	public void setContentLengthLong(long length) {
		if (this.closed) {
			return;
		}
		if (isPassing()) {
			super.setContentLengthLong(length);
		}
		else {
			this.length = length;
		}
	}

	@Override
	public void setContentType(@Nullable String type) {
		if (!isSettled()) {
			super.setContentType(type);
		}
	}

	@Override
	public void setCharacterEncoding(@Nullable String encoding) {
		if (!isSettled()) {
			super.setCharacterEncoding(encoding);
		}
	}

	@Override
	public void setCharacterEncoding(@Nullable Charset encoding) {
		if (!isSettled()) {
			super.setCharacterEncoding(encoding);
		}
	}

	@Override
	public void setLocale(@Nullable Locale locale) {
		if (!isSettled()) {
			this.locale = locale;
			super.setLocale(locale);
		}
	}

	@Override
	public void setHeader(String name, @Nullable String value) {
		if (!isHeldBack(name, value)) {
			super.setHeader(name, value);
		}
	}

	@Override
	public void addHeader(String name, @Nullable String value) {
		if (!isHeldBack(name, value)) {
			super.addHeader(name, value);
		}
	}

	@Override
	public void setIntHeader(String name, int value) {
		if (!isHeldBack(name, String.valueOf(value))) {
			super.setIntHeader(name, value);
		}
	}

	@Override
	public void addIntHeader(String name, int value) {
		if (!isHeldBack(name, String.valueOf(value))) {
			super.addIntHeader(name, value);
		}
	}

	@Override
	public void setDateHeader(String name, long date) {
		if (!this.closed) {
			super.setDateHeader(name, date);
		}
	}

	@Override
	public void addDateHeader(String name, long date) {
		if (!this.closed) {
			super.addDateHeader(name, date);
		}
	}

	@Override
	public void addCookie(Cookie cookie) {
		if (!this.closed) {
			super.addCookie(cookie);
		}
	}

	// Not every server shows its properties among the headers
	private @Nullable Collection<String> values(String name) {
		String property = null;
		if (name.equalsIgnoreCase(HttpHeaders.CONTENT_TYPE)) {
			property = getContentType();
		}
		else if (this.locale != null && name.equalsIgnoreCase(HttpHeaders.CONTENT_LANGUAGE)) {
			property = this.locale.toLanguageTag();
		}
		return (property != null) ? List.of(property) : getHeaders(name);
	}

	private boolean isHeldBack(String name, @Nullable String value) {
		if (this.closed || isPassing()) {
			return this.closed;
		}
		if (name.equalsIgnoreCase(HttpHeaders.CONTENT_LENGTH)) {
			this.length = (value != null) ? Long.valueOf(value) : null;
			return true;
		}
		return this.mode == Mode.REPLAYING && this.kept.contains(name);
	}

	private enum Mode {

		PASSING,

		CAPTURING,

		REPLAYING

	}

	private final class Output extends ServletOutputStream {

		@Override
		public void write(int value) throws IOException {
			ExchangeResponse.this.write(new byte[] { (byte) value }, 0, 1);
		}

		@Override
		public void write(byte[] bytes, int offset, int count) throws IOException {
			ExchangeResponse.this.write(bytes, offset, count);
		}

		@Override
		public void flush() throws IOException {
			if (isPassing()) {
				target().getOutputStream().flush();
			}
		}

		@Override
		public void close() throws IOException {
			if (isPassing()) {
				target().getOutputStream().close();
			}
		}

		@Override
		public boolean isReady() {
			return raw().isReady();
		}

		@Override
		public void setWriteListener(WriteListener listener) {
			raw().setWriteListener(listener);
		}

		private ServletOutputStream raw() {
			try {
				return target().getOutputStream();
			}
			catch (IOException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

}
