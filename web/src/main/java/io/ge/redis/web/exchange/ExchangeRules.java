// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.Refusal;
import io.ge.redis.idempotency.IdempotencyException;
import io.ge.redis.idempotency.IdempotencyProperties;
import io.ge.redis.idempotency.OversizedResponse;
import io.ge.redis.idempotency.spi.Recording;

import org.springframework.http.HttpHeaders;

/**
 * Decides whether a response is kept under the key of its request, and with which
 * headers.
 * <p>
 * Kept are successes, redirections, and errors of the client that a repetition would get
 * again. Responses that ask for another attempt (401, 403, 408, 409, 425, 429 and 503)
 * free the key unless something was, or may have been, committed. All other errors of the
 * server count as a failure of the call. So does every answer to an exception but an
 * error of the client that a repetition would get again: a status does not show what the
 * method has done before it failed.
 *
 * @param headers the names of the headers that are kept
 */
record ExchangeRules(Set<String> headers, long maxBytes, OversizedResponse oversized, long maxUnreadBytes) {

	private static final Set<Integer> RETRYABLE = Set.of(401, 403, 408, 409, 425, 429, 503);

	private static final List<String> KEPT = List.of(HttpHeaders.ACCEPT_RANGES, HttpHeaders.ALLOW,
			HttpHeaders.CACHE_CONTROL, HttpHeaders.CONTENT_DISPOSITION, HttpHeaders.CONTENT_ENCODING,
			HttpHeaders.CONTENT_LANGUAGE, HttpHeaders.CONTENT_LOCATION, HttpHeaders.CONTENT_RANGE,
			HttpHeaders.CONTENT_TYPE, HttpHeaders.ETAG, HttpHeaders.EXPIRES, HttpHeaders.LAST_MODIFIED,
			HttpHeaders.LINK, HttpHeaders.LOCATION, HttpHeaders.VARY);

	// Headers of the user, of the moment, or of the connection
	private static final Set<String> NEVER_KEPT = Set.of("set-cookie", "set-cookie2", "date", "connection",
			"keep-alive", "proxy-authenticate", "proxy-authorization", "te", "trailer", "transfer-encoding", "upgrade",
			"content-length", "www-authenticate", "authorization");

	static ExchangeRules of(IdempotencyProperties properties) {
		return new ExchangeRules(keptHeaders(properties.replayedHeaders()), properties.maxResultSize().toBytes(),
				properties.onOversizedResponse(), properties.maxUnreadBodySize().toBytes());
	}

	static Set<String> keptHeaders(List<String> further) {
		Set<String> names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
		names.addAll(KEPT);
		for (String name : further) {
			if (NEVER_KEPT.contains(name.toLowerCase(Locale.ROOT))) {
				throw new GuardConfigurationException("ge.redis.idempotency.replayed-headers",
						"the header " + name + " belongs to one response and must not be given to another.",
						"Remove it from the list.");
			}
			names.add(name);
		}
		return names;
	}

	static Recording judge(int status, boolean failed, Supplier<Recording> kept) {
		if (failed) {
			boolean settled = status >= 400 && status < 500 && !RETRYABLE.contains(status);
			return settled ? kept.get() : new Recording.Failed();
		}
		if (RETRYABLE.contains(status)) {
			return new Recording.Retryable();
		}
		return (status >= 500) ? new Recording.Failed() : kept.get();
	}

	/**
	 * More of the body is unread than may be kept to be compared with a repetition.
	 */
	static final class UnreadBodyTooLargeException extends IdempotencyException {

		UnreadBodyTooLargeException(long most) {
			super("More than " + most + " bytes of the request were not read before its idempotency key was claimed");
		}

		@Override
		public Refusal refusal() {
			return Refusal.of(413, "request-too-large", "The request is too large to be compared with a repetition",
					String.valueOf(getMessage()));
		}

	}

}
