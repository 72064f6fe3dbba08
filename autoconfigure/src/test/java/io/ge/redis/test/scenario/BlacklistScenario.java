// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.scenario;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

import io.ge.redis.test.Reaper;
import io.ge.redis.test.fault.Fault;
import io.ge.redis.test.fault.FaultRun;
import io.ge.redis.test.instance.Instance;
import io.ge.redis.test.instance.InstanceCallException;
import io.ge.redis.test.instance.InstanceGoneException;
import io.ge.redis.test.oracle.History;
import io.ge.redis.test.oracle.Journal;
import org.awaitility.Awaitility;

/**
 * Tokens that are revoked, and presented again and again afterwards. An application
 * offers
 * <ul>
 * <li>{@code revoke}, with the id of a token and its expiry in milliseconds, which
 * returns when every instance refuses the token and fails if that is not certain;</li>
 * <li>{@code enter}, with the same, which answers {@code entered} or {@code refused}, and
 * fails if it cannot decide.</li>
 * </ul>
 * Judged is every call of {@code enter} that was begun after {@code revoke} had returned:
 * it must not answer {@code entered}. And every one with a token that was not revoked: it
 * must not answer {@code refused}, whatever goes wrong.
 */
public final class BlacklistScenario {

	private static final int CALLERS = 6;

	private static final int REMEMBERED = 64;

	private static final AtomicLong RUNS = new AtomicLong();

	private final FaultRun run;

	private final List<Instance> revokers;

	private final List<Instance> doors;

	private final Journal journal;

	private final Path directory;

	private final String prefix = "token-" + RUNS.incrementAndGet() + "-";

	private final String expiry;

	private final AtomicReferenceArray<String> revoked = new AtomicReferenceArray<>(REMEMBERED);

	private final AtomicLong tokens = new AtomicLong();

	private final AtomicLong revocations = new AtomicLong();

	private final AtomicLong entered = new AtomicLong();

	private final long seed;

	private BlacklistScenario(FaultRun run, List<Instance> instances, Duration life) throws IOException {
		this(run, instances, instances, life);
	}

	private BlacklistScenario(FaultRun run, List<Instance> revokers, List<Instance> doors, Duration life)
			throws IOException {
		this.run = run;
		this.revokers = revokers;
		this.doors = doors;
		this.directory = Reaper.newDirectory();
		this.journal = Journal.open(this.directory, "driver");
		this.expiry = String.valueOf(Instant.now().plus(life).toEpochMilli());
		this.seed = run.random().nextLong();
	}

	/**
	 * Revokes and presents tokens before, while and after something goes wrong.
	 * @param run counts and judges
	 * @param instances the instances of a round
	 * @param fault what goes wrong
	 * @param lasting how long
	 * @throws Exception if the scenario cannot be played
	 */
	public static void underLoad(FaultRun run, Fleet instances, Fault fault, Duration lasting) throws Exception {
		while (run.next()) {
			BlacklistScenario scenario = new BlacklistScenario(run, instances.start(), Duration.ofMinutes(10));
			scenario.warmUp();
			try (Load load = Load.start(CALLERS, scenario::step)) {
				load.awaitSteps(60);
				run.inject(fault);
				TimeUnit.MILLISECONDS.sleep(lasting.toMillis());
				run.heal(fault);
				load.awaitSteps(120);
				load.stop();
			}
			scenario.judge();
		}
	}

	/**
	 * Revokes tokens, while Redis forgets all of them once: what was revoked before is
	 * gone with it, what is revoked afterwards stays.
	 * @param run counts and judges
	 * @param instances the instances of a round
	 * @param fault lets Redis forget, when it is healed at the latest
	 * @throws Exception if the scenario cannot be played
	 */
	public static void afterLoss(FaultRun run, Fleet instances, Fault fault) throws Exception {
		while (run.next()) {
			BlacklistScenario before = new BlacklistScenario(run, instances.start(), Duration.ofMinutes(10));
			before.warmUp();
			List<String> lost = new ArrayList<>();
			run.inject(fault);
			for (int i = 0; i < 20; i++) {
				lost.add(before.revokeNext(Load.random(before.seed, i)));
			}
			run.heal(fault);
			before.warmUp();
			for (String token : lost) {
				if (before.doors.get(0).get("enter", token, before.expiry).equals("entered")) {
					run.note("revocations that Redis has lost", 1);
				}
			}
			BlacklistScenario after = new BlacklistScenario(run, before.doors, Duration.ofMinutes(10));
			try (Load load = Load.start(CALLERS, after::step)) {
				load.awaitSteps(120);
				load.stop();
			}
			after.judge();
		}
	}

	/**
	 * Kills an instance as soon as it has said that a token is revoked, and presents the
	 * token to another one.
	 * @param run counts and judges
	 * @param victims start one instance
	 * @param others the instances that go on
	 * @throws Exception if the scenario cannot be played
	 */
	public static void revokerKilled(FaultRun run, Fleet victims, Fleet others) throws Exception {
		while (run.next()) {
			BlacklistScenario scenario = new BlacklistScenario(run, victims.start(), others.start(),
					Duration.ofMinutes(10));
			scenario.warmUp();
			Random random = Load.random(scenario.seed, 0);
			List<String> tokens = new ArrayList<>();
			for (int i = 0; i < 10; i++) {
				tokens.add(scenario.revokeNext(random));
			}
			scenario.revokers.get(0).kill();
			run.injected();
			for (String token : tokens) {
				scenario.present(token, random);
			}
			scenario.judge();
		}
	}

	/**
	 * Revokes tokens that have all but expired on instances with a wrong clock, and
	 * presents them to others for as long as they may still be accepted.
	 * @param run counts and judges
	 * @param wrong instances with a wrong clock
	 * @param right instances with the right one
	 * @throws Exception if the scenario cannot be played
	 */
	public static void clocksDisagree(FaultRun run, Fleet wrong, Fleet right) throws Exception {
		while (run.next()) {
			List<Instance> all = new ArrayList<>(wrong.start());
			all.addAll(right.start());
			BlacklistScenario scenario = new BlacklistScenario(run, all, Duration.ofSeconds(30));
			scenario.warmUp();
			run.injected();
			try (Load load = Load.start(CALLERS, scenario::step)) {
				load.awaitSteps(200);
				load.stop();
			}
			scenario.judge();
		}
	}

	/**
	 * Waits until every instance reaches Redis.
	 */
	private void warmUp() {
		List<Instance> all = new ArrayList<>(this.revokers);
		all.addAll(this.doors);
		for (Instance instance : all) {
			Awaitility.await(instance + " to reach Redis")
				.atMost(Duration.ofSeconds(30))
				.until(() -> revokes(instance));
		}
	}

	private boolean revokes(Instance instance) {
		try {
			instance.get("revoke", this.prefix + "warm", this.expiry);
			return true;
		}
		catch (InstanceCallException ex) {
			return false;
		}
	}

	private void step(long number) {
		Random random = Load.random(this.seed, number);
		if (number % 4 == 0) {
			revokeNext(random);
			return;
		}
		long newest = this.revocations.get();
		String token = (newest > 0) ? this.revoked.get((int) (random.nextLong(newest) % REMEMBERED)) : null;
		if (token != null) {
			present(token, random);
		}
		else {
			presentUnrevoked(this.prefix + "free-" + number, random);
		}
	}

	/**
	 * Tries to revoke a token that was not revoked before. What fails may be revoked or
	 * not.
	 */
	private String revokeNext(Random random) {
		String token = this.prefix + this.tokens.getAndIncrement();
		presentUnrevoked(token, random);
		if (revoke(token, random)) {
			this.revoked.set((int) (this.revocations.getAndIncrement() % REMEMBERED), token);
		}
		return token;
	}

	private boolean revoke(String token, Random random) {
		long started = System.nanoTime();
		try {
			any(this.revokers, random).get("revoke", token, this.expiry);
			this.journal.write(Journal.REVOKED, token);
			return true;
		}
		catch (InstanceCallException | InstanceGoneException ex) {
			return false;
		}
		finally {
			this.run.operation(Duration.ofNanos(System.nanoTime() - started));
		}
	}

	private void presentUnrevoked(String token, Random random) {
		this.run.require(!present(token, random).equals("refused"), token + ": refused though it was not revoked");
	}

	private String present(String token, Random random) {
		Instance instance = any(this.doors, random);
		long asked = System.nanoTime();
		String answer = "undecided";
		try {
			answer = instance.get("enter", token, this.expiry);
			if (answer.equals("entered")) {
				this.entered.incrementAndGet();
				this.journal.write(Journal.ACCEPTED, token, asked);
			}
		}
		catch (InstanceCallException ex) {
			this.run.note("undecided", 1);
		}
		this.run.operation(Duration.ofNanos(System.nanoTime() - asked));
		return answer;
	}

	private static Instance any(List<Instance> instances, Random random) {
		return instances.get(random.nextInt(instances.size()));
	}

	private void judge() {
		this.journal.close();
		this.run.require(this.entered.get() > 0, "Nobody was ever let in");
		this.run.violations(History.read(this.directory).acceptedAfterRevocation(Duration.ZERO));
	}

}
