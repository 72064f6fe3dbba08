// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.instance;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * One line between a test and an instance: fields separated by tabs, each encoded.
 */
final class Line {

	/** Does not stand for itself in what is encoded. */
	private static final String NULL = "!";

	private Line() {
	}

	static String of(@Nullable Object... fields) {
		StringBuilder line = new StringBuilder();
		for (Object field : fields) {
			if (!line.isEmpty()) {
				line.append('\t');
			}
			line.append((field != null) ? URLEncoder.encode(field.toString(), StandardCharsets.UTF_8) : NULL);
		}
		return line.toString();
	}

	static List<@Nullable String> fields(String line) {
		List<@Nullable String> fields = new ArrayList<>();
		for (String field : line.split("\t", -1)) {
			fields.add(field.equals(NULL) ? null : URLDecoder.decode(field, StandardCharsets.UTF_8));
		}
		return fields;
	}

}
