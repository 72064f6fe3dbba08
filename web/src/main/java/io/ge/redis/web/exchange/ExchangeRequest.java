// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.security.DigestInputStream;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

import io.ge.redis.core.hash.Sha256;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.Part;
import org.jspecify.annotations.Nullable;

/**
 * Request whose body is hashed while it is read. When the hash is requested, the unread
 * rest is read and kept for later readers.
 */
final class ExchangeRequest extends HttpServletRequestWrapper {

	private static final String SESSION = "(?i);jsessionid=[^;/]*";

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

	private byte @Nullable [] hash(long mostUnread) throws IOException {
		return (this.watched && !this.readBefore) ? body().hash(mostUnread) : null;
	}

	/**
	 * Returns the content that has to be equal in a repetition, {@code null} if it cannot
	 * be read unchanged. A multipart request is compared part by part, since the text
	 * between them differs, unless the server does not take it apart.
	 */
	@Nullable List<@Nullable Object> content(long mostUnread) {
		List<@Nullable Object> content = contentWithoutBody(this);
		try {
			Object body = parts(mostUnread);
			content.add(body);
			return (body != null) ? content : null;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	static List<@Nullable Object> contentWithoutBody(HttpServletRequest request) {
		// Before the body: a server may have to read a form to know them
		Map<String, List<String>> parameters = new TreeMap<>();
		request.getParameterMap().forEach((name, values) -> parameters.put(name, List.of(values)));
		return HandlerRequests.content(request.getMethod(), path(request), parameters);
	}

	private static String path(HttpServletRequest request) {
		String path = request.getRequestURI().substring(request.getContextPath().length());
		return path.contains(";") ? path.replaceAll(SESSION, "") : path;
	}

	private @Nullable Object parts(long mostUnread) throws IOException {
		List<Object> parts = isOfType("multipart/form-data") ? parts() : List.of();
		if (!parts.isEmpty()) {
			return parts;
		}
		byte[] hash = hash(mostUnread);
		// A server may take apart more than forms, and leave nothing to be read
		boolean taken = Arrays.equals(hash, HandlerRequests.NO_BODY) && isOfType("multipart/");
		return taken ? parts() : hash;
	}

	private boolean isOfType(String prefix) {
		String type = getContentType();
		return type != null && type.toLowerCase(Locale.ROOT).startsWith(prefix);
	}

	private List<Object> parts() throws IOException {
		List<Object> parts = new ArrayList<>();
		Collection<Part> sent;
		try {
			sent = getParts();
		}
		catch (ServletException | IllegalStateException ex) {
			// Nothing that the server takes apart
			return parts;
		}
		for (Part part : sent) {
			parts.add(part(part.getName(), part.getSubmittedFileName(), part.getInputStream()));
		}
		return parts;
	}

	private static List<Object> part(String name, @Nullable String fileName, InputStream content) throws IOException {
		MessageDigest digest = Sha256.digest();
		try (content; OutputStream sink = new DigestOutputStream(OutputStream.nullOutputStream(), digest)) {
			content.transferTo(sink);
		}
		return HandlerRequests.part(name, fileName, digest.digest());
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

		private ExchangeRules.@Nullable UnreadBodyTooLargeException tooLarge;

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
					this.tooLarge = new ExchangeRules.UnreadBodyTooLargeException(mostUnread);
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
