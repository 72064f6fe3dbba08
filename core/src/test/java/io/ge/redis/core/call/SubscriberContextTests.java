// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.call;

import org.junit.jupiter.api.Test;
import reactor.util.context.Context;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link SubscriberContext}.
 */
class SubscriberContextTests {

	@Test
	void contextIsReadAndWritten() {
		Object context = SubscriberContext.with(Context.empty(), "key", "value");
		assertThat(SubscriberContext.find(context, "key")).isEqualTo("value");
		assertThat(SubscriberContext.find(context, "other")).isNull();
	}

}
