// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.connection;

import io.lettuce.core.api.StatefulRedisConnection;
import org.junit.jupiter.api.Test;

import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;

/**
 * Tests for {@link LettuceReplicatedConnection}.
 */
class LettuceReplicatedConnectionTests {

	@Test
	@SuppressWarnings("unchecked")
	void closesTheConnectionOfTheDriverOnce() {
		StatefulRedisConnection<byte[], byte[]> driver = mock(StatefulRedisConnection.class);
		LettuceReplicatedConnection connection = new LettuceReplicatedConnection(driver);
		connection.close();
		connection.close();
		connection.closeAndWait();
		verify(driver).closeAsync();
		verify(driver, never()).close();
	}

}
