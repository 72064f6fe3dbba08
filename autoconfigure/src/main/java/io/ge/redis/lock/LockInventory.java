/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.lang.management.ManagementFactory;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * The report of one instance about its locks: who it is, how many it has, and of so many
 * as fit into a message of a bounded size, those that are held longest first, name and
 * key, and who holds them or how many wait.
 *
 * @param process the process and the host, as the Java runtime names them
 * @param held how many locks callers of the instance hold
 * @param awaited how many locks callers of the instance wait for
 * @param holders the holders, as far as they fit
 * @param waiters the waiters, as far as they fit
 */
record LockInventory(String process, int held, int awaited, List<Holder> holders, List<Waiters> waiters) {

	static final String TOPIC = "lock.list";

	/** Bounds holders and waiters, each. */
	static final int MOST = 100;

	/** Of a message, in characters that are all ASCII. */
	private static final int LONGEST = 32_000;

	private static final String HOLDER = "h";

	private static final String WAITERS = "w";

	/**
	 * Returns the text that asks for all locks.
	 */
	static String askForAll() {
		return "";
	}

	/**
	 * Returns the text that asks for the locks of a name and a hash.
	 */
	static String askFor(String name, String hash) {
		return encode(name) + ' ' + encode(hash);
	}

	/**
	 * Answers to a question about the locks of this instance.
	 */
	static String answer(String question, List<HeldLock> held, List<Waiters> waiters) {
		Predicate<Named> wanted = wanted(question);
		StringBuilder text = new StringBuilder();
		text.append(encode(ManagementFactory.getRuntimeMXBean().getName()))
			.append(' ')
			.append(held.size())
			.append(' ')
			.append(waiters.size());
		held.stream()
			.map((lock) -> new Holder(new Named(lock.name(), lock.tenure.key), lock.token(), lock.age(),
					lock.remaining()))
			.filter((holder) -> wanted.test(holder.lock()))
			.sorted(Comparator.comparing(Holder::age).reversed())
			.limit(MOST)
			.forEach((holder) -> append(text, HOLDER, holder.lock(), holder.token(), holder.age().toNanos() / 1000,
					holder.remaining().toMillis()));
		waiters.stream()
			.filter((queue) -> wanted.test(queue.lock()))
			.sorted(Comparator.comparing(Waiters::count).reversed())
			.limit(MOST)
			.forEach((queue) -> append(text, WAITERS, queue.lock(), queue.count()));
		return text.toString();
	}

	private static Predicate<Named> wanted(String question) {
		if (question.equals(askForAll())) {
			return (lock) -> true;
		}
		String[] words = question.split(" ");
		String name = decode(words[0]);
		String hash = decode(words[1]);
		return (lock) -> lock.name().equals(name) && lock.key().hash().equals(hash);
	}

	private static void append(StringBuilder text, String kind, Named lock, long... figures) {
		int end = text.length();
		text.append('\n').append(kind).append(' ').append(encode(lock.name()));
		text.append(' ').append(encode(lock.key().text()));
		for (long figure : figures) {
			text.append(' ').append(figure);
		}
		if (text.length() > LONGEST) {
			text.setLength(end);
		}
	}

	/**
	 * Reads an answer.
	 * @param keys makes a key of its text
	 * @return what was said, or {@code null} if the instance has no locks at all
	 */
	static @Nullable LockInventory parse(String answer, Function<String, RedisLockKey> keys) {
		if (answer.isEmpty()) {
			return null;
		}
		String[] lines = answer.split("\n");
		List<Holder> holders = new ArrayList<>();
		List<Waiters> waiters = new ArrayList<>();
		for (int i = 1; i < lines.length; i++) {
			String[] words = lines[i].split(" ");
			Named lock = new Named(decode(words[1]), keys.apply(decode(words[2])));
			if (words[0].equals(HOLDER)) {
				holders
					.add(new Holder(lock, Long.parseLong(words[3]), Duration.ofNanos(Long.parseLong(words[4]) * 1000),
							Duration.ofMillis(Long.parseLong(words[5]))));
			}
			else {
				waiters.add(new Waiters(lock, Integer.parseInt(words[3])));
			}
		}
		String[] self = lines[0].split(" ");
		return new LockInventory(decode(self[0]), Integer.parseInt(self[1]), Integer.parseInt(self[2]), holders,
				waiters);
	}

	private static String encode(String text) {
		return URLEncoder.encode(text, StandardCharsets.UTF_8);
	}

	private static String decode(String text) {
		return URLDecoder.decode(text, StandardCharsets.UTF_8);
	}

	/**
	 * A lock with the name under which its callers know it.
	 */
	record Named(String name, RedisLockKey key) {
	}

	/**
	 * A caller that holds a lock.
	 */
	record Holder(Named lock, long token, Duration age, Duration remaining) {
	}

	/**
	 * Callers that wait for a lock.
	 */
	record Waiters(Named lock, int count) {
	}

}
