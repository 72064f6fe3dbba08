// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.scenario;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.ge.redis.test.Reaper;
import io.ge.redis.test.fault.FaultRun;
import io.ge.redis.test.instance.Instance;
import io.ge.redis.test.instance.InstanceCallException;
import io.ge.redis.test.instance.InstanceGoneException;
import io.ge.redis.test.oracle.History;
import io.ge.redis.test.oracle.Journal;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The rows of one round, and the judgement of what instances say of them.
 */
final class CachedRows {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final AtomicLong ROUNDS = new AtomicLong();

	private final FaultRun run;

	private final int number;

	private final Duration rest;

	private final String prefix = "item-" + ROUNDS.incrementAndGet() + "-";

	/**
	 * Creates rows in the database.
	 * @param run counts and judges
	 * @param number how many rows
	 * @param rest how long it may take until the cache is right
	 */
	CachedRows(FaultRun run, int number, Duration rest) {
		this.run = run;
		this.number = number;
		this.rest = rest;
		JdbcClient jdbc = ScenarioDatabase.jdbc();
		for (int i = 0; i < number; i++) {
			jdbc.sql("insert into items (id, version) values (?, 0)").param(id(i)).update();
		}
	}

	String prefix() {
		return this.prefix;
	}

	String id(int row) {
		return this.prefix + row;
	}

	String stored(int row) {
		return ScenarioDatabase.jdbc()
			.sql("select version from items where id = ?")
			.param(id(row))
			.query(String.class)
			.single();
	}

	String read(Instance instance, int row) {
		return call(instance, "read", row);
	}

	/**
	 * Calls an operation for a row. That it fails is a violation, unless its instance is
	 * gone.
	 */
	String call(Instance instance, String operation, int row) {
		long asked = System.nanoTime();
		try {
			return instance.get(operation, id(row));
		}
		catch (InstanceCallException ex) {
			this.run.violation(operation + " failed: " + ex.getMessage());
			return "";
		}
		catch (InstanceGoneException ex) {
			return "";
		}
		finally {
			this.run.operation(Duration.ofNanos(System.nanoTime() - asked));
		}
	}

	/**
	 * Waits until an instance reaches its cache.
	 */
	static void warmUp(Instance instance) throws InterruptedException {
		String id = "warm-" + ROUNDS.incrementAndGet();
		ScenarioDatabase.jdbc().sql("insert into items (id, version) values (?, 0)").param(id).update();
		long deadline = System.nanoTime() + PATIENCE.toNanos();
		while (System.nanoTime() - deadline < 0) {
			String loads = instance.get("loads");
			instance.get("read", id);
			if (instance.get("loads").equals(loads)) {
				return;
			}
			TimeUnit.MILLISECONDS.sleep(10);
		}
		throw new IllegalStateException(instance + " does not reach its cache");
	}

	static long loads(List<Instance> instances) {
		long loads = 0;
		for (Instance instance : instances) {
			if (instance.isRunning()) {
				loads += Long.parseLong(instance.get("loads"));
			}
		}
		return loads;
	}

	/**
	 * Waits until nothing changes any more, at most as long as it may take, and writes
	 * down what the cache says.
	 * @return of how many rows it says something else than the database
	 */
	long judge(List<Instance> instances) throws Exception {
		long deadline = System.nanoTime() + this.rest.toNanos();
		while (!isAtRest(instances) && System.nanoTime() - deadline < 0) {
			TimeUnit.MILLISECONDS.sleep(20);
		}
		Path directory = Reaper.newDirectory();
		long differ = 0;
		for (int row = 0; row < this.number; row++) {
			String stored = stored(row);
			try (Journal journal = Journal.open(directory, "database")) {
				journal.write(Journal.STORED, id(row), stored);
			}
			boolean differs = false;
			for (Instance instance : instances) {
				if (instance.isRunning()) {
					String cached = read(instance, row);
					differs |= !cached.isEmpty() && !cached.equals(stored);
					try (Journal journal = Journal.open(directory, instance.name())) {
						journal.write(Journal.CACHED, id(row), cached);
					}
				}
			}
			differ += differs ? 1 : 0;
		}
		this.run.violations(History.read(directory).staleAtRest());
		return differ;
	}

	/**
	 * Every instance has every row from the cache. Right answers alone would say little:
	 * who goes past the cache does not see what it holds.
	 */
	private boolean isAtRest(List<Instance> instances) {
		long before = loads(instances);
		boolean right = true;
		for (int row = 0; row < this.number; row++) {
			String stored = stored(row);
			for (Instance instance : instances) {
				right &= !instance.isRunning() || read(instance, row).equals(stored);
			}
		}
		return right && loads(instances) == before;
	}

}
