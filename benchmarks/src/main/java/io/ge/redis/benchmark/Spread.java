// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * A median and the quartiles around it.
 *
 * @param low the first quartile
 * @param median the median
 * @param high the third quartile
 */
record Spread(double low, double median, double high) {

	static Spread of(double... values) {
		if (values.length == 0) {
			throw new IllegalArgumentException("No values");
		}
		double[] sorted = values.clone();
		Arrays.sort(sorted);
		return new Spread(quantile(sorted, 0.25), quantile(sorted, 0.5), quantile(sorted, 0.75));
	}

	static <T> Spread of(Collection<T> items, ToDoubleFunction<T> value) {
		return of(items.stream().mapToDouble(value).toArray());
	}

	/**
	 * Compares within each round.
	 */
	static <T> Spread ofRatios(List<T> rounds, List<T> reference, ToDoubleFunction<T> value) {
		double[] ratios = new double[rounds.size()];
		for (int round = 0; round < ratios.length; round++) {
			ratios[round] = value.applyAsDouble(rounds.get(round)) / value.applyAsDouble(reference.get(round));
		}
		return of(ratios);
	}

	private static double quantile(double[] sorted, double share) {
		double position = share * (sorted.length - 1);
		int below = (int) position;
		int above = Math.min(below + 1, sorted.length - 1);
		return sorted[below] + (sorted[above] - sorted[below]) * (position - below);
	}

}
