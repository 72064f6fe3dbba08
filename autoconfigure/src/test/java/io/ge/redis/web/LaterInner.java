// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web;

import io.ge.redis.idempotency.Idempotent;

import org.springframework.stereotype.Controller;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ResponseBody;

/**
 * What a handler of every form of result calls: a method that is no handler, and one that
 * is the handler of another request.
 */
@Service
@Controller
abstract class LaterInner {

	final LaterWork work;

	LaterInner(LaterWork work) {
		this.work = work;
	}

	@Idempotent(key = "#key")
	public abstract Object once(String key);

	@GetMapping("/inner")
	@ResponseBody
	@Idempotent(key = "'same'")
	public abstract Object handler();

}
