// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.oracle;

import java.util.List;

/**
 * A line of a journal.
 *
 * @param nanos when, in the time of {@link System#nanoTime()}
 * @param process the name of the process
 * @param kind what has happened
 * @param fields about what
 */
public record Entry(long nanos, String process, String kind, List<String> fields) {

	/**
	 * A field.
	 * @param index its position, from 0
	 * @return the text, empty if there is none
	 */
	public String field(int index) {
		return (index < this.fields.size()) ? this.fields.get(index) : "";
	}

	/**
	 * A field that holds a number.
	 * @param index its position, from 0
	 * @return the number
	 */
	public long number(int index) {
		return Long.parseLong(field(index));
	}

}
