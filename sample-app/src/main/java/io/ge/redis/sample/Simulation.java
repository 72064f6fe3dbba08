// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample;

import org.jspecify.annotations.Nullable;

/**
 * Work that behaves as somebody has asked for, to try out what becomes of it.
 */
public final class Simulation {

	private static final String SLOW = "slow:";

	private static final long LONGEST_MILLIS = 300_000;

	private Simulation() {
	}

	/**
	 * Works.
	 * @param wish {@code poison} to fail always, {@code slow:<millis>} to take that long,
	 * {@code crash} to end the process at the first attempt; anything else to be done at
	 * once
	 * @param attempt how often this was begun
	 */
	public static void work(@Nullable String wish, int attempt) {
		if ("poison".equals(wish)) {
			throw new IllegalStateException("poison");
		}
		if ("crash".equals(wish) && attempt == 1) {
			Runtime.getRuntime().halt(1);
		}
		if (wish != null && wish.startsWith(SLOW)) {
			sleep(millis(wish.substring(SLOW.length())));
		}
	}

	private static long millis(String text) {
		return text.matches("\\d{1,6}") ? Math.min(Long.parseLong(text), LONGEST_MILLIS) : 0;
	}

	private static void sleep(long millis) {
		try {
			Thread.sleep(millis);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("interrupted", ex);
		}
	}

}
