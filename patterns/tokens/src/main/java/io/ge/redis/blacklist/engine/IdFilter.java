/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.blacklist.engine;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Ids of which a part is remembered: a Bloom filter of {@value #BITS_PER_ID} bits and
 * {@value #PROBES} probes for each of the ids that it was made for. Written by one thread
 * at a time, read by any number without locks.
 * <p>
 * That is 2.5 bytes instead of 27 to 40, and while it holds no more than those, one in
 * 11,000 that are not in it seems to be. What seems to be in it must be confirmed
 * elsewhere, so it can be filled beyond, which only costs more confirmations.
 * <p>
 * Nothing can be taken out. So when it is full the next one is filled, from what stands
 * by then, while this one goes on to answer.
 */
final class IdFilter implements RevokedIds {

	static final int BITS_PER_ID = 20;

	static final int PROBES = 10;

	private static final long STEP = 0x9E3779B97F4A7C15L;

	private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);

	private final long[] words;

	private final long capacity;

	private volatile long size;

	private long bits;

	IdFilter(long capacity) {
		this.capacity = capacity;
		this.words = new long[(int) Math.min(Integer.MAX_VALUE - 8, capacity * BITS_PER_ID / Long.SIZE + 1)];
	}

	@Override
	public boolean mayHold(long fast) {
		long hash = fast;
		for (int i = 0; i < PROBES; i++) {
			hash = next(hash);
			if (((long) WORDS.getAcquire(this.words, word(hash)) & 1L << hash) == 0) {
				return false;
			}
		}
		return true;
	}

	@Override
	public void add(long fast, long strong, long untilMillis, long nowMillis) {
		long before = this.bits;
		long hash = fast;
		for (int i = 0; i < PROBES; i++) {
			hash = next(hash);
			int word = word(hash);
			long present = this.words[word];
			if ((present & 1L << hash) == 0) {
				WORDS.setRelease(this.words, word, present | 1L << hash);
				this.bits++;
			}
		}
		if (this.bits != before) {
			this.size = this.size + 1;
		}
	}

	@Override
	public long size() {
		return this.size;
	}

	@Override
	public long bytes() {
		return (long) this.words.length * Long.BYTES;
	}

	boolean isFull() {
		return this.size >= this.capacity;
	}

	private int word(long hash) {
		return (int) ((hash >>> Integer.SIZE) * this.words.length >>> Integer.SIZE);
	}

	// The upper half chooses the word, the lower one the bit
	private static long next(long hash) {
		long mixed = (hash ^ hash >>> 30) * STEP;
		return mixed ^ mixed >>> 27;
	}

}
