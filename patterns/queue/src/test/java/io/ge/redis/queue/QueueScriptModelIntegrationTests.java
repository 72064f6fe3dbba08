// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.queue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.ge.redis.core.script.LuaScript;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.Sized;
import io.ge.redis.test.StandaloneRedis;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The scripts of a queue against a model in memory, in random traces at random times:
 * each reply is the one that the model expects, and in the end nothing is left.
 */
@Sized
class QueueScriptModelIntegrationTests {

	private static final int STEPS = 60;

	private static final int BOUND = 30;

	private static final int MOST = 3;

	private static final long LEASE = 1000;

	/** Of so many bytes, a job counts each lost reply. */
	private static final int LARGE = 90;

	private static final long KEPT = 60_000;

	private static final List<String> KEYS = Stream
		.concat(Stream.of("jobs", "tries", "delayed", "inflight", "results", "ended", "dead", "bell"),
				Stream.concat(IntStream.range(0, 10).mapToObj((priority) -> "ready:" + priority), Stream.of("keys")))
		.map((part) -> "ge:queue:{q}:" + part)
		.toList();

	private static StandaloneRedis redis;

	/** Microseconds. */
	private long now;

	private long worth;

	private final Map<String, Entry> jobs = new LinkedHashMap<>();

	private final Map<String, Ended> ended = new HashMap<>();

	/** The last job of each key. */
	private final Map<String, String> keys = new HashMap<>();

	private final List<Held> held = new ArrayList<>();

	@BeforeContainer
	static void start() {
		redis = RedisServers.standalone();
	}

	@AfterContainer
	static void stop() {
		redis.close();
	}

	@Property(shrinking = ShrinkingMode.OFF)
	void repliesAreThoseOfTheModel(@ForAll long seed) {
		Random random = new Random(seed);
		redis.flushAll();
		// One instance of this class plays all traces
		this.ended.clear();
		this.keys.clear();
		this.held.clear();
		this.now = 1_800_000_000_000_000L;
		this.worth = random.nextBoolean() ? 0 : LEASE;
		for (int step = 0; step < STEPS; step++) {
			this.now += List.of(1, 1, 1000, 300_000, 1_200_000).get(random.nextInt(5));
			switch (random.nextInt(12)) {
				case 0, 1, 2, 3 -> enqueue(random, step);
				case 4, 5 -> take(1 + random.nextInt(4), false);
				case 6 -> take(1 + random.nextInt(4), true);
				case 7 -> heartbeat(random);
				case 8, 9 -> settle(random);
				case 10 -> cancel(random);
				default -> look();
			}
		}
		for (int i = 0; i < 100 && !this.jobs.isEmpty(); i++) {
			this.now += 3_000_000;
			take(10, false);
		}
		assertThat(this.jobs).isEmpty();
		assertThat(run("view")).startsWith("0", "0", "0");
	}

	private void enqueue(Random random, int step) {
		String key = (random.nextInt(3) == 0) ? "k-" + random.nextInt(5) : "";
		String id = key + "-j" + step;
		Entry job = new Entry(random.nextInt(10));
		long delay = List.of(0, 0, 0, 500, 2000).get(random.nextInt(5));
		long window = List.of(0, 1000).get(random.nextInt(2));
		job.arrival = this.now + delay * 1000;
		job.due = (delay > 0) ? job.arrival : null;
		String last = this.keys.get(key);
		Ended over = this.ended.get(last);
		boolean holds = this.jobs.containsKey(last)
				|| (over != null && !over.state.equals("failed") && this.now - over.at < window * 1000);
		List<String> reply = run("enqueue", id, job.priority, delay, BOUND, window, "", payload(id));
		if (holds) {
			assertThat(reply).containsExactly("duplicate", last);
		}
		else if (this.jobs.size() >= BOUND) {
			assertThat(reply).startsWith("full");
		}
		else {
			assertThat(reply).containsExactly("ok", id);
			this.jobs.put(id, job);
			if (!key.isEmpty()) {
				this.keys.put(key, id);
			}
		}
	}

	private void take(int most, boolean misses) {
		this.jobs.values().forEach((job) -> job.pass(this.now));
		long bytes = 70 * (5 - most % 5);
		List<Object> arguments = new ArrayList<>(
				List.of(MOST, KEPT, 100, 100_000, "", 1000, "me", most, LEASE, this.worth, 1, bytes, LARGE, KEPT));
		this.held.forEach((each) -> arguments.add(each.token));
		List<String> missed = this.jobs.entrySet()
			.stream()
			.filter((job) -> job.getValue().missed && job.getValue().leasedUntil != null)
			.sorted(Comparator.comparing((Map.Entry<String, Entry> job) -> job.getValue().leasedUntil)
				.thenComparing(Map.Entry::getKey)
				.reversed())
			.map(Map.Entry::getKey)
			.toList();
		List<String> ready = this.jobs.entrySet()
			.stream()
			.filter((job) -> job.getValue().isReady())
			.sorted(Comparator.comparingLong((Map.Entry<String, Entry> job) -> place(job.getValue()))
				.thenComparing((job) -> -job.getValue().priority)
				.thenComparing((job) -> job.getValue().arrival)
				.thenComparing(Map.Entry::getKey))
			.map(Map.Entry::getKey)
			.toList();
		List<String> given = new ArrayList<>();
		List<String> dead = new ArrayList<>();
		int looked = 0;
		boolean roomy = true;
		boolean cut = false;
		for (String id : Stream.concat(missed.stream(), ready.stream()).toList()) {
			Entry job = this.jobs.get(id);
			boolean again = missed.contains(id);
			if (!roomy || looked >= most) {
				cut |= again;
				continue;
			}
			int attempts = job.attempts
					+ ((!again || (job.length(id) > LARGE && this.now - job.takenAt >= 100_000)) ? 1 : 0);
			if (attempts > MOST) {
				dead.add(id);
			}
			else if (!given.isEmpty() && job.length(id) > bytes) {
				roomy = false;
				cut = again;
				continue;
			}
			else {
				given.add(id);
				bytes -= job.length(id);
				job.attempts = attempts;
			}
			looked += (!again || attempts <= MOST) ? 1 : 0;
		}
		List<String> reply = run("take", arguments.toArray());
		assertThat(reply.subList(3, 4 + dead.size())).startsWith(String.valueOf(dead.size())).containsAll(dead);
		dead.forEach((id) -> end(id, "failed"));
		List<String> jobs = reply.subList(4 + dead.size(), reply.size());
		assertThat(jobs).hasSize(6 * given.size());
		for (int i = 0; i < given.size(); i++) {
			String id = given.get(i);
			Entry job = this.jobs.get(id);
			job.token = jobs.get(6 * i + 2);
			job.leasedUntil = this.now + LEASE * 1000;
			job.takenAt = this.now;
			job.missed = misses;
			assertThat(jobs.subList(6 * i, 6 * (i + 1))).containsExactly(id, String.valueOf(job.attempts), job.token,
					String.valueOf(job.priority), String.valueOf(job.arrival / 1000), payload(id));
			if (!misses) {
				this.held.add(new Held(id, job.token));
			}
		}
		assertThat(reply.get(1))
			.isEqualTo(cut ? "2" : this.jobs.values().stream().anyMatch(Entry::isReady) ? "1" : "0");
	}

	/** Some are larger than others. */
	private static String payload(String id) {
		return "payload of " + id + "x".repeat(Math.floorMod(id.hashCode(), 3) * 30);
	}

	private long place(Entry job) {
		return (this.worth == 0) ? -job.priority : job.arrival - job.priority * this.worth * 1000;
	}

	private List<Held> some(Random random) {
		return this.held.stream().filter((each) -> random.nextInt(this.held.size()) < 3).toList();
	}

	private boolean isMine(Held each) {
		Entry job = this.jobs.get(each.id);
		return job != null && each.token.equals(job.token);
	}

	private void heartbeat(Random random) {
		List<Object> arguments = new ArrayList<>(List.of(MOST, KEPT, 100, 100_000, "", 1000));
		List<String> lost = new ArrayList<>();
		List<Held> some = some(random);
		for (int i = 0; i < some.size(); i++) {
			arguments.addAll(List.of(some.get(i).id, some.get(i).token, "extend", LEASE, ""));
			if (isMine(some.get(i))) {
				this.jobs.get(some.get(i).id).leasedUntil = this.now + LEASE * 1000;
			}
			else {
				lost.add(String.valueOf(i));
			}
		}
		assertThat(run("settle", arguments.toArray())).isEqualTo(lost);
	}

	private void settle(Random random) {
		List<Object> arguments = new ArrayList<>(List.of(MOST, KEPT, 100, 100_000, "", 1000));
		List<String> lost = new ArrayList<>();
		List<Held> some = some(random);
		for (int i = 0; i < some.size(); i++) {
			Held each = some.get(i);
			String outcome = List.of("done", "retry", "reject", "release").get(random.nextInt(4));
			arguments.addAll(List.of(each.id, each.token, outcome, 700, "text"));
			if (isMine(each)) {
				settle(each.id, outcome);
			}
			else {
				lost.add(String.valueOf(i));
			}
		}
		assertThat(run("settle", arguments.toArray())).isEqualTo(lost);
		// The reply was lost: nothing is settled twice
		assertThat(run("settle", arguments.toArray())).hasSize(some.size());
	}

	private void settle(String id, String outcome) {
		Entry job = this.jobs.get(id);
		if (outcome.equals("done")) {
			end(id, "done");
			return;
		}
		if (outcome.equals("reject") || (outcome.equals("retry") && job.attempts >= MOST)) {
			end(id, "failed");
			return;
		}
		job.token = null;
		job.leasedUntil = null;
		if (outcome.equals("release")) {
			job.attempts--;
		}
		else {
			job.due = this.now + 700_000;
		}
	}

	private void cancel(Random random) {
		List<String> ids = List.copyOf(this.jobs.keySet());
		if (ids.isEmpty()) {
			return;
		}
		String id = ids.get(random.nextInt(ids.size()));
		boolean running = random.nextBoolean();
		boolean stays = this.jobs.get(id).leasedUntil != null && !running;
		List<Object> arguments = new ArrayList<>(List.of(MOST, KEPT, 100, 100_000, "", 1000));
		arguments.addAll(List.of(id, running ? "*" : "", "cancel", 0, ""));
		assertThat(run("settle", arguments.toArray())).isEqualTo(stays ? List.of("0") : List.of());
		if (!stays) {
			end(id, "cancelled");
			assertThat(run("status", id)).startsWith("cancelled");
			assertThat(run("settle", arguments.toArray())).containsExactly("0");
		}
	}

	private void look() {
		this.jobs.forEach((id, job) -> assertThat(run("status", id))
			.startsWith((job.leasedUntil != null) ? "running" : "queued", String.valueOf(job.attempts)));
		this.ended.forEach((id, over) -> assertThat(run("status", id))
			.startsWith((this.now < over.at + KEPT * 1000) ? over.state : "unknown"));
		List<String> view = run("view");
		assertThat(view.get(0)).isEqualTo(String.valueOf(this.jobs.size()));
		long placed = view.stream().skip(5).mapToLong(Long::parseLong).sum() + Long.parseLong(view.get(1))
				+ Long.parseLong(view.get(2));
		assertThat(placed).isEqualTo(this.jobs.size());
	}

	private void end(String id, String state) {
		this.jobs.remove(id);
		this.ended.put(id, new Ended(state, this.now));
	}

	private List<String> run(String script, Object... arguments) {
		LuaScript read = LuaScript.functions(RedisJobs.class, script + ".lua").around(RedisJobs.SETTLE);
		String text = new String(read.text(), StandardCharsets.UTF_8).replace("redis.call('TIME')",
				"{%d, %d}".formatted(this.now / 1_000_000, this.now % 1_000_000));
		List<String> command = new ArrayList<>(List.of("EVAL", text, String.valueOf(KEYS.size())));
		command.addAll(KEYS);
		Stream.of(arguments).map(String::valueOf).forEach(command::add);
		List<?> reply = (List<?>) redis.primary().command(command.toArray(String[]::new));
		return reply.stream().map(String::valueOf).toList();
	}

	private static final class Entry {

		private final int priority;

		private long arrival;

		private int attempts;

		private @Nullable String token;

		private @Nullable Long leasedUntil;

		private @Nullable Long due;

		private long takenAt;

		/** Whether its holder does not know that it has it. */
		private boolean missed;

		Entry(int priority) {
			this.priority = priority;
		}

		/**
		 * Whatever is over by now makes the job ready. The token stays with its holder.
		 */
		void pass(long now) {
			this.leasedUntil = (this.leasedUntil != null && this.leasedUntil <= now) ? null : this.leasedUntil;
			this.due = (this.due != null && this.due <= now) ? null : this.due;
		}

		/** As it is stored. */
		int length(String id) {
			return (this.priority + " " + this.arrival + "\n" + payload(id)).length();
		}

		boolean isReady() {
			return this.leasedUntil == null && this.due == null;
		}

	}

	private record Ended(String state, long at) {
	}

	private record Held(String id, String token) {
	}

}
