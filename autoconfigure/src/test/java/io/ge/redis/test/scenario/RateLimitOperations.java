/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.test.scenario;

import io.ge.redis.test.instance.Operation;
import io.ge.redis.test.oracle.Journal;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * What instances do in a {@link RateLimitScenario}, for applications that have a
 * {@link RateLimitPort}.
 */
@Configuration(proxyBeanMethods = false)
public class RateLimitOperations {

	private static final long PAUSE_MILLIS = 4;

	/**
	 * One call after the other. Arguments: key, and for how long in milliseconds. Result:
	 * the numbers of calls admitted, admitted locally, denied and failed, and the longest
	 * one in milliseconds.
	 * @param limit the limit
	 * @param journal where admissions are written
	 * @return the operation
	 */
	@Bean
	public Operation take(RateLimitPort limit, Journal journal) {
		return (arguments) -> {
			String key = arguments[0];
			long end = System.nanoTime() + Long.parseLong(arguments[1]) * 1_000_000;
			long[] counts = new long[4];
			long longest = 0;
			while (System.nanoTime() - end < 0) {
				long asked = System.nanoTime();
				try {
					RateLimitPort.Decision decision = limit.ask(key);
					counts[decision.ordinal()]++;
					if (decision == RateLimitPort.Decision.ADMITTED) {
						journal.write(Journal.ADMITTED, key, asked);
					}
					else if (decision == RateLimitPort.Decision.ADMITTED_LOCALLY) {
						journal.write(RateLimitScenario.ADMITTED_LOCALLY, key, asked);
					}
				}
				catch (RuntimeException ex) {
					counts[3]++;
				}
				longest = Math.max(longest, System.nanoTime() - asked);
				Thread.sleep(PAUSE_MILLIS);
			}
			return counts[0] + " " + counts[1] + " " + counts[2] + " " + counts[3] + " " + longest / 1_000_000;
		};
	}

}
