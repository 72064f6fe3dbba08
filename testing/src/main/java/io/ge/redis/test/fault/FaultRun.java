// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.fault;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.ge.redis.test.oracle.Violation;

/**
 * One scenario: rounds of the same fault, what was done meanwhile and what is judged. It
 * becomes a row of the table.
 *
 * <pre class="code">
 * FaultRun run = FaultRun.of("lock", "instance killed", "the next one gets it within the lease").atLeast(20, 2);
 * while (run.next()) {
 *     ...
 *     run.inject(kill);
 *     ...
 *     run.violations(History.read(directory).overlaps());
 * }
 * run.verify();
 * </pre>
 *
 * A short run has the number of rounds it was given, and some more where a slow machine
 * lets too little happen in them. The long one, with the property
 * {@code ge.test.chaos.minutes} for all runs together, goes on for its share of that
 * time. All randomness comes from {@link #random()}, whose seed is printed, and which
 * {@code ge.test.seed} sets.
 */
public final class FaultRun {

	private static final int ATTEMPTS = 5;

	/** So many rounds more there may be until there were enough operations and faults. */
	private static final int FURTHER_ROUNDS = 10;

	private static final String MINUTES = "ge.test.chaos.minutes";

	private static final String SEED = "ge.test.seed";

	/** Whether scenarios are also run without the protection that they rest on. */
	static final String SABOTAGE = "ge.test.sabotage";

	/**
	 * Into so many shares the time of the long size is divided: the scenarios, of which
	 * those of locks and rate limits run four at once.
	 */
	private static final int SHARES = 80;

	private static final FaultTable TABLE = new FaultTable(
			Path.of(System.getProperty("ge.test.faults-directory", "target/faults")));

	private final String pattern;

	private final String fault;

	private final String promise;

	private final long seed = Long.getLong(SEED, ThreadLocalRandom.current().nextLong() >>> 16);

	private final Random random = new Random(this.seed);

	private final long started = System.nanoTime();

	private final AtomicLong operations = new AtomicLong();

	private final AtomicLong faults = new AtomicLong();

	private final AtomicLong worst = new AtomicLong();

	private final List<Violation> violations = new CopyOnWriteArrayList<>();

	private final Map<String, Long> noted = new TreeMap<>();

	private FaultTable table = TABLE;

	private String subject = "GE Redis";

	private int rounds = 1;

	private boolean once;

	private boolean unprotected;

	private long leastOperations = 1;

	private long leastFaults = 1;

	private int round;

	private FaultRun(String pattern, String fault, String promise) {
		this.pattern = pattern;
		this.fault = fault;
		this.promise = promise;
	}

	/**
	 * A run with one round.
	 * @param pattern what is used, such as {@code lock}
	 * @param fault what goes wrong
	 * @param promise what has to hold
	 * @return the run
	 */
	public static FaultRun of(String pattern, String fault, String promise) {
		return new FaultRun(pattern, fault, promise);
	}

	FaultRun into(FaultTable table) {
		this.table = table;
		return this;
	}

	/**
	 * Whose implementation is used; {@code GE Redis} if nothing is said.
	 * @param subject the name
	 * @return this
	 */
	public FaultRun subject(String subject) {
		this.subject = subject;
		return this;
	}

	/**
	 * How many rounds the short size has, if enough happens in them.
	 * @param rounds the number, 1 if nothing is said
	 * @return this
	 */
	public FaultRun rounds(int rounds) {
		this.rounds = rounds;
		return this;
	}

	/**
	 * Runs one round whatever the size, as for showing that a sabotaged protection is
	 * missed.
	 * @return this
	 */
	public FaultRun once() {
		this.once = true;
		return this;
	}

	/**
	 * Below what a run says nothing, so that it goes on for some rounds and fails in the
	 * end.
	 * @param operations the least number of operations
	 * @param faults the least number of faults
	 * @return this
	 */
	public FaultRun atLeast(long operations, long faults) {
		this.leastOperations = operations;
		this.leastFaults = faults;
		return this;
	}

	/**
	 * The seed of all randomness.
	 * @return the seed
	 */
	public long seed() {
		return this.seed;
	}

	/**
	 * The source of all randomness, for one thread.
	 * @return random numbers that the seed determines
	 */
	public Random random() {
		return this.random;
	}

	/**
	 * Whether there is another round, which begins with this.
	 * @return whether
	 */
	public boolean next() {
		int before = this.round++;
		if (this.once) {
			return before == 0;
		}
		return before < this.rounds || (System.nanoTime() - this.started) < share()
				|| (before < this.rounds + FURTHER_ROUNDS && this.violations.isEmpty() && saysTooLittle());
	}

	private boolean saysTooLittle() {
		return this.operations.get() < this.leastOperations || this.faults.get() < this.leastFaults;
	}

	private static long share() {
		return TimeUnit.MINUTES.toNanos(Long.getLong(MINUTES, 0)) / SHARES;
	}

	/**
	 * Which round this is.
	 * @return the number, from 1
	 */
	public int round() {
		return this.round;
	}

	/**
	 * Lets a fault happen, and counts it.
	 * @param fault the fault
	 */
	public void inject(Fault fault) {
		this.faults.incrementAndGet();
		run(fault::inject);
	}

	/**
	 * Ends a fault.
	 * @param fault the fault
	 */
	public void heal(Fault fault) {
		run(fault::heal);
	}

	private static void run(Fault.Step step) {
		try {
			step.run();
		}
		catch (RuntimeException ex) {
			throw ex;
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Counts a fault that happened otherwise.
	 */
	public void injected() {
		this.faults.incrementAndGet();
	}

	/**
	 * Counts operations.
	 * @param number how many
	 */
	public void operations(long number) {
		this.operations.addAndGet(number);
	}

	/**
	 * Counts an operation with its duration.
	 * @param latency how long it took
	 */
	public void operation(Duration latency) {
		operations(1);
		latency(latency);
	}

	/**
	 * Takes the longest of all durations into the row.
	 * @param latency a duration
	 */
	public void latency(Duration latency) {
		this.worst.accumulateAndGet(latency.toMillis(), Math::max);
	}

	/**
	 * Adds what a judge has found.
	 * @param found the violations
	 */
	public void violations(Collection<Violation> found) {
		this.violations.addAll(found);
	}

	/**
	 * Adds a violation.
	 * @param text what has happened
	 */
	public void violation(String text) {
		this.violations.add(new Violation(text));
	}

	/**
	 * Adds a violation unless something holds.
	 * @param holds whether it holds
	 * @param text what has happened otherwise
	 */
	public void require(boolean holds, String text) {
		if (!holds) {
			violation(text);
		}
	}

	/**
	 * Counts what is no violation but worth to know, such as what Redis cannot promise.
	 * @param what its name
	 * @param number how often
	 */
	public void note(String what, long number) {
		synchronized (this.noted) {
			this.noted.merge(what, number, Long::sum);
		}
	}

	/**
	 * What was found so far.
	 * @return the violations
	 */
	public List<Violation> violations() {
		return List.copyOf(this.violations);
	}

	/**
	 * The row as it stands.
	 * @return the row
	 */
	public Row row() {
		List<String> notes = new ArrayList<>();
		synchronized (this.noted) {
			this.noted.forEach((what, number) -> notes.add(what + ": " + number));
		}
		return new Row(this.fault, this.pattern, this.promise, this.subject, this.operations.get(), this.faults.get(),
				this.violations.size(), this.worst.get(), String.join(", ", notes));
	}

	/**
	 * Adds the row to the table, whatever it says.
	 * @return the row
	 */
	public Row record() {
		Row row = row();
		this.table.add(row);
		System.out.println(
				"Fault run: " + this + " " + row.operations() + " operations, " + row.faultsInjected() + " faults, "
						+ row.violations() + " violations, worst " + row.worstLatencyMillis() + " ms " + row.noted());
		return row;
	}

	/**
	 * Adds the row to the table and fails if it holds a violation, or too little to say
	 * that there is none.
	 */
	public void verify() {
		Row row = record();
		if (row.violations() > 0) {
			throw new BrokenPromiseError(this + " broke its promise '" + this.promise + "' " + row.violations()
					+ " times: " + this.violations.subList(0, Math.min(10, this.violations.size())));
		}
		if (saysTooLittle()) {
			throw new AssertionError(this + " says too little with " + row.operations() + " operations of at least "
					+ this.leastOperations + " and " + row.faultsInjected() + " faults of at least "
					+ this.leastFaults);
		}
	}

	/**
	 * Shows that the scenario finds what happens without a protection: runs it, again if
	 * chance would have it that nothing was violated, and fails if nothing is in
	 * {@value #ATTEMPTS} rounds. What is thrown counts only where nothing was violated
	 * before. Does nothing unless {@code ge.test.sabotage} is {@code true}, as
	 * {@link ProtectionOff}.
	 * @param body the scenario with its protection turned off
	 * @throws Exception if the scenario fails
	 */
	public void assertMissed(Body body) throws Exception {
		if (Boolean.getBoolean(SABOTAGE)) {
			miss(body);
		}
	}

	void miss(Body body) throws Exception {
		this.unprotected = true;
		int attempts = 0;
		while (attempts < ATTEMPTS && this.violations.isEmpty()) {
			attempts++;
			this.round = 0;
			try {
				body.run(once());
			}
			catch (Exception ex) {
				// May well come from what was violated
				if (this.violations.isEmpty()) {
					throw ex;
				}
			}
		}
		if (this.violations.isEmpty()) {
			throw new BrokenPromiseError("Without its protection nothing was violated: " + row());
		}
		System.out.println("Missed: " + this + " in attempt " + attempts + " of " + ATTEMPTS);
	}

	/**
	 * Returns whether a protection is turned off, so that there is no excuse for what is
	 * seen.
	 * @return whether {@link #assertMissed} runs
	 */
	public boolean isUnprotected() {
		return this.unprotected;
	}

	@Override
	public String toString() {
		return this.pattern + ", " + this.fault + ", " + this.subject + " (-D" + SEED + "=" + this.seed + ")";
	}

	/**
	 * A scenario.
	 */
	@FunctionalInterface
	public interface Body {

		/**
		 * Runs the scenario.
		 * @param run where it counts
		 * @throws Exception if it cannot be run
		 */
		void run(FaultRun run) throws Exception;

	}

}
