// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.connection;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import io.ge.redis.test.Stopwatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * What becomes of commands for which no thread is free.
 */
class SpringDataGuardConnectionTests {

	private static final Duration LONG = Duration.ofSeconds(20);

	private static final byte[] NOTHING = {};

	@Test
	void commandIsSentLateToWhoStillWaits() {
		assertThat(sentAfterASecond(LONG)).succeedsWithin(LONG);
	}

	@Test
	void commandThatNobodyWaitsForAnyMoreIsNotSent() {
		assertThat(sentAfterASecond(Duration.ofMillis(200))).failsWithin(LONG)
			.withThrowableThat()
			.withCauseInstanceOf(NotConnectedException.class);
	}

	/**
	 * Sends a command while all threads are busy for longer than a second.
	 */
	private static CompletableFuture<?> sentAfterASecond(Duration commandTimeout) {
		CountDownLatch free = new CountDownLatch(1);
		RedisConnection answering = mock(RedisConnection.class);
		given(answering.publish(any(), any())).willReturn(1L);
		RedisConnectionFactory factory = mock(RedisConnectionFactory.class);
		given(factory.getConnection()).willAnswer((call) -> {
			free.await();
			return answering;
		});
		try (SpringDataGuardConnection connection = new SpringDataGuardConnection(factory, commandTimeout)) {
			List<CompletableFuture<?>> sent = new ArrayList<>();
			for (int i = 0; i <= SpringDataGuardConnection.THREADS; i++) {
				sent.add(connection.publish(NOTHING, NOTHING).toCompletableFuture());
			}
			Stopwatch queued = Stopwatch.start();
			Awaitility.await().until(() -> queued.elapsed().toMillis() > 1000);
			free.countDown();
			Awaitility.await().atMost(LONG).until(() -> sent.stream().allMatch(CompletableFuture::isDone));
			return sent.get(SpringDataGuardConnection.THREADS);
		}
	}

}
