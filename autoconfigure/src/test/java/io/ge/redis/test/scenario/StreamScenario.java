// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.scenario;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import io.ge.redis.test.RedisNode;
import io.ge.redis.test.fault.Fault;
import io.ge.redis.test.fault.FaultRun;
import io.ge.redis.test.instance.Failpoint;
import io.ge.redis.test.instance.Instance;
import io.ge.redis.test.instance.InstanceCallException;
import io.ge.redis.test.instance.InstanceGoneException;

import org.springframework.util.FileSystemUtils;

/**
 * Numbers that are published to a stream and worked on by {@link StreamApplication}.
 * <p>
 * Judged is by the journals of those who worked: each number that a publisher was told to
 * be published was worked on to its end, or is a dead letter as it should be; nothing is
 * pending; and nothing was worked on twice, except for what was in the hands of instances
 * that died.
 */
public final class StreamScenario {

	/** At most so many are handled, or handled and not acknowledged, on an instance. */
	private static final int IN_FLIGHT = 8 + 256;

	private static final int DELIVERIES = 3;

	private static final int BATCH = 50;

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private final FaultRun run;

	private final Site site;

	private final Duration rest;

	private final Path journal;

	private final Instance publisher;

	private final AtomicLong next = new AtomicLong();

	private final Set<Long> published = ConcurrentHashMap.newKeySet();

	private long deaths;

	private StreamScenario(FaultRun run, Site site, Fleet publishers, Path journal, Duration rest) {
		this.run = run;
		this.site = site;
		this.rest = rest;
		this.journal = journal;
		this.publisher = publishers.start().get(0);
	}

	/**
	 * Returns where journals of a run stand.
	 */
	public static Path newJournal() {
		try {
			return Files.createTempDirectory("ge-redis-streams");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Kills those who work, one after the other, while numbers keep coming.
	 * @param run counts and judges
	 * @param site where Redis is
	 * @param publishers start the instance that publishes
	 * @param workers start those who work; those that died are replaced
	 * @param journal where they write
	 * @param places where they end, by turns, and once in a while anywhere
	 * @param kills how many of them
	 * @param numbers how many numbers there are for each kill
	 * @param poison how many numbers end the process of who works on them
	 * @param rest how long it may take until all is done
	 * @throws Exception if the scenario cannot be played
	 */
	public static void killed(FaultRun run, Site site, Fleet publishers, Fleet workers, Path journal,
			List<Failpoint.Place> places, int kills, int numbers, int poison, Duration rest) throws Exception {
		while (run.next()) {
			clear(journal);
			StreamScenario scenario = new StreamScenario(run, site, publishers, journal, rest);
			int first = run.random().nextInt(places.size() + 1);
			workers.start();
			for (int kill = 0; kill < kills; kill++) {
				scenario.publish(numbers);
				List<Instance> running = workers.start();
				Instance victim = running.get(run.random().nextInt(running.size()));
				int place = (first + kill) % (places.size() + 1);
				if (place < places.size()) {
					scenario.end(victim, places.get(place));
				}
				else {
					TimeUnit.MILLISECONDS.sleep(run.random().nextInt(500));
				}
				victim.kill();
				scenario.deaths++;
				run.injected();
			}
			// Apart from all else: what is in the same hands as poison is delivered as
			// often
			scenario.awaitDone(workers, 0);
			for (int i = 1; i <= poison; i++) {
				scenario.publisher.get("publish", String.valueOf(-i), String.valueOf(-i + 1));
				scenario.awaitDone(workers, i);
			}
			scenario.judge(workers, poison);
			workers.start().forEach(Instance::close);
		}
	}

	/**
	 * Keeps numbers coming before, while and after something goes wrong.
	 * @param run counts and judges
	 * @param site where Redis is
	 * @param publishers start the instance that publishes
	 * @param workers start those who work
	 * @param journal where they write
	 * @param fault what goes wrong
	 * @param lasting how long
	 * @param forgets whether Redis loses what it had; then only what comes later is
	 * judged
	 * @param rest how long it may take until all is done
	 * @throws Exception if the scenario cannot be played
	 */
	public static void underLoad(FaultRun run, Site site, Fleet publishers, Fleet workers, Path journal, Fault fault,
			Duration lasting, boolean forgets, Duration rest) throws Exception {
		while (run.next()) {
			clear(journal);
			StreamScenario scenario = new StreamScenario(run, site, publishers, journal, rest);
			workers.start();
			scenario.publish(4 * BATCH);
			try (Load load = Load.start(2, (number) -> {
				scenario.publish(BATCH);
				TimeUnit.MILLISECONDS.sleep(20);
			})) {
				load.awaitSteps(4);
				run.inject(fault);
				TimeUnit.MILLISECONDS.sleep(lasting.toMillis());
				run.heal(fault);
				scenario.awaitPublished();
				if (forgets) {
					scenario.published.clear();
				}
				scenario.awaitPublished();
				load.stop();
			}
			// Messages in the hands of all when the connection was lost may come twice
			scenario.deaths = 2;
			scenario.judge(workers, 0);
			workers.start().forEach(Instance::close);
		}
	}

	/**
	 * Lets one who works stand still with a number in its hands for longer than its
	 * lease, and go on when another has it.
	 * @param run counts and judges
	 * @param site where Redis is
	 * @param publishers start the instance that publishes
	 * @param slow start the one who stands still
	 * @param others start the other one
	 * @param journal where they write
	 * @param working where both stand still
	 * @throws Exception if the scenario cannot be played
	 */
	public static void paused(FaultRun run, Site site, Fleet publishers, Fleet slow, Fleet others, Path journal,
			Failpoint.Place working) throws Exception {
		while (run.next()) {
			clear(journal);
			StreamScenario scenario = new StreamScenario(run, site, publishers, journal, Duration.ofSeconds(30));
			Instance late = slow.start().get(0);
			Failpoint hold = working.hold();
			late.arm(hold);
			scenario.publishOne();
			late.awaitReached(hold);
			Instance other = others.start().get(0);
			Failpoint second = working.hold();
			// Before there is something to take over
			other.arm(second);
			late.pause();
			run.injected();
			other.awaitReached(second);
			late.resume();
			late.release(hold);
			// Time for an acknowledgement that must not count
			TimeUnit.MILLISECONDS.sleep(1000);
			run.require(scenario.pending() == 1, "Acknowledged by who had lost it");
			other.release(second);
			scenario.deaths = 1;
			scenario.judge(slow, 0);
			late.close();
			other.close();
		}
	}

	private void publish(int number) {
		for (int sent = 0; sent < number; sent += BATCH) {
			long from = this.next.getAndAdd(BATCH);
			long to = from + Math.min(BATCH, number - sent);
			long asked = System.nanoTime();
			try {
				if (Long.parseLong(this.publisher.get("publish", String.valueOf(from), String.valueOf(to))) == to
						- from) {
					for (long each = from; each < to; each++) {
						this.published.add(each);
					}
				}
			}
			catch (InstanceCallException | InstanceGoneException ex) {
				this.run.note("batches refused or unknown", 1);
			}
			this.run.operation(Duration.ofNanos(System.nanoTime() - asked));
		}
	}

	/**
	 * Publishes a number until it is taken: repeated, it is the same message.
	 */
	private void publishOne() throws InterruptedException {
		long number = this.next.getAndIncrement();
		long deadline = System.nanoTime() + this.rest.toNanos();
		while (!this.published.contains(number)) {
			try {
				if (this.publisher.get("publish", String.valueOf(number), String.valueOf(number + 1)).equals("1")) {
					this.published.add(number);
				}
			}
			catch (InstanceCallException ex) {
				if (System.nanoTime() - deadline > 0) {
					throw ex;
				}
				TimeUnit.MILLISECONDS.sleep(100);
			}
		}
		this.run.operation(Duration.ZERO);
	}

	/**
	 * Waits until more is published, as it is when nothing is wrong any more.
	 */
	private void awaitPublished() throws InterruptedException {
		int target = this.published.size() + 6 * BATCH;
		long deadline = System.nanoTime() + this.rest.toNanos();
		while (this.published.size() < target) {
			if (System.nanoTime() - deadline > 0) {
				throw new IllegalStateException("Nothing is published any more");
			}
			TimeUnit.MILLISECONDS.sleep(10);
		}
	}

	/**
	 * Lets an instance end where it comes to a place.
	 */
	private void end(Instance victim, Failpoint.Place place) throws InterruptedException {
		try {
			victim.arm(place.halt());
		}
		catch (InstanceGoneException ex) {
			// It was there before it could answer
		}
		long deadline = System.nanoTime() + PATIENCE.toNanos();
		while (victim.isRunning() && System.nanoTime() - deadline < 0) {
			if (pending() == 0) {
				publish(BATCH);
			}
			TimeUnit.MILLISECONDS.sleep(5);
		}
		this.run.note(victim.isRunning() ? "killed elsewhere" : "ended in the middle", 1);
	}

	private void awaitDone(Fleet workers, int poison) throws InterruptedException {
		long deadline = System.nanoTime() + this.rest.toNanos();
		while (!isDone(poison) && System.nanoTime() - deadline < 0) {
			replace(workers);
			TimeUnit.MILLISECONDS.sleep(200);
		}
	}

	private void judge(Fleet workers, int poison) throws InterruptedException {
		awaitDone(workers, poison);
		Map<Long, Integer> ended = counted("end");
		Map<Long, Integer> begun = counted("begin");
		Map<String, Integer> dead = dead();
		List<Long> lost = new ArrayList<>();
		for (long number : this.published) {
			boolean never = number % 50 == 3;
			if (never ? !dead.containsKey("t" + number) : !ended.containsKey(number)) {
				lost.add(number);
			}
		}
		long given = lost.stream().filter((number) -> dead.containsKey("t" + number)).count();
		this.run.require(lost.isEmpty(), lost.size() + " of " + this.published.size() + " are lost, such as "
				+ lost.subList(0, Math.min(10, lost.size())) + "; dead letters are " + given + " of them");
		this.run.require(pending() == 0, pending() + " are pending");
		long twice = ended.entrySet()
			.stream()
			.filter((each) -> this.published.contains(each.getKey()))
			.mapToLong((each) -> each.getValue() - 1)
			.sum();
		this.run.require(twice <= IN_FLIGHT * this.deaths, twice + " were worked on twice");
		for (long i = 1; i <= poison; i++) {
			int times = begun.getOrDefault(-i, 0);
			this.run.require(times == DELIVERIES, "Poison was delivered " + times + " times");
			this.run.require(dead.getOrDefault("t" + -i, 0) >= 1, "Poison is no dead letter");
		}
		this.run.note("numbers", this.published.size());
		this.run.note("lost", lost.size());
		this.run.note("worked on twice", twice);
		this.run.note("dead letters", dead.size());
		this.run.note("dead letters twice", dead.values().stream().mapToInt((times) -> times - 1).sum());
	}

	// One that finds poison at its start ends there
	private static void replace(Fleet workers) {
		try {
			workers.start();
		}
		catch (IllegalStateException | CompletionException ex) {
			if (!String.valueOf(ex).contains(InstanceGoneException.class.getSimpleName())) {
				throw ex;
			}
		}
	}

	private boolean isDone(int poison) {
		Map<Long, Integer> ended = counted("end");
		return this.published.stream().allMatch((number) -> number % 50 == 3 || ended.containsKey(number))
				&& pending() == 0 && dead().keySet().stream().filter((id) -> id.startsWith("t-")).count() == poison;
	}

	private Map<Long, Integer> counted(String what) {
		Map<Long, Integer> counted = new HashMap<>();
		try (Stream<Path> files = Files.list(this.journal)) {
			for (Path file : files.toList()) {
				for (String line : Files.readAllLines(file)) {
					if (line.startsWith(what + " ")) {
						counted.merge(Long.valueOf(line.substring(what.length() + 1)), 1, Integer::sum);
					}
				}
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return counted;
	}

	private long pending() {
		return Long.parseLong(lua("""
				local groups = redis.pcall('XINFO', 'GROUPS', KEYS[1])
				if groups.err or not groups[1] then
				  return '-1'
				end
				local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
				local unread = last and last[1] ~= groups[1][8] and 1 or 0
				return tostring(groups[1][6] + unread)
				""", "numbers.done"));
	}

	/**
	 * Returns the trigger ids of dead letters, with how often they are there.
	 */
	private Map<String, Integer> dead() {
		Map<String, Integer> dead = new HashMap<>();
		for (String id : lua("""
				local found = {}
				for _, letter in ipairs(redis.call('XRANGE', KEYS[1], '-', '+')) do
				  for i = 1, #letter[2], 2 do
				    if letter[2][i] == 'trigger' then
				      found[#found + 1] = letter[2][i + 1]
				    end
				  end
				end
				return table.concat(found, ' ')
				""", "ge:stream:{numbers.done}:dead").split(" ")) {
			if (!id.isEmpty()) {
				dead.merge(id, 1, Integer::sum);
			}
		}
		return dead;
	}

	private String lua(String script, String key) {
		RedisNode redis = this.site.redis();
		return String.valueOf(redis.command("EVAL", script, "1", key));
	}

	private static void clear(Path journal) throws IOException {
		FileSystemUtils.deleteRecursively(journal);
		Files.createDirectories(journal);
	}

}
