// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatRuntimeException;

/**
 * Tests for {@link StoredResponse}.
 */
class StoredResponseTests {

	private static final Set<String> NAMES = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);

	static {
		NAMES.addAll(List.of("ETag", "Link"));
	}

	@Test
	void readsWhatWasKept() {
		StoredResponse kept = new StoredResponse(
				new StoredResponse.Head(201, Map.of("ETag", List.of("\"1\""), "Link", List.of("<\u00e4>,\t<b>", ""))),
				new byte[] { 0, '\n', -1 });
		StoredResponse read = StoredResponse.read(kept.write(), NAMES);
		assertThat(read.head()).isEqualTo(kept.head());
		assertThat(read.body()).isEqualTo(kept.body());
	}

	@Test
	void leavesOutHeadersThatAreNotKept() {
		String headers = "{\"Set-Cookie\":[\"a=b\"],\"etag\":[\"1\"],\"Link\":[]}";
		assertThat(read(200, headers).headers()).isEqualTo(Map.of("etag", List.of("1")));
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 100, 199, 600, 999 })
	void refusesStatusThatNoResponseHas(int status) {
		assertThatIllegalArgumentException().isThrownBy(() -> read(status, "{}"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "null", "{\"ETag\":null}", "{\"ETag\":[null]}", "{\"ETag\":[\"1\\n2\"]}",
			"{\"ETag\":[\"1\\r2\"]}", "{\"ETag\":[\"1\\u00002\"]}", "{\"ETag\":[\"1\",\" 2\"]}" })
	void refusesHeadersThatNoResponseHas(String headers) {
		assertThatRuntimeException().isThrownBy(() -> read(200, headers));
	}

	private static StoredResponse.Head read(int status, String headers) {
		String head = "{\"status\":" + status + ",\"headers\":" + headers + ",\"bodiless\":false}";
		return StoredResponse.read((head + "\nbody").getBytes(StandardCharsets.UTF_8), NAMES).head();
	}

}
