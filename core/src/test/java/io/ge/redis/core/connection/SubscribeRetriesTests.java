// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.connection;

import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoInteractions;

/**
 * Tests for {@link SubscribeRetries}.
 */
class SubscribeRetriesTests {

	private static final RuntimeException REFUSED = new IllegalStateException("driver",
			new IllegalStateException("NOPERM this user has no permissions"));

	private final PushSubscriber subscriber = mock(PushSubscriber.class);

	private final SubscribeRetries retries = new SubscribeRetries(this.subscriber);

	@Test
	void serverThatRefusesIsAskedLessAndLessOften() {
		List<Long> delays = List.of(250L, 500L, 1000L, 2000L, 4000L, 8000L, 8000L, 8000L);
		assertThat(Stream.generate(() -> this.retries.afterFailure(REFUSED)).limit(delays.size()))
			.containsExactlyElementsOf(delays);
		verify(this.subscriber, times(delays.size())).onRefused(REFUSED);
		this.retries.subscribed();
		assertThat(this.retries.afterFailure(REFUSED)).isEqualTo(250);
	}

	@Test
	void serverThatIsUnavailableIsAskedFourTimesASecond() {
		for (int i = 0; i < 8; i++) {
			assertThat(this.retries.afterFailure(new IllegalStateException("Connection closed"))).isEqualTo(250);
		}
		verifyNoInteractions(this.subscriber);
	}

}
