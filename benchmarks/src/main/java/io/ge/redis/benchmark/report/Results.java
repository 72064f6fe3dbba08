// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import tools.jackson.databind.json.JsonMapper;

/**
 * The tables of a run as files of one directory: {@code README.md}, {@code results.json}
 * and a chart for each table. Written after each table, so that a run that is cut short
 * leaves what it has measured.
 */
public final class Results {

	private static final JsonMapper JSON = JsonMapper.builder().build();

	private final Path directory;

	private final Map<String, String> facts;

	private final List<Table> tables = new ArrayList<>();

	/**
	 * Opens a directory.
	 * @param directory where the files go; made if it is missing
	 * @param facts what was measured on what
	 * @throws IOException if it cannot be made
	 */
	public Results(Path directory, Map<String, String> facts) throws IOException {
		this.directory = Files.createDirectories(directory);
		this.facts = new LinkedHashMap<>(facts);
	}

	/**
	 * Adds a fact that is known only later.
	 * @param name what it is
	 * @param value the fact
	 * @throws IOException if the files cannot be written
	 */
	public void add(String name, String value) throws IOException {
		this.facts.put(name, value);
		write();
	}

	/**
	 * Adds a table.
	 * @param table the table
	 * @throws IOException if the files cannot be written
	 */
	public void add(Table table) throws IOException {
		this.tables.add(table);
		Files.writeString(this.directory.resolve(table.id() + ".svg"), SvgWriter.write(table.chart()));
		write();
	}

	/** The name of the directory without the version before it. */
	private String name() {
		return this.directory.getFileName().toString().replaceFirst("^[0-9.]+(-SNAPSHOT)?-", "").replace('-', ' ');
	}

	private void write() throws IOException {
		Files.writeString(this.directory.resolve("README.md"), MarkdownWriter.write(name(), this.facts, this.tables));
		Map<String, Object> all = new LinkedHashMap<>(this.facts);
		List<Map<String, Object>> data = new ArrayList<>();
		for (Table table : this.tables) {
			Map<String, Object> entry = new LinkedHashMap<>();
			entry.put("id", table.id());
			entry.put("title", table.title());
			entry.put("note", table.note());
			entry.put("rows", table.data());
			data.add(entry);
		}
		all.put("tables", data);
		Files.writeString(this.directory.resolve("results.json"), json(all, 0) + "\n");
	}

	// One line per row of a table: a difference between two runs can be read
	private static String json(Map<String, Object> all, int depth) {
		StringBuilder text = new StringBuilder("{\n");
		String separator = "";
		for (Map.Entry<String, Object> entry : all.entrySet()) {
			text.append(separator).append("\t".repeat(depth + 1)).append(JSON.writeValueAsString(entry.getKey()));
			text.append(": ").append(value(entry.getValue(), depth + 1));
			separator = ",\n";
		}
		return text.append('\n').append("\t".repeat(depth)).append('}').toString();
	}

	@SuppressWarnings("unchecked")
	private static String value(Object value, int depth) {
		if (!(value instanceof List<?> list)) {
			return JSON.writeValueAsString(value);
		}
		StringBuilder text = new StringBuilder("[");
		String separator = "\n";
		for (Object element : list) {
			boolean table = element instanceof Map<?, ?> map && map.containsKey("rows");
			text.append(separator).append("\t".repeat(depth + 1));
			text.append(table ? json((Map<String, Object>) element, depth + 1) : JSON.writeValueAsString(element));
			separator = ",\n";
		}
		return text.append('\n').append("\t".repeat(depth)).append(']').toString();
	}

}
