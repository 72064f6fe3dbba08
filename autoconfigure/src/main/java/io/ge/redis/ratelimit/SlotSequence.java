/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

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

	private final Deque<List<Demand>> open;

	private final Function<List<Demand>, CompletableFuture<RedisAnswer>> ask;

	private final Consumer<RedisAnswer> giveBack;

	private final List<RedisAnswer> answers = new ArrayList<>();

	SlotSequence(Collection<List<Demand>> slots, Function<List<Demand>, CompletableFuture<RedisAnswer>> ask,
			Consumer<RedisAnswer> giveBack) {
		this.open = new ArrayDeque<>(slots);
		this.ask = ask;
		this.giveBack = giveBack;
	}

	/**
	 * Asks.
	 * @return the answers, of which only the last one can be a denial
	 */
	CompletableFuture<List<RedisAnswer>> answers() {
		return this.ask.apply(this.open.removeFirst()).whenComplete((answer, failure) -> {
			if (failure != null || !answer.isAllowed()) {
				this.answers.forEach(this.giveBack);
			}
		}).thenCompose(this::goOn);
	}

	private CompletableFuture<List<RedisAnswer>> goOn(RedisAnswer answer) {
		this.answers.add(answer);
		return (answer.isAllowed() && !this.open.isEmpty()) ? answers()
				: CompletableFuture.completedFuture(this.answers);
	}

}
