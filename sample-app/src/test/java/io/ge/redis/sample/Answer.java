// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample;

import java.net.http.HttpResponse;
import java.time.Duration;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What the desk answered.
 *
 * @param response the response as received
 * @param elapsed from the call to the end of the body
 */
record Answer(HttpResponse<String> response, Duration elapsed) {

	private static final JsonMapper MAPPER = new JsonMapper();

	int status() {
		return this.response.statusCode();
	}

	@Nullable String header(String name) {
		return this.response.headers().firstValue(name).orElse(null);
	}

	String body() {
		return this.response.body();
	}

	JsonNode json() {
		return MAPPER.readTree(this.response.body());
	}

	String text(String field) {
		return json().path(field).asString();
	}

	@Override
	public String toString() {
		return status() + " " + body();
	}

}
