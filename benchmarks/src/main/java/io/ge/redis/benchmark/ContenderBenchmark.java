// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark;

import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.ThreadParams;

/**
 * Calls whatever contender has its turn. {@link Rotation} runs it inside its own JVM, a
 * short iteration at a time.
 */
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ContenderBenchmark {

	private static volatile @Nullable Turn turn;

	static void next(Contender contender, Keys keys, int count) {
		turn = new Turn(contender.action(), keys, count);
	}

	/**
	 * One call.
	 * @param caller who calls
	 * @return what came back
	 * @throws Exception never, or else the run ends
	 */
	@Benchmark
	public @Nullable Object call(Caller caller) throws Exception {
		return caller.turn.action.call(caller.turn.keys.next(caller.thread, caller.threads, caller.turn.count));
	}

	/**
	 * One of the threads that call.
	 */
	@State(Scope.Thread)
	@SuppressWarnings("NullAway.Init")
	public static class Caller {

		private Turn turn;

		private int thread;

		private int threads;

		/**
		 * Learns whose turn it is.
		 * @param parameters of the run
		 */
		@Setup
		public void setUp(ThreadParams parameters) {
			Turn current = ContenderBenchmark.turn;
			if (current == null) {
				throw new IllegalStateException("Nobody has a turn: start with benchmarks/run");
			}
			this.turn = current;
			this.thread = parameters.getThreadIndex();
			this.threads = parameters.getThreadCount();
		}

	}

	private record Turn(Contender.Action action, Keys keys, int count) {
	}

}
