// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark.report;

import java.util.List;
import java.util.Map;

/**
 * A table of results.
 *
 * @param id the name of its files
 * @param title the heading
 * @param note what to know when reading it
 * @param columns the headings of the columns
 * @param rows the cells, as text
 * @param chart its chart
 * @param data the same with every single round, for programs
 */
public record Table(String id, String title, String note, List<String> columns, List<List<String>> rows, Chart chart,
		List<Map<String, Object>> data) {

	public Table {
		for (List<String> row : rows) {
			if (row.size() != columns.size()) {
				throw new IllegalArgumentException("A row of '" + id + "' has " + row.size() + " cells for "
						+ columns.size() + " columns: " + row);
			}
		}
	}

}
