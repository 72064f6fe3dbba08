/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

/**
 * A message that the lock is this instance's.
 *
 * @param handle by which it has asked
 * @param tokens the tokens
 * @param key the text of the lock's key
 */
record LockGrant(String handle, TokenRange tokens, String key) {

	static LockGrant parse(String text) {
		String[] words = text.split(" ", 4);
		return new LockGrant(words[0], new TokenRange(Long.parseLong(words[1]), Long.parseLong(words[2])), words[3]);
	}

}
