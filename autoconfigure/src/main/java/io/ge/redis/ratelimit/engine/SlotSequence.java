/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit.engine;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Slots asked one after the other, until one denies: then what the earlier ones took is
 * given back.
 */
final class SlotSequence {

	private final Deque<List<PermitRequest>> open;

	private final Function<List<PermitRequest>, CompletableFuture<RedisDecision>> ask;

	private final Consumer<RedisDecision> giveBack;

	private final List<RedisDecision> decisions = new ArrayList<>();

	SlotSequence(Collection<List<PermitRequest>> slots,
			Function<List<PermitRequest>, CompletableFuture<RedisDecision>> ask, Consumer<RedisDecision> giveBack) {
		this.open = new ArrayDeque<>(slots);
		this.ask = ask;
		this.giveBack = giveBack;
	}

	/**
	 * Asks.
	 * @return the decisions, of which only the last one can be a denial
	 */
	CompletableFuture<List<RedisDecision>> decisions() {
		return this.ask.apply(this.open.removeFirst()).whenComplete((decision, failure) -> {
			if (failure != null || !decision.isAllowed()) {
				this.decisions.forEach(this.giveBack);
			}
		}).thenCompose(this::goOn);
	}

	private CompletableFuture<List<RedisDecision>> goOn(RedisDecision decision) {
		this.decisions.add(decision);
		return (decision.isAllowed() && !this.open.isEmpty()) ? decisions()
				: CompletableFuture.completedFuture(this.decisions);
	}

}
