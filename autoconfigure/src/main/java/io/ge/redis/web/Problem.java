/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import java.net.URI;
import java.time.Duration;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;

/**
 * An answer that says why a call was refused.
 *
 * @param detail the body
 * @param headers further response headers
 */
public record Problem(ProblemDetail detail, HttpHeaders headers) {

	/** Where the project describes its own problem types. */
	private static final String OWN_TYPES = "urn:ge-redis:problem:";

	private static final String IANA_TYPES = "https://iana.org/assignments/http-problem-types#";

	/**
	 * Creates a problem of a registered type.
	 * @param status the status
	 * @param type the fragment that names the type
	 * @param title the title
	 * @param detail what happened
	 * @return the problem
	 */
	public static Problem registered(HttpStatus status, String type, String title, String detail) {
		return of(status, URI.create(IANA_TYPES + type), title, detail);
	}

	/**
	 * Creates a problem of a type of this project, {@code urn:ge-redis:problem:<type>}.
	 * @param status the status
	 * @param type the last segment of the type
	 * @param title the title
	 * @param detail what happened
	 * @return the problem
	 */
	public static Problem own(HttpStatus status, String type, String title, String detail) {
		return of(status, URI.create(OWN_TYPES + type), title, detail);
	}

	private static Problem of(HttpStatus status, URI type, String title, String detail) {
		ProblemDetail body = ProblemDetail.forStatusAndDetail(status, detail);
		body.setType(type);
		body.setTitle(title);
		return new Problem(body, new HttpHeaders());
	}

	/**
	 * Adds a member to the body.
	 * @param name the member's name
	 * @param value its value
	 * @return this problem
	 */
	public Problem with(String name, Object value) {
		this.detail.setProperty(name, value);
		return this;
	}

	/**
	 * Adds a response header.
	 * @param name the header's name
	 * @param value its value
	 * @return this problem
	 */
	public Problem header(String name, String value) {
		this.headers.set(name, value);
		return this;
	}

	/**
	 * Adds {@code Retry-After}: whole seconds, rounded up, at least one, so never early.
	 * @param wait the wait
	 * @return this problem
	 */
	public Problem retryAfter(Duration wait) {
		return header(HttpHeaders.RETRY_AFTER, Long.toString(Math.max(1, ceilSeconds(wait))));
	}

	static long ceilSeconds(Duration duration) {
		return duration.plusNanos(999_999_999).toSeconds();
	}

}
