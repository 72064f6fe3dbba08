// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.mail;

import io.ge.redis.bloom.BloomFilters;
import io.ge.redis.sample.Inputs;

import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/**
 * Sends a mail to each address once.
 */
@RestController
class MailController {

	/** The name of the filter in {@code application.yml}. */
	private static final String MAILS = "mails";

	private final BloomFilters filters;

	MailController(BloomFilters filters) {
		this.filters = filters;
	}

	/**
	 * Nobody gets a second mail. In return one address in a thousand gets none, since the
	 * filter takes it for another.
	 */
	@PostMapping("/api/mails")
	Sending send(@RequestBody Mail mail) {
		return new Sending(this.filters.add(MAILS, mail.address()));
	}

	record Mail(String address) {

		Mail {
			Inputs.requireText("address", address);
		}

	}

	record Sending(boolean sent) {

	}

}
