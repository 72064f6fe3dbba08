// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.util.List;

import io.ge.redis.cache.internal.engine.CacheCodec;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link CacheValues}.
 */
class CacheValuesTests {

	@Test
	void writerIsNotToldThatNothingIsKnownOfTheType() {
		CacheCodec codec = new CacheCodec(() -> {
			throw new IllegalStateException("no mapper");
		}, () -> 16384, () -> 0);
		CacheValues values = new CacheValues(new CacheRegistry(() -> {
			throw new IllegalStateException("not needed");
		}, List::of), codec);
		assertThat(values.published("balances", "written", 0, null)).isNull();
	}

}
