// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.fault;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.ge.redis.test.oracle.Violation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link FaultRun}.
 */
class FaultRunTests {

	@TempDir
	private Path directory;

	@Test
	void passesAndBecomesARowOfTheTable() throws IOException {
		FaultRun run = run().atLeast(2, 1).subject("Peer");
		while (run.next()) {
			run.inject(Fault.of("nothing", () -> {
			}));
			run.operation(Duration.ofMillis(3));
			run.operation(Duration.ofMillis(2));
			run.require(true, "none");
			run.note("overlaps", 1);
		}
		run.verify();
		run().record();
		assertThat(Files.readString(this.directory.resolve("rows.json"))).contains("\"Peer\"", "\"operations\" : 2");
		assertThat(Files.readString(this.directory.resolve("table.md")).lines()).hasSize(4)
			.contains("| a fault | a pattern | a promise | Peer | 2 | 1 | 0 | 3 ms | overlaps: 1 |");
	}

	@Test
	void failsWithAViolationAndNamesTheSeed() {
		FaultRun run = run();
		run.operations(1);
		run.injected();
		run.violations(List.of(new Violation("found")));
		run.require(false, "missed");
		assertThatExceptionOfType(BrokenPromiseError.class).isThrownBy(run::verify)
			.withMessageContaining("2 times")
			.withMessageContaining("found")
			.withMessageContaining("missed")
			.withMessageContaining("-Dge.test.seed=" + run.seed());
		assertThat(run.row().violations()).isEqualTo(2);
	}

	@Test
	void failsBelowItsLeastOperationsOrFaults() {
		FaultRun idle = run().atLeast(1, 1);
		idle.injected();
		assertThatExceptionOfType(AssertionError.class).isThrownBy(idle::verify).withMessageContaining("too little");
		FaultRun calm = run().atLeast(1, 1);
		calm.operations(1);
		assertThatExceptionOfType(AssertionError.class).isThrownBy(calm::verify).withMessageContaining("too little");
	}

	@Test
	void hasTheRoundsOfItsSize() {
		FaultRun run = run().rounds(3);
		int rounds = 0;
		while (run.next()) {
			rounds++;
			assertThat(run.round()).isEqualTo(rounds);
		}
		assertThat(rounds).isGreaterThanOrEqualTo(3);
		FaultRun once = run().rounds(3).once();
		assertThat(once.next()).isTrue();
		assertThat(once.next()).isFalse();
	}

	@Test
	void goesOnUntilItSaysEnough() {
		FaultRun run = run().atLeast(5, 2);
		int rounds = 0;
		while (run.next()) {
			rounds++;
			run.injected();
			run.operations(2);
		}
		run.verify();
		assertThat(rounds).isGreaterThanOrEqualTo(3);
	}

	@Test
	void endsWithoutEnoughIfNothingHappensOrSomethingIsWrong() {
		FaultRun idle = run();
		int rounds = 0;
		while (idle.next()) {
			rounds++;
		}
		assertThat(rounds).isGreaterThan(1);
		assertThatExceptionOfType(AssertionError.class).isThrownBy(idle::verify).withMessageContaining("too little");
		FaultRun broken = run();
		assertThat(broken.next()).isTrue();
		broken.violation("found");
		assertThat(broken.next()).isEqualTo(Long.getLong("ge.test.chaos.minutes", 0) > 0);
	}

	@Test
	void triesAgainUntilSomethingIsMissed() throws Exception {
		AtomicInteger attempts = new AtomicInteger();
		run().miss((run) -> {
			assertThat(run.next()).isTrue();
			assertThat(run.next()).isFalse();
			run.require(attempts.incrementAndGet() < 3, "found");
		});
		assertThat(attempts).hasValue(3);
		assertThatExceptionOfType(BrokenPromiseError.class).isThrownBy(() -> run().miss(FaultRun::next))
			.withMessageContaining("nothing was violated");
	}

	@Test
	void whatIsThrownFailsOnlyWhereNothingWasViolated() throws Exception {
		run().miss((run) -> {
			run.violation("found");
			throw new IOException("thrown");
		});
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> run().miss((run) -> {
			throw new IOException("thrown");
		}));
	}

	@Test
	void faultsThatCannotHappenFail() {
		FaultRun run = run();
		Fault broken = Fault.of("broken", () -> {
			throw new IOException("injecting");
		}, () -> {
			throw new IllegalStateException("healing");
		});
		assertThatIllegalStateException().isThrownBy(() -> run.inject(broken)).withMessageContaining("injecting");
		assertThatIllegalStateException().isThrownBy(() -> run.heal(broken)).withMessageContaining("healing");
	}

	private FaultRun run() {
		return FaultRun.of("a pattern", "a fault", "a promise").into(new FaultTable(this.directory));
	}

}
