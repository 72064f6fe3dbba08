// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.oracle;

/**
 * Something that should not have happened.
 *
 * @param text what, with who and when
 */
public record Violation(String text) {

	@Override
	public String toString() {
		return this.text;
	}

}
