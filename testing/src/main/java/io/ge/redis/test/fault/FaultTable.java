// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.fault;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import tools.jackson.databind.json.JsonMapper;

/**
 * The rows of all runs, as {@code rows.json} and as {@code table.md}.
 */
final class FaultTable {

	private static final JsonMapper MAPPER = JsonMapper.builder().build();

	private final Path directory;

	FaultTable(Path directory) {
		this.directory = directory;
	}

	/**
	 * Adds a row to what other processes have written.
	 */
	synchronized void add(Row row) {
		try {
			Files.createDirectories(this.directory);
			try (FileChannel channel = FileChannel.open(this.directory.resolve("lock"), StandardOpenOption.CREATE,
					StandardOpenOption.WRITE); FileLock lock = channel.lock()) {
				Path file = this.directory.resolve("rows.json");
				List<Row> rows = new ArrayList<>();
				if (Files.exists(file)) {
					rows.addAll(List.of(MAPPER.readValue(Files.readString(file), Row[].class)));
				}
				rows.add(row);
				rows.sort(Comparator.comparing(Row::pattern).thenComparing(Row::fault).thenComparing(Row::subject));
				Files.writeString(file, MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(rows));
				Files.writeString(this.directory.resolve("table.md"), markdown(rows));
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	static String markdown(List<Row> rows) {
		StringBuilder text = new StringBuilder("""
				| fault | pattern | promise | subject | operations | faults | violations | worst latency | noted |
				|---|---|---|---|--:|--:|--:|--:|---|
				""");
		for (Row row : rows) {
			text.append("| ").append(row.fault());
			text.append(" | ").append(row.pattern());
			text.append(" | ").append(row.promise());
			text.append(" | ").append(row.subject());
			text.append(" | ").append(row.operations());
			text.append(" | ").append(row.faultsInjected());
			text.append(" | ").append(row.violations());
			text.append(" | ").append(row.worstLatencyMillis()).append(" ms");
			text.append(" | ").append(row.noted()).append(" |\n");
		}
		return text.toString();
	}

}
