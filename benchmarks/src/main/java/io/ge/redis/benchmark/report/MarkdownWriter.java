// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark.report;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Writes tables for people.
 */
public final class MarkdownWriter {

	private MarkdownWriter() {
	}

	/**
	 * Writes all tables of a run.
	 * @param name what was measured, for the title
	 * @param facts what was measured on what
	 * @param tables the tables
	 * @return the text of a Markdown file
	 */
	public static String write(String name, Map<String, String> facts, List<Table> tables) {
		StringBuilder page = new StringBuilder(
				"# Results: " + name + "\n\nMade by `benchmarks/run`; what the columns mean is in "
						+ "[the description](../../README.md).\n\n| | |\n| --- | --- |\n");
		facts.forEach((fact, value) -> page.append(row(List.of(fact, value))));
		tables.forEach((table) -> write(page, table));
		return page.toString();
	}

	private static void write(StringBuilder page, Table table) {
		page.append("\n## ").append(table.title()).append("\n\n").append(table.note()).append("\n\n");
		page.append(row(table.columns()));
		page.append(row(table.columns().stream().map((column) -> "---").toList()));
		table.rows().forEach((row) -> page.append(row(row)));
		page.append("\n![").append(table.title()).append("](").append(table.id()).append(".svg)\n");
	}

	private static String row(List<String> cells) {
		return cells.stream().map((cell) -> cell.replace("|", "\\|")).collect(Collectors.joining(" | ", "| ", " |\n"));
	}

}
