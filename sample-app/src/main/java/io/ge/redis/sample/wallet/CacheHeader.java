// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.wallet;

import io.ge.redis.cache.CacheEvent;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * Tells callers whether an answer came out of Redis. What the guards decide is published
 * as events, those of readers on the thread of the call.
 */
@Component
class CacheHeader {

	@EventListener
	void onRead(CacheEvent.Read read) {
		if (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes request) {
			HttpServletResponse response = request.getResponse();
			if (response != null) {
				response.setHeader("X-Cache", (read.access() == CacheEvent.Access.HIT) ? "hit" : "miss");
			}
		}
	}

}
