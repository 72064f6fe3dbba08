// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web;

import io.ge.redis.idempotency.Idempotent;

import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.PostMapping;

/**
 * The handlers of every form of result that leave the response to a view.
 */
@Controller
abstract class LaterPages {

	final LaterWork work;

	LaterPages(LaterWork work) {
		this.work = work;
	}

	@PostMapping("/view")
	@Idempotent
	public abstract Object view();

	@PostMapping("/page")
	@Idempotent
	public abstract Object page();

	@PostMapping("/redirect")
	@Idempotent
	public abstract Object redirect();

	@PostMapping("/forward")
	@Idempotent
	public abstract Object forward();

}
