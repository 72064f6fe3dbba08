// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.scenario;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
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

/**
 * Calls that several clients repeat until they are answered. An application offers
 * {@code pay}, with a key and how many milliseconds it takes: guarded by the key, in a
 * transaction of its own, it has one of the {@link Effects}, and answers with the token
 * of that effect or of the one that an earlier call has had. It fails if it refuses to
 * answer.
 * <p>
 * Judged are the rows in the database: how many effects a key has, and whether what was
 * answered has happened. A key may have one more effect for each crash, or loss of Redis'
 * data, that the scenario excuses; none with a witness.
 */
public final class IdempotencyScenario {

	private static final int CALLERS = 6;

	private static final int CALLERS_PER_KEY = 3;

	private static final long MILLIS = 30;

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final AtomicLong RUNS = new AtomicLong();

	private final FaultRun run;

	private final List<Instance> instances;

	private final String prefix = "payment-" + RUNS.incrementAndGet() + "-";

	private final long seed;

	private final Map<String, Set<String>> answers = new ConcurrentHashMap<>();

	private final Map<String, Integer> excused = new ConcurrentHashMap<>();

	private final boolean witnessed;

	private volatile boolean killed;

	private IdempotencyScenario(FaultRun run, List<Instance> instances, boolean witnessed) {
		this.run = run;
		this.instances = instances;
		this.witnessed = witnessed;
		this.seed = run.random().nextLong();
	}

	/**
	 * Pays, each key by several clients at once, before, while and after something goes
	 * wrong.
	 * @param run counts and judges
	 * @param instances the instances of a round
	 * @param fault what goes wrong
	 * @param lasting how long
	 * @param loss how Redis' data fares
	 * @throws Exception if the scenario cannot be played
	 */
	public static void underLoad(FaultRun run, Fleet instances, Fault fault, Duration lasting, Loss loss)
			throws Exception {
		while (run.next()) {
			IdempotencyScenario scenario = new IdempotencyScenario(run, instances.start(), loss == Loss.WITNESSED);
			scenario.warmUp();
			try (Load load = Load.start(CALLERS, scenario::step)) {
				load.awaitSteps(12);
				run.inject(fault);
				TimeUnit.MILLISECONDS.sleep(lasting.toMillis());
				run.heal(fault);
				scenario.excuseKeysUntil(load.begun(), loss);
				load.awaitSteps(12);
				load.stop();
			}
			scenario.judge(loss.effects == 0);
		}
	}

	/**
	 * Kills an instance at any time while it pays; its clients go to others.
	 * @param run counts and judges
	 * @param victims start one instance
	 * @param others the instances that go on
	 * @param witnessed whether every effect has to be the only one
	 * @throws Exception if the scenario cannot be played
	 */
	public static void killedAtRandom(FaultRun run, Fleet victims, Fleet others, boolean witnessed) throws Exception {
		while (run.next()) {
			IdempotencyScenario scenario = new IdempotencyScenario(run, victims.and(others).start(), witnessed);
			Instance victim = scenario.instances.get(0);
			scenario.warmUp();
			try (Load load = Load.start(CALLERS, scenario::step)) {
				load.awaitSteps(12);
				TimeUnit.MILLISECONDS.sleep(run.random().nextInt(50));
				victim.kill();
				scenario.killed = true;
				run.injected();
				load.awaitSteps(24);
				load.stop();
			}
			scenario.judge(true);
		}
	}

	/**
	 * Pauses an instance while it pays, until others have paid in its place, and lets it
	 * go on. Without a witness it has its effect as well, and what it has done must not
	 * become the answer.
	 * @param run counts and judges
	 * @param victims start one instance
	 * @param others the instances that go on
	 * @param witnessed whether it must not have an effect
	 * @throws Exception if the scenario cannot be played
	 */
	public static void paused(FaultRun run, Fleet victims, Fleet others, boolean witnessed) throws Exception {
		while (run.next()) {
			IdempotencyScenario scenario = new IdempotencyScenario(run, others.start(), witnessed);
			Instance victim = victims.start().get(0);
			scenario.warmUp();
			scenario.warmUp(victim);
			String key = scenario.prefix + "paused";
			scenario.excused.put(key, 1);
			Failpoint hold = Failpoint.exit(Effects.class, "add").hold();
			victim.arm(hold);
			CompletableFuture<String> late = victim.call("pay", key, "0");
			victim.awaitReached(hold);
			victim.pause();
			run.injected();
			try {
				Load.together(CALLERS, (number) -> scenario.payUntilAnswered(key, number));
			}
			finally {
				victim.resume();
			}
			victim.release(hold);
			late.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
			run.operations(1);
			scenario.judge(true);
		}
	}

	private void warmUp() throws InterruptedException {
		for (Instance instance : this.instances) {
			warmUp(instance);
		}
	}

	/**
	 * Waits until an instance reaches Redis and the database.
	 */
	private void warmUp(Instance instance) throws InterruptedException {
		for (int i = 0; pay(instance, this.prefix + "warm-" + instance.name() + "-" + i, 0) == null; i++) {
			TimeUnit.MILLISECONDS.sleep(10);
		}
	}

	private void step(long number) throws InterruptedException {
		payUntilAnswered(key(number), number);
	}

	private String key(long number) {
		return this.prefix + number / CALLERS_PER_KEY;
	}

	private void excuseKeysUntil(long number, Loss loss) {
		for (long i = 0; i < number; i++) {
			this.excused.put(key(i), loss.effects);
		}
	}

	private void payUntilAnswered(String key, long number) throws InterruptedException {
		Random random = Load.random(this.seed, number);
		long deadline = System.nanoTime() + PATIENCE.toNanos();
		while (System.nanoTime() - deadline < 0) {
			Instance instance = this.instances.get(random.nextInt(this.instances.size()));
			String token = pay(instance, key, MILLIS);
			if (token != null) {
				this.answers.computeIfAbsent(key, (same) -> ConcurrentHashMap.newKeySet()).add(token);
				return;
			}
			TimeUnit.MILLISECONDS.sleep(10);
		}
		this.run.violation(key + " was not answered within " + PATIENCE);
	}

	private @Nullable String pay(Instance instance, String key, long millis) {
		long asked = System.nanoTime();
		boolean alive = !this.killed;
		try {
			return instance.get("pay", key, String.valueOf(millis));
		}
		catch (InstanceCallException ex) {
			return null;
		}
		catch (InstanceGoneException ex) {
			// It may have committed, and nothing more
			if (alive) {
				this.excused.put(key, 1);
			}
			return null;
		}
		finally {
			this.run.operation(Duration.ofNanos(System.nanoTime() - asked));
		}
	}

	private void judge(boolean replayed) throws InterruptedException {
		Map<String, Set<String>> effects = new TreeMap<>();
		ScenarioDatabase.jdbc()
			.sql("select key, token from effects where key like ?")
			.param(this.prefix + "%")
			.query((row, number) -> effects.computeIfAbsent(row.getString(1), (key) -> new TreeSet<>())
				.add(row.getString(2)))
			.list();
		effects.forEach((key, tokens) -> {
			int most = this.witnessed ? 1 : 1 + this.excused.getOrDefault(key, 0);
			this.run.require(tokens.size() <= most, key + ": " + tokens.size() + " effects, at most " + most);
			if (tokens.size() > 1) {
				this.run.note("keys with a second effect", 1);
			}
		});
		this.answers.forEach((key, tokens) -> this.run.require(effects.getOrDefault(key, Set.of()).containsAll(tokens),
				key + ": answered what has not happened"));
		if (replayed) {
			for (Map.Entry<String, Set<String>> entry : this.answers.entrySet()) {
				judgeReplay(entry.getKey(), entry.getValue());
			}
		}
	}

	private void judgeReplay(String key, Set<String> answered) throws InterruptedException {
		for (Instance instance : this.instances) {
			long deadline = System.nanoTime() + PATIENCE.toNanos();
			String token = null;
			while (token == null && instance.isRunning() && System.nanoTime() - deadline < 0) {
				token = pay(instance, key, 0);
			}
			this.run.require(!instance.isRunning() || (token != null && answered.contains(token)),
					key + ": " + instance.name() + " replays " + token + ", answered was " + answered);
		}
	}

	/**
	 * How Redis' data fares.
	 */
	public enum Loss {

		/** Nothing is lost. */
		NONE(0),

		/** Whatever is lost, the database knows. */
		WITNESSED(0),

		/**
		 * What was written until the end of the fault may be lost: one more effect is
		 * excused, for each key of that time.
		 */
		ONCE(1),

		/**
		 * It may be lost whenever it is written again: every call of that time is
		 * excused.
		 */
		REPEATED(CALLERS_PER_KEY);

		private final int effects;

		Loss(int effects) {
			this.effects = effects;
		}

	}

}
