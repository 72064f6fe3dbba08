/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.ge.redis.test.OnRedis;
import io.ge.redis.test.RedisEndpoint;
import io.ge.redis.test.RedisFixture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Locks between processes.
 */
@OnRedis
class LockProcessesIntegrationTests {

	private static final int TIMES = 100;

	private final List<Process> children = new ArrayList<>();

	private LockApplication application;

	private RedisEndpoint endpoint;

	@BeforeEach
	void start(RedisFixture redis) {
		this.endpoint = redis.endpoints().get(0);
		this.application = LockApplication.start(redis.properties());
	}

	@AfterEach
	void stop() {
		this.children.forEach(Process::destroyForcibly);
		this.application.close();
	}

	@Test
	void processesExcludeEachOther(@TempDir Path directory) throws Exception {
		Path file = directory.resolve("count");
		Files.writeString(file, "0 0");
		BufferedReader output = child(file.toString(), "" + TIMES);
		assertThat(output.readLine()).isEqualTo("ready");
		this.children.get(0).getOutputStream().write('\n');
		this.children.get(0).getOutputStream().flush();
		List<CompletableFuture<Void>> own = new ArrayList<>();
		for (int i = 0; i < 2; i++) {
			own.add(this.application.async(() -> {
				LockChild.count(this.application, file, TIMES);
				return null;
			}));
		}
		CompletableFuture.allOf(own.toArray(CompletableFuture[]::new)).orTimeout(60, TimeUnit.SECONDS).join();
		assertThat(output.readLine()).isEqualTo("done");
		assertThat(Files.readString(file)).startsWith(3 * TIMES + " ");
		assertThat(this.application.events(LockLostEvent.class)).isEmpty();
	}

	@Test
	void lockOfKilledProcessGoesToWaiterWhenItsLeaseEnds() throws Exception {
		BufferedReader output = child("hold");
		assertThat(output.readLine()).isEqualTo("held");
		CompletableFuture<LockHandle> waiting = this.application.async(() -> this.application.locks()
			.lock("orders", 42, LockOptions.defaults().waitTime(Duration.ofSeconds(20))));
		assertThat(waiting).isNotDone();
		this.children.get(0).destroyForcibly().waitFor();
		long killed = System.nanoTime();
		waiting.orTimeout(20, TimeUnit.SECONDS).join().close();
		assertThat(Duration.ofNanos(System.nanoTime() - killed)).isLessThan(Duration.ofSeconds(4));
	}

	private BufferedReader child(String... arguments) throws IOException {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx128m", "-cp",
						System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
						LockChild.class.getName(), this.endpoint.host(), "" + this.endpoint.port()));
		command.addAll(List.of(arguments));
		Process child = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
		this.children.add(child);
		return child.inputReader();
	}

}
