/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.bus;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A question under way. It is over when as many have answered as the server has told, or,
 * where a server knows only of its own listeners, all that are known.
 */
final class Question {

	private final Set<String> known;

	private final boolean counted;

	private final Map<String, String> texts = new ConcurrentHashMap<>();

	private final AtomicInteger answered = new AtomicInteger();

	private volatile int receivers = Integer.MAX_VALUE;

	private final CompletableFuture<Answers> result = new CompletableFuture<>();

	/**
	 * Creates a question.
	 * @param known the instances that should answer
	 * @param counted whether it will be told how many have received the question
	 */
	Question(Set<String> known, boolean counted) {
		this.known = known;
		this.counted = counted;
	}

	/**
	 * Takes what the asking instance says itself.
	 */
	void ownAnswer(String instance, String text) {
		this.texts.put(instance, text);
		endIfAnswered();
	}

	/**
	 * Takes a message with the answer of an instance.
	 * @param text the answer, empty if it has none: it may have another bus which has
	 */
	void answer(String instance, String text) {
		if (text.isEmpty()) {
			this.texts.putIfAbsent(instance, text);
		}
		else {
			this.texts.put(instance, text);
		}
		this.answered.incrementAndGet();
		endIfAnswered();
	}

	/**
	 * Waits for as many messages as the question has receivers.
	 */
	void sentTo(int receivers) {
		this.receivers = receivers;
		endIfAnswered();
	}

	private void endIfAnswered() {
		boolean all = this.counted ? this.answered.get() >= this.receivers
				: this.texts.keySet().containsAll(this.known);
		if (all) {
			end();
		}
	}

	/**
	 * Waits for no further answer.
	 */
	void end() {
		Map<String, String> given = new TreeMap<>(this.texts);
		Set<String> silent = new TreeSet<>(this.known);
		silent.removeAll(given.keySet());
		this.result.complete(new Answers(given, silent));
	}

	CompletableFuture<Answers> result() {
		return this.result;
	}

}
