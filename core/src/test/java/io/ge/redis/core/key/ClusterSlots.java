// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.key;

/**
 * The slot of a key, as the cluster specification defines it.
 */
final class ClusterSlots {

	private ClusterSlots() {
	}

	static int of(byte[] key) {
		int open = indexOf(key, '{', 0);
		int close = (open >= 0) ? indexOf(key, '}', open + 1) : -1;
		boolean tagged = close > open + 1;
		return crc16(key, tagged ? open + 1 : 0, tagged ? close : key.length) % 16384;
	}

	private static int indexOf(byte[] key, char wanted, int from) {
		for (int i = from; i < key.length; i++) {
			if (key[i] == wanted) {
				return i;
			}
		}
		return -1;
	}

	private static int crc16(byte[] key, int from, int to) {
		int crc = 0;
		for (int i = from; i < to; i++) {
			crc ^= (key[i] & 0xff) << 8;
			for (int bit = 0; bit < 8; bit++) {
				crc = ((crc & 0x8000) != 0) ? (crc << 1) ^ 0x1021 : crc << 1;
			}
			crc &= 0xffff;
		}
		return crc;
	}

}
