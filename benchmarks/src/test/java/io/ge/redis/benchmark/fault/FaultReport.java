// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark.fault;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

import tools.jackson.databind.json.JsonMapper;

/**
 * The tables: one per fault, ours beside theirs.
 */
final class FaultReport {

	private static final JsonMapper MAPPER = JsonMapper.builder().build();

	private static final String INTRODUCTION = "introduction.md";

	private final Path directory;

	private Found found;

	private FaultReport(Path directory, Found found) {
		this.directory = directory;
		this.found = found;
	}

	static FaultReport in(Path directory) throws IOException {
		Path rows = directory.resolve("rows.json");
		Found found = Files.exists(rows) ? MAPPER.readValue(Files.readString(rows), Found.class)
				: new Found(Map.of(), List.of());
		return new FaultReport(directory, found);
	}

	void facts(Map<String, String> facts, Set<String> parts) {
		Map<String, String> kept = new LinkedHashMap<>(facts);
		kept.remove("JVM arguments");
		if (!parts.isEmpty()) {
			kept.put("played again, after all else", String.join("; ", new TreeSet<>(parts)));
		}
		this.found = new Found(kept, this.found.rows);
	}

	/**
	 * Adds a row, in the place of an earlier one of the same scenario and subject.
	 */
	void add(Outcome outcome) {
		List<Outcome> rows = new ArrayList<>(this.found.rows);
		int place = rows.size();
		for (int i = 0; i < rows.size(); i++) {
			Outcome row = rows.get(i);
			if (row.pattern().equals(outcome.pattern()) && row.fault().equals(outcome.fault())
					&& row.subject().equals(outcome.subject())) {
				place = i;
			}
		}
		if (place < rows.size()) {
			rows.set(place, outcome);
		}
		else {
			rows.add(outcome);
		}
		this.found = new Found(this.found.facts, rows);
	}

	void write() {
		try {
			Files.createDirectories(this.directory);
			Files.writeString(this.directory.resolve("rows.json"),
					MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(this.found) + "\n");
			Files.writeString(this.directory.resolve("README.md"), markdown(this.found));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	static String markdown(Found found) {
		StringBuilder text = new StringBuilder(introduction());
		text.append("\n## What it ran on\n\n");
		found.facts.forEach((name, value) -> text.append("- ").append(name).append(": ").append(value).append('\n'));
		Map<String, Map<String, List<Outcome>>> faults = new LinkedHashMap<>();
		for (Outcome row : found.rows) {
			faults.computeIfAbsent(row.pattern(), (key) -> new LinkedHashMap<>())
				.computeIfAbsent(row.fault(), (key) -> new ArrayList<>())
				.add(row);
		}
		faults.forEach((pattern, ofPattern) -> {
			String title = Character.toUpperCase(pattern.charAt(0)) + pattern.substring(1);
			text.append("\n## ").append(title).append('\n');
			ofPattern.forEach((fault, rows) -> append(text, title, fault, rows));
		});
		return text.toString();
	}

	private static void append(StringBuilder text, String title, String fault, List<Outcome> rows) {
		text.append("\n### ").append(title).append(": ").append(fault).append("\n\n");
		text.append("Promise: ").append(rows.get(0).promise()).append(".\n\n");
		text.append("""
				| | operations | faults | violations | worst latency | noted |
				|---|--:|--:|---|--:|---|
				""");
		for (Outcome row : rows) {
			text.append("| ").append(row.isOurs() ? "**" + row.subject() + "**" : row.subject());
			text.append(" | ").append(row.operations());
			text.append(" | ").append(row.faultsInjected());
			text.append(" | ").append(violations(row));
			text.append(" | ").append((row.worstLatencyMillis() > 0) ? row.worstLatencyMillis() + " ms" : "-");
			text.append(" | ").append(row.noted()).append(" |\n");
		}
		List<String> explained = new ArrayList<>();
		for (Outcome row : rows) {
			if (row.violations() > 0) {
				explained.add("- " + row.subject() + ": " + Explanations.of(row));
			}
		}
		if (!explained.isEmpty()) {
			text.append('\n').append(String.join("\n", explained)).append('\n');
		}
	}

	private static String violations(Outcome row) {
		if (row.violations() == 0) {
			return "0";
		}
		List<String> kinds = new ArrayList<>();
		row.kinds().forEach((kind, number) -> kinds.add(number + " x " + kind));
		return "**" + row.violations() + "**: " + String.join(", ", kinds);
	}

	private static String introduction() {
		try (var stream = FaultReport.class.getResourceAsStream(INTRODUCTION)) {
			return new String(Objects.requireNonNull(stream, INTRODUCTION).readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * What was found on what.
	 */
	record Found(Map<String, String> facts, List<Outcome> rows) {
	}

}
