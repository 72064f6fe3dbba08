/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.lang.management.ManagementFactory;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/**
 * The report of one instance about its caches: who it is, how many removals it has noted,
 * what it has counted since it started, and how far its warm-ups are.
 *
 * @param process the process and the host, as the Java runtime names them
 * @param journal how many entries are to be removed once Redis is back
 * @param counts by cache and result, as far as they fit into a message of a bounded size
 * @param warmUps the warm-ups, likewise
 */
record CacheInventory(String process, int journal, Map<String, Map<String, Long>> counts, List<WarmUp> warmUps) {

	static final String TOPIC = "cache.list";

	/** Under which an instance tells how many values it has in memory. */
	static final String NEAR = "near_entries";

	/** Of a message, in characters that are all ASCII. */
	private static final int LONGEST = 32_000;

	static CacheInventory of(int journal, Map<String, Map<String, Long>> counts, List<WarmUpRun.Progress> warmUps) {
		List<WarmUp> all = new ArrayList<>();
		for (WarmUpRun.Progress warmUp : warmUps) {
			all.add(new WarmUp(warmUp.name(), warmUp.state().name().toLowerCase(Locale.ROOT), warmUp.read()));
		}
		return new CacheInventory(ManagementFactory.getRuntimeMXBean().getName(), journal, counts, all);
	}

	String toText() {
		StringBuilder text = new StringBuilder();
		text.append(encode(this.process)).append(' ').append(this.journal);
		this.warmUps.forEach(
				(warmUp) -> append(text, "w " + encode(warmUp.name()) + ' ' + warmUp.state() + ' ' + warmUp.read()));
		this.counts.forEach((cache, results) -> {
			StringBuilder line = new StringBuilder("c ").append(encode(cache));
			results.forEach((result, count) -> line.append(' ').append(encode(result)).append('=').append(count));
			append(text, line.toString());
		});
		return text.toString();
	}

	private static void append(StringBuilder text, String line) {
		if (text.length() + 1 + line.length() <= LONGEST) {
			text.append('\n').append(line);
		}
	}

	/**
	 * Reads what an instance has said, whose release may tell what this one does not
	 * know.
	 * @return {@code null} for an instance without caches
	 */
	static @Nullable CacheInventory parse(String text) {
		if (text.isEmpty()) {
			return null;
		}
		String[] lines = text.split("\n");
		String[] self = lines[0].split(" ");
		Map<String, Map<String, Long>> counts = new TreeMap<>();
		List<WarmUp> warmUps = new ArrayList<>();
		for (int i = 1; i < lines.length; i++) {
			String[] words = lines[i].split(" ");
			if (words[0].equals("w")) {
				warmUps.add(new WarmUp(decode(words[1]), words[2], Long.parseLong(words[3])));
				continue;
			}
			if (!words[0].equals("c")) {
				continue;
			}
			Map<String, Long> results = new TreeMap<>();
			for (int word = 2; word < words.length; word++) {
				int end = words[word].lastIndexOf('=');
				results.put(decode(words[word].substring(0, end)), Long.parseLong(words[word].substring(end + 1)));
			}
			counts.put(decode(words[1]), results);
		}
		return new CacheInventory(decode(self[0]), Integer.parseInt(self[1]), counts, warmUps);
	}

	private static String encode(String text) {
		return URLEncoder.encode(text, StandardCharsets.UTF_8);
	}

	private static String decode(String text) {
		return URLDecoder.decode(text, StandardCharsets.UTF_8);
	}

	/**
	 * How far a warm-up is.
	 *
	 * @param name its name
	 * @param state its state
	 * @param read how many keys were read
	 */
	record WarmUp(String name, String state, long read) {
	}

}
