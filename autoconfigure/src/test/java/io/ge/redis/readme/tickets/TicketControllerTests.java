// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme.tickets;

import io.ge.redis.autoconfigure.WithoutGuards;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A slice, as the page on testing shows it.
 */
// @formatter:off
@WebMvcTest(TicketController.class)
@WithoutGuards
class TicketControllerTests {

	@Autowired
	private MockMvcTester mvc;

	@Test
	void sells() {
		assertThat(this.mvc.post().uri("/concerts/jazz/tickets")).hasStatusOk().bodyText().isNotEqualTo("0");
	}

}
