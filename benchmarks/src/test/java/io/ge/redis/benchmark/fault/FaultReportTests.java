// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark.fault;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import io.ge.redis.test.fault.FaultRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class FaultReportTests {

	@Test
	void violationsAreCountedByKindsAndOncePerPair() {
		FaultRun run = FaultRun.of("lock", "FLUSHALL while running", "tokens rise").subject("Redisson RFencedLock");
		run.violation("a: one with token 2 came after two with token 2");
		run.violation("a: two with token 2 came after one with token 2");
		run.violation("a: a write of one with token 2 was accepted after one of two with token 2");
		run.violation("a: a write of one with token 2 was accepted after one of two with token 2");
		assertThat(Outcome.of(run).kinds())
			.containsExactlyInAnyOrderEntriesOf(Map.of("token does not rise", 1L, "late write accepted", 1L));
	}

	@Test
	void violationsOfOursFailAndThoseOfPeersDoNot() {
		assertThat(outcome(Outcome.OURS, 1).isFailure()).isTrue();
		assertThat(outcome(Outcome.OURS, 0).isFailure()).isFalse();
		assertThat(outcome("Redisson RLock", 1).isFailure()).isFalse();
	}

	@Test
	void rowsWithoutFaultsFail() {
		Outcome outcome = new Outcome("lock", "fault", "promise", "Redisson RLock", 5, 0, 0, Map.of(), 0, "",
				List.of());
		assertThat(outcome.isFailure()).isTrue();
	}

	@Test
	void laterRowsTakeThePlaceOfEarlierOnes(@TempDir Path directory) throws Exception {
		FaultReport report = FaultReport.in(directory);
		report.add(outcome("Redisson RLock", 3));
		report.add(outcome(Outcome.OURS, 0));
		report.add(outcome("Redisson RLock", 0));
		report.write();
		assertThat(directory.resolve("README.md")).content()
			.containsSubsequence("### Lock: fault", "| Redisson RLock | 5 | 1 | 0 |", "| **GE Redis** | 5 | 1 | 0 |")
			.doesNotContain("explained");
		assertThat(directory.resolve("rows.json")).content().contains("Redisson RLock");
	}

	@Test
	void violationsWithoutExplanationAreSaidToBe() {
		assertThat(Explanations.of(outcome("Somebody else", 1))).startsWith("not explained");
	}

	private static Outcome outcome(String subject, long violations) {
		return new Outcome("lock", "fault", "promise", subject, 5, 1, violations,
				(violations > 0) ? Map.of("other", violations) : Map.of(), 7, "", List.of("something"));
	}

}
