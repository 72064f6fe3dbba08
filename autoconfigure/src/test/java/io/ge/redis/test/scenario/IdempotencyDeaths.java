// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.ge.redis.test.fault.FaultRun;
import io.ge.redis.test.instance.Failpoint;
import io.ge.redis.test.instance.Instance;
import io.ge.redis.test.instance.InstanceGoneException;
import org.jspecify.annotations.Nullable;

/**
 * Owners of keys that die while clients repeat their calls on all instances. In each
 * round one instance ends, by turns with {@code kill -9} and with
 * {@link Runtime#halt(int)}, and takes with it two calls at each {@link Moment}: one
 * whose repetitions are refused while it runs, and one whose repetitions wait for it.
 * Every one of the repetitions has to be answered, those of the dead instance by the one
 * that follows it.
 * <p>
 * Judged are the rows in the database. A call that had not committed leaves nothing, so
 * there is one effect; one that had may be followed by a second effect, but not with a
 * witness. In each case all repetitions get the same answer, and it has happened.
 * <p>
 * A machine with much else to do can keep a call from Redis for longer than its lease,
 * which without a witness is one more effect. Such calls say so, and their effects are
 * counted apart.
 */
public final class IdempotencyDeaths {

	private static final Duration PATIENCE = Duration.ofSeconds(90);

	private static final AtomicLong ROUNDS = new AtomicLong();

	private static final List<Death> DEATHS = Stream.of(Moment.values())
		.flatMap((moment) -> Stream.of(new Death(moment, false), new Death(moment, true)))
		.toList();

	private final FaultRun run;

	private final int repetitions;

	private final boolean witnessed;

	private final String prefix = "death-" + ROUNDS.incrementAndGet() + "-";

	private final List<Repetition> repeated = new ArrayList<>();

	/** How many calls were cut off. */
	private int cutOff;

	private IdempotencyDeaths(FaultRun run, int repetitions, boolean witnessed) {
		this.run = run;
		this.repetitions = repetitions;
		this.witnessed = witnessed;
	}

	/**
	 * Lets owners die, a round for each {@link FaultRun#next()}.
	 * @param run counts and judges
	 * @param fleet the instances, of which the first one dies and is replaced
	 * @param completing where a call has sent its completion and not yet seen the reply
	 * @param repetitions how often each call is repeated
	 * @param witnessed whether there must be no second effect at all
	 * @throws Exception if the scenario cannot be played
	 */
	public static void play(FaultRun run, Fleet fleet, Failpoint.Place completing, int repetitions, boolean witnessed)
			throws Exception {
		while (run.next()) {
			new IdempotencyDeaths(run, repetitions, witnessed).round(fleet, completing);
		}
	}

	/**
	 * How many calls of a round lose their owner.
	 * @return the number
	 */
	public static int deathsOfARound() {
		return DEATHS.size();
	}

	private void round(Fleet fleet, Failpoint.Place completing) throws Exception {
		List<Instance> instances = fleet.start();
		countCutOff(instances);
		Instance victim = instances.get(0);
		stand(victim, completing.hold());
		for (int i = 0; i < instances.size(); i++) {
			repeat(instances.get(i),
					this.repetitions / instances.size() + ((i < this.repetitions % instances.size()) ? 1 : 0));
		}
		TimeUnit.MILLISECONDS.sleep(this.run.random().nextInt(50));
		die(victim);
		long died = System.nanoTime();
		List<Instance> living = fleet.start();
		Instance heir = living.get(living.size() - 1);
		this.repeated
			.replaceAll((repetition) -> (repetition.instance == victim) ? repetition.movedTo(heir) : repetition);
		this.repeated.forEach(this::awaitAnswer);
		this.run.latency(Duration.ofNanos(System.nanoTime() - died));
		this.cutOff = (this.witnessed || this.run.isUnprotected()) ? 0 : countCutOff(living);
		DEATHS.forEach(this::judge);
	}

	private static int countCutOff(List<Instance> instances) {
		return instances.stream().mapToInt((instance) -> Integer.parseInt(instance.get("countCutOff"))).sum();
	}

	/**
	 * Lets a call come to each of the places and stand still there.
	 */
	private void stand(Instance victim, Failpoint completing) {
		victim.get("payMany", this.prefix + "warm", "1", "false");
		victim.arm(completing);
		for (Death death : DEATHS) {
			Stops.Stop stop = death.moment.stop;
			victim.call("payAndStand", key(death), (stop != null) ? stop.name() : "", String.valueOf(death.awaited));
			this.run.operations(1);
		}
		victim.get("awaitStanding",
				String.valueOf(DEATHS.stream().filter((death) -> death.moment.stop != null).count()));
		victim.awaitReached(completing);
	}

	private void repeat(Instance instance, int times) {
		for (Death death : DEATHS) {
			this.repeated
				.add(Repetition.on(instance, death, key(death), String.valueOf(times), String.valueOf(death.awaited)));
			this.run.operations(times);
		}
	}

	private void die(Instance victim) {
		if (this.run.round() % 2 == 1) {
			victim.kill();
			this.run.note("kill -9", 1);
		}
		else {
			victim.call("halt");
			victim.awaitHalted();
			this.run.note("halt", 1);
		}
		DEATHS.forEach((death) -> this.run.injected());
	}

	private void awaitAnswer(Repetition repetition) {
		try {
			repetition.answer.orTimeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS).join();
		}
		catch (CompletionException ex) {
			this.run.violation(
					key(repetition.death) + ": not answered by " + repetition.instance.name() + ": " + ex.getCause());
		}
	}

	private void judge(Death death) {
		Set<String> effects = Set.copyOf(ScenarioDatabase.jdbc()
			.sql("select token from effects where key = ?")
			.param(key(death))
			.query(String.class)
			.list());
		int most = (death.moment.committed && !this.witnessed) ? 2 : 1;
		int surplus = Math.max(0, effects.size() - most);
		this.run.require(!effects.isEmpty() && (surplus == 0 || this.cutOff > 0),
				key(death) + ": " + effects.size() + " effects, at most " + most);
		if (surplus > 0) {
			this.run.note("further effects, of calls cut off", surplus);
		}
		Set<String> answers = this.repeated.stream()
			.filter((repetition) -> repetition.death == death)
			.flatMap((repetition) -> repetition.answers().stream())
			.collect(Collectors.toCollection(TreeSet::new));
		this.run.require(!answers.isEmpty() && answers.size() <= 1 + surplus && effects.containsAll(answers),
				key(death) + ": answered " + answers + ", happened " + effects);
		if (effects.size() - surplus > 1) {
			this.run.note("second effects after death at " + death.moment, 1);
		}
	}

	private String key(Death death) {
		return this.prefix + death.moment + (death.awaited ? "-awaited" : "");
	}

	/**
	 * When an owner dies.
	 */
	private enum Moment {

		CLAIM(Stops.Stop.CLAIMED, false),

		EFFECT(Stops.Stop.EFFECT, false),

		BEFORE_COMMIT(Stops.Stop.BEFORE_COMMIT, false),

		COMMIT(Stops.Stop.COMMITTED, true),

		/** Where the completion was sent. */
		COMPLETE(null, true);

		private final Stops.@Nullable Stop stop;

		private final boolean committed;

		Moment(Stops.@Nullable Stop stop, boolean committed) {
			this.stop = stop;
			this.committed = committed;
		}

	}

	/**
	 * A key whose owner dies.
	 */
	private record Death(Moment moment, boolean awaited) {
	}

	/**
	 * Calls with one key on one instance.
	 */
	private record Repetition(Instance instance, Death death, String[] arguments, CompletableFuture<String> answer) {

		static Repetition on(Instance instance, Death death, String... arguments) {
			return new Repetition(instance, death, arguments, instance.call("payMany", arguments));
		}

		/**
		 * The same calls by clients whose instance has gone.
		 */
		Repetition movedTo(Instance heir) {
			CompletableFuture<String> moved = this.answer.handle((tokens, failure) -> {
				boolean gone = failure instanceof InstanceGoneException;
				return gone ? heir.call("payMany", this.arguments) : this.answer;
			}).thenCompose((next) -> next);
			return new Repetition(heir, this.death, this.arguments, moved);
		}

		Set<String> answers() {
			return this.answer.isCompletedExceptionally() ? Set.of() : Set.of(this.answer.join().split(","));
		}

	}

}
