// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.scenario;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.ge.redis.RedisUnavailableException;
import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.autoconfigure.StructureAutoConfiguration;
import io.ge.redis.state.Workspace;
import io.ge.redis.state.WorkspaceSnapshot;
import io.ge.redis.state.Workspaces;
import io.ge.redis.test.instance.Operation;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.context.annotation.Bean;

/**
 * Writers of a workspace. Each takes a step after the other: it appends to a list that
 * all share, or puts a field of its own, until it knows that this was applied.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, JacksonAutoConfiguration.class,
		GeRedisAutoConfiguration.class, StructureAutoConfiguration.class })
public class StateApplication {

	private static final String KIND = "session";

	private static final String LIST = "history";

	private static final long PAUSE_MILLIS = 5;

	/**
	 * Takes a workspace, the first writer, the one behind the last, and how many steps
	 * each takes; returns the versions of all.
	 */
	@Bean
	Operation write(Workspaces workspaces) {
		return (arguments) -> {
			Workspace workspace = workspaces.open(KIND, arguments[0]);
			int from = Integer.parseInt(arguments[1]);
			int to = Integer.parseInt(arguments[2]);
			int steps = Integer.parseInt(arguments[3]);
			ExecutorService threads = Executors.newFixedThreadPool(to - from);
			try {
				List<Future<List<Long>>> running = new ArrayList<>();
				for (int writer = from; writer < to; writer++) {
					String name = String.valueOf(writer);
					running.add(threads.submit(() -> write(workspace, name, steps)));
				}
				List<Long> versions = new ArrayList<>();
				for (Future<List<Long>> each : running) {
					versions.addAll(each.get());
				}
				return versions.stream().map(String::valueOf).collect(Collectors.joining(","));
			}
			finally {
				threads.shutdownNow();
			}
		};
	}

	private static List<Long> write(Workspace workspace, String writer, int steps) throws InterruptedException {
		List<Long> versions = new ArrayList<>();
		while (versions.size() < steps) {
			String entry = writer + "." + versions.size();
			Workspace once = workspace.withOperation(entry);
			try {
				versions.add((versions.size() % 2 == 0) ? once.append(LIST, entry) : once.put(writer, entry));
			}
			catch (RedisUnavailableException ex) {
				// The same operation again, so that it is applied once
				TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
			}
		}
		return versions;
	}

	/**
	 * Takes a workspace and returns its version.
	 */
	@Bean
	Operation version(Workspaces workspaces) {
		return (arguments) -> String
			.valueOf(answered(() -> workspaces.open(KIND, arguments[0]).snapshot("nothing")).version());
	}

	/**
	 * Takes a workspace and returns its version and the entries of the list.
	 */
	@Bean
	Operation look(Workspaces workspaces) {
		return (arguments) -> {
			WorkspaceSnapshot snapshot = answered(() -> workspaces.open(KIND, arguments[0]).snapshot());
			return snapshot.version() + "," + String.join(",", snapshot.list(LIST, String.class));
		};
	}

	/**
	 * Reads until Redis answers in time, which it may not at once on a busy machine.
	 */
	private static WorkspaceSnapshot answered(Supplier<WorkspaceSnapshot> read) throws InterruptedException {
		while (true) {
			try {
				return read.get();
			}
			catch (RedisUnavailableException ex) {
				TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
			}
		}
	}

}
