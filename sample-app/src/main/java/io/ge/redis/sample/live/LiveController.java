// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.live;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * Feeds the live page.
 */
@RestController
@RequestMapping("/api/live")
@RegisterReflectionForBinding(LiveFigures.class)
class LiveController {

	private final LiveFeed feed;

	private final RedisHang hang;

	LiveController(LiveFeed feed, RedisHang hang) {
		this.feed = feed;
		this.hang = hang;
	}

	/**
	 * The figures, once a second. At most {@value LiveFeed#MOST_LISTENERS} callers are
	 * served at a time, others get 503.
	 */
	@GetMapping(path = "/events", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
	SseEmitter events() {
		return this.feed.listen();
	}

	/**
	 * Makes the embedded Redis hang for five seconds; 404 if another Redis is used.
	 */
	@PostMapping("/redis/hang")
	@ResponseStatus(HttpStatus.ACCEPTED)
	Hang hang() {
		this.hang.begin();
		return new Hang(this.hang.left().toMillis());
	}

	record Hang(long millis) {

	}

}
