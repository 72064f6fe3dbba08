// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.ge.redis.test.Wide;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * No guard blocks an event loop: BlockHound watches all of them, in a JVM of their own
 * that lets it rewrite the classes of the JDK.
 */
@Wide
class BlockingCallsIntegrationTests {

	/** Beyond, a JDK may no longer let its classes be rewritten. */
	private static final int NEWEST_JDK = 25;

	private static List<String> lines = List.of();

	@BeforeAll
	static void run(@TempDir Path directory) throws IOException, InterruptedException {
		Path output = directory.resolve("output");
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-XX:+IgnoreUnrecognizedVMOptions", "-XX:+AllowRedefinitionToAddDeleteMethods",
				"-XX:+EnableDynamicAgentLoading", "-XX:TieredStopAtLevel=1", "-cp",
				System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
				BlockingCallsApplication.class.getName())
			.redirectErrorStream(true)
			.redirectOutput(output.toFile())
			.start();
		try {
			assertThat(process.waitFor(5, TimeUnit.MINUTES)).as("the calls have ended").isTrue();
		}
		finally {
			process.destroyForcibly();
			lines = Files.readAllLines(output);
		}
		boolean watched = lines.stream().noneMatch((line) -> line.contains("The instrumentation have failed"));
		if (Runtime.version().feature() > NEWEST_JDK) {
			assumeThat(watched).as("BlockHound can rewrite the classes of this JDK").isTrue();
		}
		assertThat(lines).contains("DONE");
	}

	@Test
	void noGuardBlocksTheThreadThatAsks() {
		assertThat(lines).filteredOn((line) -> line.startsWith("BLOCKED ") && !line.startsWith("BLOCKED planted "))
			.isEmpty();
	}

	@Test
	void plantedCallIsFound() {
		assertThat(lines).filteredOn((line) -> line.startsWith("BLOCKED planted "))
			.anyMatch((line) -> line.contains("Waiting.await("));
	}

	@Test
	void callsCameToTheOutcomesThatTheyWereMadeFor() {
		assertThat(lines).contains("RESULT allowed limit.mono {done=50}", "RESULT allowed blacklist.mono {done=50}",
				"RESULT refused limit.mono {RateLimitExceededException=50}",
				"RESULT refused blacklist.flux {SubjectBlockedException=50}", "RESULT hanging limit.future {done=50}",
				"RESULT killed blacklist.future {RedisUnavailableException=50}",
				"RESULT killed blacklist.mono {RedisUnavailableException=50}", "RESULT allowed lock.mono {done=50}",
				"RESULT refused lock.flux {LockNotAcquiredException=50}",
				"RESULT killed lock.future {RedisUnavailableException=50}", "RESULT allowed breaker.mono {done=50}",
				"RESULT hanging breaker.future {done=50}", "RESULT killed breaker.code {done=50}",
				"RESULT allowed idempotency.mono {done=50}", "RESULT refused idempotency.flux {done=50}",
				"RESULT killed idempotency.future {RedisUnavailableException=50}",
				"RESULT allowed cache.mono {done=50}", "RESULT refused cache.flux {done=50}",
				"RESULT killed cache.future {done=50}", "RESULT allowed cache.several.mono {done=50}",
				"RESULT refused cache.several.code {done=50}", "RESULT hanging cache.several.future {done=50}",
				"RESULT killed cache.several.mono {done=50}", "RESULT killed cache.written {done=50}",
				"RESULT allowed session.request {done=50}", "RESULT allowed session.code {done=50}",
				"RESULT killed session.request {RedisUnavailableException=50}");
	}

}
