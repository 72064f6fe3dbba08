// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme.tickets;

import io.ge.redis.autoconfigure.WithoutGuards;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A whole application, as the page on testing shows it.
 */
// @formatter:off
@SpringBootTest
@WithoutGuards
class TicketApplicationTests {

	@Autowired
	private TicketController tickets;

	@Test
	void sellsMoreThanTheLimit() {
		long first = this.tickets.sell("jazz", 0);
		assertThat(this.tickets.sell("jazz", 0)).isGreaterThan(first);
	}

}
