// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.fault;

/**
 * A line of the table.
 *
 * @param fault what went wrong
 * @param pattern what was used meanwhile
 * @param promise what had to hold
 * @param subject whose implementation was used
 * @param operations how many calls were made
 * @param faultsInjected how often the fault was injected
 * @param violations how often the promise did not hold
 * @param worstLatencyMillis the longest call, or the longest time until somebody was
 * served, as the promise says
 * @param noted what is no violation but worth to know, counted
 */
public record Row(String fault, String pattern, String promise, String subject, long operations, long faultsInjected,
		long violations, long worstLatencyMillis, String noted) {

}
