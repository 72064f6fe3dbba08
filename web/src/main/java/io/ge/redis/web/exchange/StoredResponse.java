// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.util.Assert;

/**
 * A response as it is kept: status and headers as one line of JSON, then the body.
 */
record StoredResponse(Head head, byte[] body) {

	private static final JsonMapper JSON = JsonMapper.shared();

	private static final byte END_OF_HEAD = '\n';

	/** Without line breaks and other control characters, as servers demand. */
	private static final Pattern HEADER_VALUE = Pattern.compile("([!-~\\x80-\\uffff][\\t -~\\x80-\\uffff]*)?");

	public byte[] write() {
		byte[] line = JSON.writeValueAsString(this.head).getBytes(StandardCharsets.UTF_8);
		ByteArrayOutputStream joined = new ByteArrayOutputStream(line.length + 1 + this.body.length);
		joined.writeBytes(line);
		joined.write(END_OF_HEAD);
		joined.writeBytes(this.body);
		return joined.toByteArray();
	}

	/**
	 * Reads a response. Redis is not trusted: what no response of the application could
	 * be is refused, and headers other than the names are left out.
	 */
	public static StoredResponse read(byte[] bytes, Set<String> names) {
		int end = 0;
		while (bytes[end] != END_OF_HEAD) {
			end++;
		}
		return new StoredResponse(JSON.readValue(bytes, 0, end, Head.class).checked(names),
				Arrays.copyOfRange(bytes, end + 1, bytes.length));
	}

	/**
	 * The part before the body. An error whose body is made by the server has a message,
	 * perhaps empty; {@code bodiless} says that a body was too large to be kept.
	 */
	public record Head(int status, Map<String, List<String>> headers, @Nullable String error, boolean bodiless) {

		public Head(int status, Map<String, List<String>> headers) {
			this(status, headers, null, false);
		}

		private Head checked(Set<String> names) {
			Assert.isTrue(this.status >= 200 && this.status < 600, () -> "it has the status " + this.status);
			Map<String, List<String>> kept = new LinkedHashMap<>();
			this.headers.forEach((name, values) -> {
				if (names.contains(name) && !values.isEmpty()) {
					Assert.isTrue(values.stream().allMatch((value) -> HEADER_VALUE.matcher(value).matches()),
							() -> "its header " + name + " has a value that no header may have");
					kept.put(name, values);
				}
			});
			return new Head(this.status, kept, this.error, this.bodiless);
		}

	}

}
