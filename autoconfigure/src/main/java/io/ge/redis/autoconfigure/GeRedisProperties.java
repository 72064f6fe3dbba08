/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.autoconfigure;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What holds for all guards.
 *
 * @param enabled whether annotated methods are guarded; if not, they run unguarded
 * @param keyPrefix first segment of every key and channel, without braces or white space
 * @param aop where the guards stand among other advice
 */
@ConfigurationProperties("ge.redis")
record GeRedisProperties(@DefaultValue("true") boolean enabled, @DefaultValue("ge") String keyPrefix,
		@DefaultValue Aop aop) {

	/**
	 * Where the guards stand among other advice.
	 *
	 * @param order position of the outermost guard, lower is further out; the others
	 * follow in steps of 100
	 */
	record Aop(@DefaultValue("" + AdviceOrder.DEFAULT_BASE) int order) {
	}

}
