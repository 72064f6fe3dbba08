// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.scenario;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.ge.redis.test.fault.Fault;
import io.ge.redis.test.fault.FaultRun;
import io.ge.redis.test.instance.Failpoint;
import io.ge.redis.test.instance.Instance;
import io.ge.redis.test.instance.InstanceCallException;
import io.ge.redis.test.instance.InstanceGoneException;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Values that are put into a cache and written behind. An application offers
 * <ul>
 * <li>{@code write}, with an id and a number, which puts it there and answers the version
 * of the change;</li>
 * <li>{@code read}, which answers the value.</li>
 * </ul>
 * It writes to the tables {@code points} and {@code points_log} of
 * {@link ScenarioDatabase}.
 * <p>
 * Judged is what stands in the database when nothing is under way any more: of each id
 * the last value that a writer was told to be taken, and a log in which its versions
 * never fall.
 */
public final class WriteBehindScenario {

	private static final int CALLERS = 4;

	private static final int IDS = 40;

	/** The row of which several values are lost. */
	private static final int LOST = -1;

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final AtomicLong RUNS = new AtomicLong();

	static {
		JdbcClient jdbc = ScenarioDatabase.jdbc();
		jdbc.sql("create table points (id text primary key, points bigint, version bigint not null)").update();
		jdbc.sql("create table points_log (number serial primary key, id text not null, version bigint not null,"
				+ " process bigint not null)")
			.update();
	}

	private final FaultRun run;

	private final Instance writer;

	private final Duration rest;

	private final String prefix = "points-" + RUNS.incrementAndGet() + "-";

	private final long seed;

	private final AtomicLong refused = new AtomicLong();

	/** Ids whose last value may be another one than was told. */
	private final Set<String> unknown = ConcurrentHashMap.newKeySet();

	private volatile Map<String, Taken> taken = new ConcurrentHashMap<>();

	private WriteBehindScenario(FaultRun run, Fleet writers, Duration rest) {
		this.run = run;
		this.writer = writers.start().get(0);
		this.rest = rest;
		this.seed = run.random().nextLong();
	}

	/**
	 * Kills instances that write, one after the other, while values keep coming.
	 * @param run counts and judges
	 * @param writers start the instance that puts values into the cache
	 * @param stores start instances that write them; those that died are replaced
	 * @param places where instances end, by turns, and once in a while anywhere
	 * @param kills how many of them
	 * @param rest how long it may take until all is written
	 * @throws Exception if the scenario cannot be played
	 */
	public static void killed(FaultRun run, Fleet writers, Fleet stores, List<Failpoint.Place> places, int kills,
			Duration rest) throws Exception {
		while (run.next()) {
			WriteBehindScenario scenario = new WriteBehindScenario(run, writers, rest);
			int first = run.random().nextInt(places.size() + 1);
			try (Load load = Load.start(CALLERS, scenario::step)) {
				for (int kill = 0; kill < kills; kill++) {
					List<Instance> running = stores.start();
					Instance victim = scenario.awaitWriter(running);
					int place = (first + kill) % (places.size() + 1);
					if (place < places.size()) {
						scenario.end(victim, places.get(place));
					}
					else {
						TimeUnit.MILLISECONDS.sleep(run.random().nextInt(100));
					}
					victim.kill();
					run.injected();
				}
				load.stop();
			}
			List<Instance> last = stores.start();
			scenario.judge();
			last.forEach(Instance::close);
		}
	}

	/**
	 * Keeps values coming before, while and after something goes wrong.
	 * @param run counts and judges
	 * @param writers start the instance that puts values into the cache
	 * @param stores start instances that write them
	 * @param fault what goes wrong
	 * @param lasting how long
	 * @param rest how long it may take until all is written
	 * @throws Exception if the scenario cannot be played
	 */
	public static void underLoad(FaultRun run, Fleet writers, Fleet stores, Fault fault, Duration lasting,
			Duration rest) throws Exception {
		while (run.next()) {
			WriteBehindScenario scenario = new WriteBehindScenario(run, writers, rest);
			List<Instance> running = stores.start();
			try (Load load = Load.start(CALLERS, scenario::step)) {
				scenario.awaitWriter(running);
				run.inject(fault);
				TimeUnit.MILLISECONDS.sleep(lasting.toMillis());
				run.heal(fault);
				load.awaitSteps(IDS);
				load.stop();
			}
			scenario.judge();
			running.forEach(Instance::close);
		}
	}

	/**
	 * Keeps values coming before, while and after Redis loses the last of them. Judged is
	 * what comes after that.
	 * @param run counts and judges
	 * @param writers start the instance that puts values into the cache
	 * @param stores start instances that write them
	 * @param loss makes Redis lose what has come since, as soon as it is healed
	 * @param rest how long it may take until all is written
	 * @throws Exception if the scenario cannot be played
	 */
	public static void throughLoss(FaultRun run, Fleet writers, Fleet stores, Fault loss, Duration rest)
			throws Exception {
		while (run.next()) {
			WriteBehindScenario scenario = new WriteBehindScenario(run, writers, rest);
			List<Instance> running = stores.start();
			try (Load load = Load.start(CALLERS, scenario::step)) {
				scenario.awaitWriter(running);
				run.inject(loss);
				// Written to the database and lost
				for (int i = 0; i < IDS; i++) {
					scenario.write(LOST, i);
				}
				run.require(scenario.awaitWritten(), "Not written before it is lost");
				run.heal(loss);
				scenario.taken = new ConcurrentHashMap<>();
				scenario.awaitTaken();
				scenario.write(LOST, IDS);
				load.stop();
			}
			scenario.judge();
			running.forEach(Instance::close);
		}
	}

	/**
	 * Lets a store take long for a value, while a newer one comes and another instance
	 * would write it.
	 * @param run counts and judges
	 * @param writers start the instance that puts values into the cache
	 * @param slow start the instance whose store takes long
	 * @param others start the other instance
	 * @param writing where the slow one stands still
	 * @param written where it has written, or was refused
	 * @param paused whether it stands still altogether, so that it loses its place
	 * @param lasting how long it stands still
	 * @param rest how long it may take until all is written
	 * @throws Exception if the scenario cannot be played
	 */
	public static void held(FaultRun run, Fleet writers, Fleet slow, Fleet others, Failpoint.Place writing,
			Failpoint.Place written, boolean paused, Duration lasting, Duration rest) throws Exception {
		while (run.next()) {
			WriteBehindScenario scenario = new WriteBehindScenario(run, writers, rest);
			Instance late = slow.start().get(0);
			Failpoint hold = writing.hold();
			Failpoint done = written.hold();
			late.arm(hold, done);
			scenario.write(0, 1);
			late.awaitReached(hold);
			Instance other = others.start().get(0);
			if (paused) {
				late.pause();
			}
			run.injected();
			scenario.write(0, 2);
			TimeUnit.MILLISECONDS.sleep(lasting.toMillis());
			if (paused) {
				run.require(scenario.awaitWritten(), "Nobody has taken over");
				late.resume();
			}
			late.release(hold);
			late.awaitReached(done);
			late.release(done);
			scenario.judge();
			late.close();
			other.close();
		}
	}

	private void step(long number) throws InterruptedException {
		// Leaves the processor to those who write behind
		TimeUnit.MILLISECONDS.sleep(2);
		Random random = Load.random(this.seed, number);
		// Nothing makes up for the loss of a value that comes once
		write((number % 4 != 0) ? IDS + (int) number : random.nextInt(IDS), number);
		if (number % 8 == 0) {
			// A value that is read back from its change or from the cache
			call("read", id(random.nextInt(IDS)));
		}
	}

	private void write(int row, long number) {
		String id = id(row);
		Map<String, Taken> current = this.taken;
		String version = call("write", id, String.valueOf(number));
		if (version == null) {
			this.refused.incrementAndGet();
		}
		if (version == null || current != this.taken) {
			this.unknown.add(id);
			return;
		}
		Taken change = new Taken(Long.parseLong(version), number);
		current.merge(id, change, (one, other) -> (one.version() > other.version()) ? one : other);
	}

	/**
	 * Waits until values are taken, which is at once unless something is wrong.
	 */
	private void awaitTaken() throws InterruptedException {
		long deadline = System.nanoTime() + PATIENCE.toNanos();
		while (this.taken.size() < IDS && System.nanoTime() - deadline < 0) {
			TimeUnit.MILLISECONDS.sleep(10);
		}
	}

	private @Nullable String call(String operation, String... arguments) {
		long asked = System.nanoTime();
		try {
			return this.writer.get(operation, arguments);
		}
		catch (InstanceCallException | InstanceGoneException ex) {
			return null;
		}
		finally {
			this.run.operation(Duration.ofNanos(System.nanoTime() - asked));
		}
	}

	private String id(int row) {
		return this.prefix + row;
	}

	/**
	 * Waits until one of the instances has written something, and returns the one that
	 * did last.
	 */
	private Instance awaitWriter(List<Instance> instances) throws InterruptedException {
		long before = ScenarioDatabase.jdbc()
			.sql("select coalesce(max(number), 0) from points_log")
			.query(Long.class)
			.single();
		long deadline = System.nanoTime() + PATIENCE.toNanos();
		while (System.nanoTime() - deadline < 0) {
			for (Long process : ScenarioDatabase.jdbc()
				.sql("select process from points_log where number > ? order by number desc limit 1")
				.param(before)
				.query(Long.class)
				.list()) {
				for (Instance instance : instances) {
					if (instance.pid() == process) {
						return instance;
					}
				}
			}
			TimeUnit.MILLISECONDS.sleep(10);
		}
		throw new IllegalStateException("None of " + instances + " writes");
	}

	/**
	 * Lets an instance end where it comes to a place, which it does unless others write
	 * all there is.
	 */
	private void end(Instance victim, Failpoint.Place place) throws InterruptedException {
		try {
			victim.arm(place.halt());
		}
		catch (InstanceGoneException ex) {
			// It was there before it could answer
		}
		long deadline = System.nanoTime() + Duration.ofSeconds(5).toNanos();
		while (victim.isRunning() && System.nanoTime() - deadline < 0) {
			TimeUnit.MILLISECONDS.sleep(5);
		}
		this.run.note(victim.isRunning() ? "killed elsewhere" : "ended in the middle", 1);
	}

	/**
	 * Waits until what has been taken so far is written.
	 */
	private boolean awaitWritten() throws InterruptedException {
		Map<String, Taken> wanted = Map.copyOf(this.taken);
		long deadline = System.nanoTime() + this.rest.toNanos();
		while (!isWritten(wanted) && System.nanoTime() - deadline < 0) {
			TimeUnit.MILLISECONDS.sleep(20);
		}
		return isWritten(wanted);
	}

	private boolean isWritten(Map<String, Taken> wanted) {
		Map<String, Taken> stored = stored();
		return wanted.entrySet()
			.stream()
			.allMatch((each) -> stored.getOrDefault(each.getKey(), Taken.NONE).version() >= each.getValue().version());
	}

	private Map<String, Taken> stored() {
		Map<String, Taken> stored = new HashMap<>();
		ScenarioDatabase.jdbc()
			.sql("select id, version, points from points where id like ?")
			.param(this.prefix + "%")
			.query((row) -> {
				stored.put(row.getString(1), new Taken(row.getLong(2), row.getLong(3)));
			});
		return stored;
	}

	private void judge() throws InterruptedException {
		awaitWritten();
		Map<String, Taken> stored = stored();
		this.taken.forEach((id, last) -> {
			Taken found = stored.getOrDefault(id, Taken.NONE);
			boolean kept = found.equals(last) || (found.version() > last.version() && this.unknown.contains(id));
			this.run.require(kept, id + ": taken was " + last + ", the database has " + found);
		});
		List<String> fallen = log("version < before");
		this.run.require(fallen.isEmpty(), "Written over by older values: " + fallen);
		this.run.note("written again", log("version = before").size());
		this.run.note("writes refused or unknown", this.refused.get());
	}

	private List<String> log(String condition) {
		return ScenarioDatabase.jdbc()
			.sql("select id from (select id, version, lag(version) over (partition by id order by number) as before"
					+ " from points_log where id like ?) as log where " + condition)
			.param(this.prefix + "%")
			.query(String.class)
			.list();
	}

	/**
	 * A value that a writer was told to be taken.
	 */
	private record Taken(long version, long number) {

		static final Taken NONE = new Taken(0, 0);

	}

}
