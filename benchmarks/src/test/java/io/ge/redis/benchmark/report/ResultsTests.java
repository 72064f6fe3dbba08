// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark.report;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import javax.xml.parsers.DocumentBuilderFactory;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

/**
 * Tests for {@link Results}, {@link MarkdownWriter} and {@link SvgWriter}.
 */
class ResultsTests {

	private static final Chart CHART = new Chart("A < B & \"C\"", "multiples", 1,
			List.of(new Chart.Group("1 caller", List.of(new Chart.Bar("ours", 1, 2, 3, true),
					new Chart.Bar("theirs", 0.5, 1, 1.5, false), new Chart.Bar("none", 0, 0, 0, false)))));

	private static final Table TABLE = new Table("a-table", "A table", "What it says.", List.of("name", "x"),
			List.of(List.of("ours", "1|2"), List.of("theirs", "3")), CHART,
			List.of(Map.of("name", "ours", "rounds", List.of(1.5, 2))));

	@Test
	void writesTablesChartsAndData(@TempDir Path directory) throws IOException {
		Results results = new Results(directory.resolve("0.1.0-SNAPSHOT-lock-contended"), Map.of("JDK", "17"));
		results.add(TABLE);
		results.add("duration", "7 s");
		Path written = directory.resolve("0.1.0-SNAPSHOT-lock-contended");
		assertThat(Files.readString(written.resolve("README.md"))).startsWith("# Results: lock contended\n")
			.contains("| JDK | 17 |", "| duration | 7 s |", "## A table", "What it says.",
					"| name | x |\n| --- | --- |\n| ours | 1\\|2 |\n| theirs | 3 |\n", "![A table](a-table.svg)");
		assertThat(written.resolve("a-table.svg")).exists();
		JsonNode json = JsonMapper.builder().build().readTree(Files.readString(written.resolve("results.json")));
		assertThat(json.get("JDK").asString()).isEqualTo("17");
		assertThat(json.get("tables").get(0).get("title").asString()).isEqualTo("A table");
		assertThat(json.get("tables").get(0).get("rows").get(0).get("rounds").get(0).asDouble()).isEqualTo(1.5);
	}

	@Test
	void barsAreAsLongAsTheirValues() throws Exception {
		Document svg = DocumentBuilderFactory.newInstance()
			.newDocumentBuilder()
			.parse(new InputSource(new StringReader(SvgWriter.write(CHART))));
		double ours = width(svg, 1);
		double theirs = width(svg, 2);
		assertThat(ours).isCloseTo(2 * theirs, within(0.2));
		assertThat(width(svg, 3)).isEqualTo(1);
		assertThat(svg.getElementsByTagName("text").item(0).getTextContent()).isEqualTo("A < B & \"C\"");
	}

	@Test
	void farApartValuesAreDrawnOnALogarithmicScale() throws Exception {
		Chart chart = new Chart("A", "multiples", 1,
				List.of(new Chart.Group("1 caller", List.of(bar(1000), bar(10), bar(1)))));
		Document svg = DocumentBuilderFactory.newInstance()
			.newDocumentBuilder()
			.parse(new InputSource(new StringReader(SvgWriter.write(chart))));
		assertThat(width(svg, 1)).isCloseTo(3 * width(svg, 2), within(0.2));
		assertThat(width(svg, 3)).isEqualTo(1);
		assertThat(svg.getElementsByTagName("text").item(1).getTextContent()).isEqualTo("multiples, logarithmic");
	}

	private static Chart.Bar bar(double value) {
		return new Chart.Bar("ours", value, value, value, true);
	}

	private static double width(Document svg, int index) {
		return Double.parseDouble(((Element) svg.getElementsByTagName("rect").item(index)).getAttribute("width"));
	}

	@Test
	void aRowHasACellForEachColumn() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new Table("id", "", "", List.of("a", "b"), List.of(List.of("1")), CHART, List.of()));
	}

	@Test
	void aBarIsANumber() {
		assertThatIllegalArgumentException().isThrownBy(() -> new Chart.Bar("x", 0, Double.NaN, 0, true));
	}

}
