// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark;

import java.util.List;
import java.util.Locale;

/**
 * How much is measured. The short size shows that everything runs and gives a first
 * impression; figures that are quoted come from the long one.
 */
enum Size {

	QUICK(List.of(1, 64), 3, 1, 50, 150, 10_000, 500, 8, 1, 2),

	FULL(List.of(1, 16, 64), 9, 1, 80, 300, 100_000, 1_000, 32, 2, 3);

	private final List<Integer> threads;

	private final int rounds;

	private final int warmupRounds;

	private final long settleMillis;

	private final long slotMillis;

	private final int keys;

	private final long contendedMillis;

	private final int instances;

	private final int forks;

	private final int iterations;

	Size(List<Integer> threads, int rounds, int warmupRounds, long settleMillis, long slotMillis, int keys,
			long contendedMillis, int instances, int forks, int iterations) {
		this.threads = threads;
		this.rounds = rounds;
		this.warmupRounds = warmupRounds;
		this.settleMillis = settleMillis;
		this.slotMillis = slotMillis;
		this.keys = keys;
		this.contendedMillis = contendedMillis;
		this.instances = instances;
		this.forks = forks;
		this.iterations = iterations;
	}

	static Size of(String text) {
		return valueOf(text.toUpperCase(Locale.ROOT));
	}

	/** Callers at a time. */
	List<Integer> threads() {
		return this.threads;
	}

	/** Measured turns of each contender. */
	int rounds() {
		return this.rounds;
	}

	/** Turns that only warm up. */
	int warmupRounds() {
		return this.warmupRounds;
	}

	/** How long each turn runs before it is measured. */
	long settleMillis() {
		return this.settleMillis;
	}

	/** How long each turn is measured. */
	long slotMillis() {
		return this.slotMillis;
	}

	/** How many keys there are where there are many. */
	int keys() {
		return this.keys;
	}

	/** How long a turn of a contended lock is measured. */
	long contendedMillis() {
		return this.contendedMillis;
	}

	/** Instances that hand a lock to each other, where there are many. */
	int instances() {
		return this.instances;
	}

	/** How often a script is called in a turn that the server times. */
	int scriptCalls() {
		return this.keys / 20;
	}

	/** JVMs per measurement of the own share. */
	int forks() {
		return this.forks;
	}

	/** Iterations of a second in each of them. */
	int iterations() {
		return this.iterations;
	}

}
