// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A change of the settings of a limit, for all keys or for one: at run time, or in the
 * properties. Absent settings stay as they are.
 *
 * @param limit permits per window
 * @param window length of the window
 * @param burst permits available at once after a pause, for the token bucket
 */
public record RateLimitChange(@Nullable Long limit, @Nullable Duration window, @Nullable Long burst) {

	/**
	 * Applies the change.
	 * @param base the limit as it is
	 * @return the limit as it becomes
	 * @throws IllegalArgumentException if the limit cannot have these settings
	 */
	public RateLimit applyTo(RateLimit base) {
		long changedLimit = (this.limit != null) ? this.limit : base.limit();
		// A burst of its own stays, one that is only the limit follows it
		long burstOfLimit = (base.burst() == base.limit()) ? changedLimit : base.burst();
		return new RateLimit(base.name(), changedLimit, (this.window != null) ? this.window : base.window(),
				base.algorithm(), (this.burst != null) ? this.burst : burstOfLimit, base.waitTime(), base.onOutage(),
				base.shadow());
	}

	/**
	 * Returns whether nothing is changed.
	 * @return whether all settings stay as they are
	 */
	public boolean isEmpty() {
		return this.limit == null && this.window == null && this.burst == null;
	}

	@Override
	public String toString() {
		StringBuilder text = new StringBuilder();
		append(text, "limit", this.limit);
		append(text, "window", this.window);
		append(text, "burst", this.burst);
		return text.toString();
	}

	private static void append(StringBuilder text, String name, @Nullable Object value) {
		if (value != null) {
			text.append(text.isEmpty() ? "" : ", ").append(name).append('=').append(value);
		}
	}

}
