// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import io.ge.redis.core.hash.Sha256;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.Part;
import org.jspecify.annotations.Nullable;

/**
 * The content that has to be equal in a repetition: method, path within the application,
 * parameters and body. A multipart request is compared part by part, since the text
 * between them differs, unless the server does not take it apart.
 */
final class RequestContent {

	private static final String SESSION = "(?i);jsessionid=[^;/]*";

	private RequestContent() {
	}

	/**
	 * Returns the content, {@code null} if it cannot be read unchanged.
	 */
	static @Nullable List<@Nullable Object> of(ExchangeRequest request, long mostUnread) {
		List<@Nullable Object> content = withoutBody(request);
		try {
			Object body = body(request, mostUnread);
			content.add(body);
			return (body != null) ? content : null;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	static List<@Nullable Object> withoutBody(HttpServletRequest request) {
		// Before the body: a server may have to read a form to know them
		Map<String, List<String>> parameters = new TreeMap<>();
		request.getParameterMap().forEach((name, values) -> parameters.put(name, List.of(values)));
		return ComparedRequest.withoutBody(request.getMethod(), path(request), parameters);
	}

	private static String path(HttpServletRequest request) {
		String path = request.getRequestURI().substring(request.getContextPath().length());
		return path.contains(";") ? path.replaceAll(SESSION, "") : path;
	}

	private static @Nullable Object body(ExchangeRequest request, long mostUnread) throws IOException {
		List<Object> parts = isOfType(request, "multipart/form-data") ? parts(request) : List.of();
		if (!parts.isEmpty()) {
			return parts;
		}
		byte[] hash = request.hash(mostUnread);
		// A server may take apart more than forms, and leave nothing to be read
		boolean taken = Arrays.equals(hash, ComparedRequest.NOTHING) && isOfType(request, "multipart/");
		return taken ? parts(request) : hash;
	}

	private static boolean isOfType(ExchangeRequest request, String prefix) {
		String type = request.getContentType();
		return type != null && type.toLowerCase(Locale.ROOT).startsWith(prefix);
	}

	private static List<Object> parts(ExchangeRequest request) throws IOException {
		List<Object> parts = new ArrayList<>();
		Collection<Part> sent;
		try {
			sent = request.getParts();
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
		return ComparedRequest.part(name, fileName, digest.digest());
	}

}
