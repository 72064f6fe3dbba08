/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.blacklist.guard;

import org.springframework.util.Assert;
import org.springframework.util.StringUtils;

/**
 * Reasons why something is revoked or blocked, as people give them.
 */
final class Reasons {

	private static final int LONGEST = 200;

	private Reasons() {
	}

	/**
	 * Returns a reason that may be stored and logged.
	 * @param reason the reason
	 * @return the reason
	 * @throws IllegalArgumentException if it may not
	 */
	static String valid(String reason) {
		Assert.isTrue(StringUtils.hasText(reason), "A reason must not be blank: leave it out");
		Assert.isTrue(reason.length() <= LONGEST,
				() -> "A reason has at most " + LONGEST + " characters, not " + reason.length());
		Assert.isTrue(reason.codePoints().noneMatch(Reasons::isUnfit),
				"A reason must not contain control characters or line breaks");
		return reason;
	}

	private static boolean isUnfit(int character) {
		int type = Character.getType(character);
		return type == Character.CONTROL || type == Character.SURROGATE || type == Character.LINE_SEPARATOR
				|| type == Character.PARAGRAPH_SEPARATOR;
	}

}
