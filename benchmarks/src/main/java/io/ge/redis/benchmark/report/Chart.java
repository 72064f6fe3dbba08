// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark.report;

import java.util.List;

/**
 * Bars in groups.
 *
 * @param title the heading
 * @param axis what the bars show
 * @param reference where a line is drawn, such as 1 for "as the reference"; 0 for none
 * @param groups the groups, from top to bottom
 */
public record Chart(String title, String axis, double reference, List<Group> groups) {

	/**
	 * Bars that are compared.
	 *
	 * @param label what they have in common
	 * @param bars the bars
	 */
	public record Group(String label, List<Bar> bars) {
	}

	/**
	 * One bar.
	 *
	 * @param label whose it is
	 * @param low where its whisker begins
	 * @param value its length
	 * @param high where its whisker ends
	 * @param own whether it is the library's, which is drawn in another colour
	 */
	public record Bar(String label, double low, double value, double high, boolean own) {

		public Bar {
			if (!Double.isFinite(low) || !Double.isFinite(value) || !Double.isFinite(high)) {
				throw new IllegalArgumentException("The bar '" + label + "' is no number");
			}
		}

	}

}
