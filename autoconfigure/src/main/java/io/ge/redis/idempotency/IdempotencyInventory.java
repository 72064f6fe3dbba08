/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import java.lang.management.ManagementFactory;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * The report of one instance about its keys: who it is, how many of its calls are in
 * flight, and of so many keys as fit into a message of a bounded size, those in flight
 * first, which they are. How they stand is for Redis to say.
 *
 * @param process the process and the host, as the Java runtime names them
 * @param inFlight how many calls of the instance are in flight
 * @param keys the keys, as far as they fit
 */
record IdempotencyInventory(String process, int inFlight, List<RedisIdempotencyKey> keys) {

	static final String TOPIC = "idempotency.list";

	/** Bounds the keys. */
	static final int MOST = 100;

	/** Of a message, in characters that are all ASCII. */
	private static final int LONGEST = 32_000;

	/**
	 * Returns the text that asks for all keys.
	 */
	static String askForAll() {
		return "";
	}

	/**
	 * Returns the text that asks for a key of an operation.
	 */
	static String askFor(String operation, String hash) {
		return encode(operation) + ' ' + encode(hash);
	}

	/**
	 * Answers to a question about the keys of this instance.
	 */
	static String answer(String question, Collection<RedisIdempotencyKey> inFlight,
			Collection<RedisIdempotencyKey> recent) {
		StringBuilder text = new StringBuilder();
		text.append(encode(ManagementFactory.getRuntimeMXBean().getName())).append(' ').append(inFlight.size());
		Set<RedisIdempotencyKey> keys = new LinkedHashSet<>(inFlight);
		keys.addAll(recent);
		keys.stream().filter(wanted(question)).limit(MOST).forEach((key) -> append(text, key));
		return text.toString();
	}

	private static Predicate<RedisIdempotencyKey> wanted(String question) {
		if (question.equals(askForAll())) {
			return (key) -> true;
		}
		String[] words = question.split(" ");
		String operation = decode(words[0]);
		String hash = decode(words[1]);
		return (key) -> key.operation().equals(operation) && key.digest().equals(hash);
	}

	private static void append(StringBuilder text, RedisIdempotencyKey key) {
		int end = text.length();
		text.append('\n').append(encode(key.operation())).append(' ').append(encode(key.toString()));
		if (text.length() > LONGEST) {
			text.setLength(end);
		}
	}

	/**
	 * Reads an answer.
	 * @param keys makes a key of the name of its operation and its text
	 * @return what was said, or {@code null} if the instance has never claimed a key
	 */
	static @Nullable IdempotencyInventory parse(String answer, BiFunction<String, String, RedisIdempotencyKey> keys) {
		if (answer.isEmpty()) {
			return null;
		}
		String[] lines = answer.split("\n");
		List<RedisIdempotencyKey> told = new ArrayList<>();
		for (int i = 1; i < lines.length; i++) {
			String[] words = lines[i].split(" ");
			told.add(keys.apply(decode(words[0]), decode(words[1])));
		}
		String[] self = lines[0].split(" ");
		return new IdempotencyInventory(decode(self[0]), Integer.parseInt(self[1]), told);
	}

	private static String encode(String text) {
		return URLEncoder.encode(text, StandardCharsets.UTF_8);
	}

	private static String decode(String text) {
		return URLDecoder.decode(text, StandardCharsets.UTF_8);
	}

}
