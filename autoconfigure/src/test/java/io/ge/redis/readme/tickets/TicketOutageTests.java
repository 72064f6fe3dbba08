// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme.tickets;

import io.ge.redis.RedisUnavailableException;
import io.ge.redis.lock.DistributedLocks;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * An application without Redis, as the page on testing shows it.
 */
// @formatter:off
@SpringBootTest(properties = { "spring.data.redis.host=localhost", "spring.data.redis.port=1" })
class TicketOutageTests {

	@Autowired
	private DistributedLocks locks;

	@Test
	void refusesALockDuringAnOutage() {
		assertThatExceptionOfType(RedisUnavailableException.class)
			.isThrownBy(() -> this.locks.tryLock("tickets", "jazz"));
	}

}
