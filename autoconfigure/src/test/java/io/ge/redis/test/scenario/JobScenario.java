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

import io.ge.redis.test.fault.Fault;
import io.ge.redis.test.fault.FaultRun;
import io.ge.redis.test.instance.Failpoint;
import io.ge.redis.test.instance.Instance;
import io.ge.redis.test.instance.InstanceCallException;
import io.ge.redis.test.instance.InstanceGoneException;

import org.springframework.util.FileSystemUtils;

/**
 * Numbers that are jobs of a queue, done by {@link JobApplication}.
 * <p>
 * Judged is by the journals of those who work: each number that a producer was told to be
 * in the queue was done, or is a dead letter as it should be; the queue is empty in the
 * end; and nothing was done twice, except for what was in the hands of instances that
 * died. A number that ends each process is begun exactly as often as allowed.
 */
public final class JobScenario {

	/** At most so many are done, or done and not settled, on an instance. */
	private static final int IN_FLIGHT = 8 + 256;

	private static final int ATTEMPTS = 3;

	private static final int BATCH = 50;

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private static final String KEYS = "ge:queue:{" + JobApplication.QUEUE + "}:";

	private final FaultRun run;

	private final Site site;

	private final Duration rest;

	private final Path journal;

	private final Instance producer;

	private final AtomicLong next = new AtomicLong();

	private final Set<Long> enqueued = ConcurrentHashMap.newKeySet();

	private long deaths;

	private JobScenario(FaultRun run, Site site, Fleet producers, Path journal, Duration rest) throws IOException {
		this.run = run;
		this.site = site;
		this.rest = rest;
		this.journal = journal;
		FileSystemUtils.deleteRecursively(journal);
		Files.createDirectories(journal);
		// The numbers of another round are duplicates
		site.redis().command("FLUSHALL", "SYNC");
		this.producer = producers.start().get(0);
	}

	static boolean isHopeless(long number) {
		return number % 50 == 3;
	}

	/**
	 * Kills those who work, one after the other, while numbers keep coming.
	 * @param run counts and judges
	 * @param site where Redis is
	 * @param producers start the instance that enqueues
	 * @param workers start those who work; those that died are replaced
	 * @param journal where they write
	 * @param places where they end, by turns, and once in a while anywhere
	 * @param kills how many of them
	 * @param numbers how many numbers there are for each kill
	 * @param poison whether a number that ends each process follows
	 * @param rest how long it may take until all is done
	 * @throws Exception if the scenario cannot be played
	 */
	public static void killed(FaultRun run, Site site, Fleet producers, Fleet workers, Path journal,
			List<Failpoint.Place> places, int kills, int numbers, boolean poison, Duration rest) throws Exception {
		while (run.next()) {
			JobScenario scenario = new JobScenario(run, site, producers, journal, rest);
			workers.start();
			for (int kill = 0; kill < kills; kill++) {
				scenario.enqueue(numbers);
				List<Instance> running = workers.start();
				Instance victim = running.get(run.random().nextInt(running.size()));
				int place = kill % (places.size() + 1);
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
			// Those in its hands would die with it as often as it is tried
			scenario.awaitDone(workers);
			if (poison) {
				scenario.producer.get("enqueue", "-1", "0");
				scenario.deaths += ATTEMPTS;
			}
			scenario.judge(workers, poison);
			workers.start().forEach(Instance::close);
		}
	}

	/**
	 * Kills the one that works, again and again, and lets the next one start when the
	 * lease is over. Each begins what is left by priority.
	 * @param run counts and judges
	 * @param site where Redis is
	 * @param producers start the instance that enqueues
	 * @param worker starts one that does a job at a time, in strict order
	 * @param journal where it writes
	 * @param places where it ends, by turns
	 * @param kills how often
	 * @param lease how long a job of a dead one is held
	 * @param rest how long it may take until all is done
	 * @throws Exception if the scenario cannot be played
	 */
	public static void ordered(FaultRun run, Site site, Fleet producers, Fleet worker, Path journal,
			List<Failpoint.Place> places, int kills, Duration lease, Duration rest) throws Exception {
		while (run.next()) {
			JobScenario scenario = new JobScenario(run, site, producers, journal, rest);
			scenario.enqueue(kills * 8 * BATCH);
			for (int kill = 0; kill < kills; kill++) {
				Instance victim = worker.start().get(0);
				scenario.end(victim, places.get(kill % places.size()));
				victim.kill();
				scenario.deaths++;
				run.injected();
				TimeUnit.MILLISECONDS.sleep(2 * lease.toMillis());
			}
			scenario.judge(worker, false);
			worker.start().forEach(Instance::close);
			int wrong = 0;
			for (List<Long> begun : scenario.written("begin")) {
				for (int i = 1; i < begun.size(); i++) {
					wrong += (JobApplication.priority(begun.get(i)) > JobApplication.priority(begun.get(i - 1))) ? 1
							: 0;
				}
			}
			run.require(wrong == 0, wrong + " have begun after a job of lower priority");
		}
	}

	/**
	 * Keeps numbers coming before, while and after something goes wrong.
	 * @param run counts and judges
	 * @param site where Redis is
	 * @param producers start the instance that enqueues
	 * @param workers start those who work
	 * @param journal where they write
	 * @param fault what goes wrong
	 * @param lasting how long
	 * @param forgets whether Redis loses what it had; then only what comes later is
	 * judged
	 * @param rest how long it may take until all is done
	 * @throws Exception if the scenario cannot be played
	 */
	public static void underLoad(FaultRun run, Site site, Fleet producers, Fleet workers, Path journal, Fault fault,
			Duration lasting, boolean forgets, Duration rest) throws Exception {
		while (run.next()) {
			JobScenario scenario = new JobScenario(run, site, producers, journal, rest);
			workers.start();
			try (Load load = Load.start(2, (number) -> {
				scenario.enqueue(BATCH);
				TimeUnit.MILLISECONDS.sleep(20);
			})) {
				load.awaitSteps(4);
				run.inject(fault);
				TimeUnit.MILLISECONDS.sleep(lasting.toMillis());
				run.heal(fault);
				if (forgets) {
					load.awaitSteps(4);
					scenario.enqueued.clear();
				}
				scenario.awaitEnqueued(4 * BATCH);
				load.stop();
			}
			// What was in the hands of all when the connection was lost may come twice
			scenario.deaths = 2;
			scenario.judge(workers, false);
			workers.start().forEach(Instance::close);
		}
	}

	private void enqueue(int number) {
		for (int sent = 0; sent < number; sent += BATCH) {
			long from = this.next.getAndAdd(BATCH);
			long asked = System.nanoTime();
			try {
				this.producer.get("enqueue", String.valueOf(from), String.valueOf(from + BATCH));
				for (long each = from; each < from + BATCH; each++) {
					this.enqueued.add(each);
				}
			}
			catch (InstanceCallException | InstanceGoneException ex) {
				this.run.note("batches refused or unknown", 1);
			}
			this.run.operation(Duration.ofNanos(System.nanoTime() - asked));
		}
	}

	private void awaitEnqueued(int more) throws InterruptedException {
		int before = this.enqueued.size();
		long deadline = System.nanoTime() + this.rest.toNanos();
		while (this.enqueued.size() < before + more && System.nanoTime() - deadline < 0) {
			TimeUnit.MILLISECONDS.sleep(20);
		}
		this.run.require(this.enqueued.size() >= before + more, "Nothing is enqueued any more");
	}

	private void end(Instance victim, Failpoint.Place place) throws InterruptedException {
		try {
			victim.arm(place.halt());
		}
		catch (InstanceGoneException ex) {
			// It was there before it could answer
		}
		long deadline = System.nanoTime() + PATIENCE.toNanos();
		while (victim.isRunning() && System.nanoTime() - deadline < 0) {
			if (left() == 0) {
				enqueue(BATCH);
			}
			TimeUnit.MILLISECONDS.sleep(5);
		}
		this.run.note(victim.isRunning() ? "killed elsewhere" : "ended in the middle", 1);
	}

	private void awaitDone(Fleet workers) throws InterruptedException {
		long deadline = System.nanoTime() + this.rest.toNanos();
		while (left() > 0 && System.nanoTime() - deadline < 0) {
			replace(workers);
			TimeUnit.MILLISECONDS.sleep(200);
		}
	}

	private void judge(Fleet workers, boolean poison) throws InterruptedException {
		awaitDone(workers);
		Map<Long, Integer> ended = counted("end");
		List<Long> lost = this.enqueued.stream()
			.filter((number) -> !isHopeless(number) && !ended.containsKey(number))
			.sorted()
			.toList();
		long hopeless = this.enqueued.stream().filter(JobScenario::isHopeless).count() + (poison ? 1 : 0);
		long dead = Long.parseLong(command("XLEN", "dead"));
		this.run.require(lost.isEmpty(), lost.size() + " of " + this.enqueued.size() + " are lost, such as "
				+ lost.subList(0, Math.min(10, lost.size())));
		this.run.require(left() == 0, left() + " are left");
		this.run.require(dead >= hopeless, dead + " dead letters instead of " + hopeless);
		long twice = ended.values().stream().mapToLong((times) -> times - 1).sum();
		this.run.require(twice <= IN_FLIGHT * this.deaths, twice + " were done twice");
		int begun = counted("begin").getOrDefault(-1L, 0);
		this.run.require(begun == (poison ? ATTEMPTS : 0), "Poison has begun " + begun + " times");
		this.run.note("numbers", this.enqueued.size());
		this.run.note("lost", lost.size());
		this.run.note("done twice", twice);
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

	private Map<Long, Integer> counted(String what) {
		Map<Long, Integer> counted = new HashMap<>();
		written(what).forEach((numbers) -> numbers.forEach((number) -> counted.merge(number, 1, Integer::sum)));
		return counted;
	}

	// By instance, in order
	private List<List<Long>> written(String what) {
		List<List<Long>> written = new ArrayList<>();
		try (Stream<Path> files = Files.list(this.journal)) {
			for (Path file : files.toList()) {
				written.add(Files.readAllLines(file)
					.stream()
					.filter((line) -> line.startsWith(what + " "))
					.map((line) -> Long.valueOf(line.substring(what.length() + 1)))
					.toList());
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return written;
	}

	private long left() {
		return Long.parseLong(command("HLEN", "jobs"));
	}

	private String command(String command, String key) {
		return String.valueOf(this.site.redis().command(command, KEYS + key));
	}

}
