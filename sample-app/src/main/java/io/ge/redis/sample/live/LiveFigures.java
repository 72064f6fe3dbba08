// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.live;

/**
 * Figures of this instance. Counts are totals since its start, so that a page that
 * connects again has missed nothing.
 *
 * @param admitted calls that a rate limit has admitted
 * @param refused calls that a rate limit has refused
 * @param locked locks that were acquired
 * @param notLocked attempts that found a lock held by another
 * @param hits reads that the cache has answered
 * @param misses reads that the database has answered
 * @param lag unread triggers, of all instances
 * @param pending triggers that are delivered and not acknowledged, of all instances
 * @param deadLetters triggers that were given up
 * @param scripts calls of scripts, without those for these figures
 * @param failedScripts those of them that have failed
 * @param outage whether calls are kept from Redis
 * @param agents the state of the consumer of triggers, such as {@code running}
 * @param hangOffered whether the embedded Redis is used, which can be made to hang
 * @param hangMillis how long it will hang
 * @param instance the position of this instance among all, from 1
 * @param instances the number of instances
 * @param redisPort the port of the embedded Redis, zero if another one is used
 */
record LiveFigures(long admitted, long refused, long locked, long notLocked, long hits, long misses, long lag,
		long pending, long deadLetters, long scripts, long failedScripts, boolean outage, String agents,
		boolean hangOffered, long hangMillis, int instance, int instances, int redisPort) {

}
