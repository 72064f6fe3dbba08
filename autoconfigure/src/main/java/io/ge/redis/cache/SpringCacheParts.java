/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import io.ge.redis.core.call.Handover;
import io.ge.redis.core.event.GuardEvents;

import org.springframework.aop.support.AopUtils;
import org.springframework.transaction.interceptor.TransactionAttributeSource;

/**
 * The parts of Spring's caches.
 *
 * @param definitions the caches by name
 * @param caches what code uses
 * @param writer writes
 * @param reader reads where the loader is known
 * @param split reads where the caller loads
 * @param transactions what the current thread is in the middle of
 * @param handover goes on with what Redis has answered
 * @param types finds the types of values
 * @param codec knows types
 * @param events told of what is done
 * @param attributes knows what methods say about transactions
 */
record SpringCacheParts(CacheDefinitions definitions, DefaultCaches caches, CacheWriter writer, CacheReader reader,
		SplitReader split, CacheTransactions transactions, Handover handover, SpringTypes types, CacheCodec codec,
		GuardEvents events, TransactionAttributeSource attributes) {

	/**
	 * Returns what the method of an operation says about transactions.
	 */
	TransactionBoundary boundary(SpringOperation operation) {
		return TransactionBoundary.of(AopUtils.getMostSpecificMethod(operation.method(), operation.targetClass()),
				operation.targetClass(), this.attributes);
	}

	/**
	 * Removes an entry, or all of a cache, at once and without waiting, and tells it
	 * later.
	 */
	void removeSoon(CacheKey target) {
		this.handover.then(this.writer.removeSoon(target), (outcome) -> {
			this.events.publish(new CacheEvent.Write(target.cache(), outcome));
			return Handover.done(outcome);
		});
	}

}
