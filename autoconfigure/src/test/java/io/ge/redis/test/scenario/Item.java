// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.scenario;

/**
 * A row as it is cached.
 *
 * @param version which change of it
 * @param ballast makes the value as large as values are
 */
public record Item(String version, String ballast) {

	private static final String BALLAST = "x".repeat(1000);

	/**
	 * Returns what is cached of a row.
	 * @param version its version
	 * @return the value
	 */
	public static Item of(long version) {
		return new Item(String.valueOf(version), BALLAST);
	}

}
