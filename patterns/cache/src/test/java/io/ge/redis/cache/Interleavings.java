// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Walks through the states that several parties can bring about by taking their steps in
 * whatever order, and looks at those where nobody can go on: what is wrong there stays
 * wrong.
 *
 * @param <S> a state, immutable, with equality by content
 */
final class Interleavings<S> {

	private final Protocol<S> protocol;

	private int terminals;

	private int stale;

	private @Nullable Trace<S> shortest;

	private Interleavings(Protocol<S> protocol) {
		this.protocol = protocol;
	}

	/**
	 * Takes all orders.
	 */
	static <S> Outcome explore(Protocol<S> protocol) {
		return new Interleavings<>(protocol).all(false);
	}

	/**
	 * Takes orders until one is stale, all if none is.
	 */
	static <S> Outcome search(Protocol<S> protocol) {
		return new Interleavings<>(protocol).all(true);
	}

	/**
	 * Takes some orders at random, where there are too many for all.
	 */
	static <S> Outcome walk(Protocol<S> protocol, long seed, int walks) {
		return new Interleavings<>(protocol).some(new Random(seed), walks);
	}

	private Outcome all(boolean untilStale) {
		Set<S> seen = new HashSet<>();
		Deque<Trace<S>> open = new ArrayDeque<>();
		for (S start : this.protocol.starts()) {
			open.add(new Trace<>(start, "", null, 0));
			seen.add(start);
		}
		// First in, first out: the first example found is the shortest
		for (Trace<S> trace = open.poll(); trace != null && !(untilStale && this.stale > 0); trace = open.poll()) {
			List<Step<S>> steps = this.protocol.steps(trace.state);
			if (steps.isEmpty()) {
				end(trace);
			}
			for (Step<S> step : steps) {
				if (seen.add(step.next())) {
					open.add(trace.then(step));
				}
			}
		}
		return outcome(seen.size());
	}

	private Outcome some(Random random, int walks) {
		List<S> starts = this.protocol.starts();
		int taken = 0;
		for (int i = 0; i < walks; i++) {
			Trace<S> trace = new Trace<>(starts.get(random.nextInt(starts.size())), "", null, 0);
			List<Step<S>> steps = this.protocol.steps(trace.state);
			while (!steps.isEmpty()) {
				trace = trace.then(steps.get(random.nextInt(steps.size())));
				steps = this.protocol.steps(trace.state);
				taken++;
			}
			end(trace);
		}
		return outcome(taken);
	}

	private void end(Trace<S> trace) {
		this.terminals++;
		if (this.protocol.isStale(trace.state)) {
			this.stale++;
			if (this.shortest == null || trace.length < this.shortest.length) {
				this.shortest = trace;
			}
		}
	}

	private Outcome outcome(int states) {
		return new Outcome(states, this.terminals, this.stale, (this.shortest != null) ? this.shortest.steps() : "");
	}

	/**
	 * What the parties can do.
	 *
	 * @param <S> a state
	 */
	interface Protocol<S> {

		List<S> starts();

		/**
		 * Returns the steps that are possible; none if all is at rest.
		 */
		List<Step<S>> steps(S state);

		/**
		 * Returns whether an old value would be read for as long as nobody writes.
		 */
		boolean isStale(S state);

	}

	/**
	 * One step of one party.
	 *
	 * @param name what it is
	 * @param next what comes of it
	 * @param <S> a state
	 */
	record Step<S>(String name, S next) {
	}

	/**
	 * What was found.
	 *
	 * @param states how many states were seen, or steps taken at random
	 * @param terminals how many of them are at rest
	 * @param stale how many of those are stale
	 * @param example the shortest way to one
	 */
	record Outcome(int states, int terminals, int stale, String example) {
	}

	private static final class Trace<S> {

		private final S state;

		private final String step;

		private final @Nullable Trace<S> before;

		private final int length;

		Trace(S state, String step, @Nullable Trace<S> before, int length) {
			this.state = state;
			this.step = step;
			this.before = before;
			this.length = length;
		}

		Trace<S> then(Step<S> taken) {
			return new Trace<>(taken.next(), taken.name(), this, this.length + 1);
		}

		String steps() {
			List<String> names = new ArrayList<>();
			for (Trace<S> trace = this; trace.before != null; trace = trace.before) {
				names.add(0, trace.step);
			}
			return String.join(" > ", names);
		}

	}

}
