/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit.live;

import io.ge.redis.core.invocation.Setting;
import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitChange;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * A change of a limit with its last result, so that applying it again costs a comparison.
 */
public final class AppliedChange {

	private static final Log logger = LogFactory.getLog(AppliedChange.class);

	private final Setting.Origin origin;

	private final RateLimitChange change;

	private volatile @Nullable Applied last;

	AppliedChange(Setting.Origin origin, RateLimitChange change) {
		this.origin = origin;
		this.change = change;
	}

	public Setting.Origin origin() {
		return this.origin;
	}

	public RateLimitChange change() {
		return this.change;
	}

	RateLimit applyTo(RateLimit base) {
		Applied known = this.last;
		if (known == null || known.base() != base) {
			known = new Applied(base, apply(base));
			this.last = known;
		}
		return known.result();
	}

	// Checked when it was made, but the limit may have become another one since
	private RateLimit apply(RateLimit base) {
		try {
			return this.change.applyTo(base);
		}
		catch (IllegalArgumentException ex) {
			logger.warn("Rate limit '" + base.name() + "' stays as it is, since it cannot have " + this.change + ": "
					+ ex.getMessage());
			return base;
		}
	}

	private record Applied(RateLimit base, RateLimit result) {
	}

}
