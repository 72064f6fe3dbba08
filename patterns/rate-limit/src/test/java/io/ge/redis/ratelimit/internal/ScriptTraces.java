// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

import io.ge.redis.ratelimit.internal.ScriptReplay.Ask;
import io.ge.redis.ratelimit.internal.ScriptReplay.Decide;
import io.ge.redis.ratelimit.internal.ScriptReplay.Refund;
import io.ge.redis.ratelimit.internal.ScriptReplay.Step;

/**
 * Random calls of all sorts, in quick succession, around the edges of windows, and after
 * pauses.
 */
final class ScriptTraces {

	private static final long SECOND = 1_000_000;

	private static final List<Long> WINDOWS = List.of(SECOND, 10 * SECOND, 997_003L, 60 * SECOND, 50_000L);

	private ScriptTraces() {
	}

	/**
	 * A trace without a generator.
	 */
	static List<Step> of(String kinds, Random random, int steps) {
		return of(kinds, random.longs(steps, 0, Long.MAX_VALUE).boxed().toList(), random.nextLong());
	}

	/**
	 * A trace over one limit of each of these kinds. Each step comes from the bits of one
	 * number, the limits from the seed.
	 */
	static List<Step> of(String kinds, List<Long> bits, long seed) {
		Random random = new Random(seed);
		List<Ask> limits = new ArrayList<>();
		for (char kind : kinds.toCharArray()) {
			long limit = 1 + random.nextInt(8);
			long burst = (kind == 'b') ? 1 + random.nextInt(8) : limit;
			long window = WINDOWS.get(random.nextInt(WINDOWS.size()));
			boolean shadow = kinds.length() > 1 && random.nextInt(4) == 0;
			limits.add(new Ask("state:" + limits.size(), kind, limit, window, burst, 1, 0, shadow));
		}
		List<Step> trace = new ArrayList<>();
		Set<Integer> refunded = new HashSet<>();
		long now = ScriptReplay.START;
		for (long number : bits) {
			Bits choice = new Bits(number);
			now += pause(choice, limits.get(choice.below(limits.size())));
			if (!trace.isEmpty() && choice.below(8) == 0) {
				int of = choice.below(trace.size());
				// A permit is given back once
				if (trace.get(of) instanceof Decide && refunded.add(of)) {
					trace.add(new Refund(now, of));
				}
				continue;
			}
			trace.add(call(choice, limits, now));
		}
		return trace;
	}

	private static long pause(Bits choice, Ask limit) {
		long part = (limit.kind() == 'c') ? ReferenceLimit.ceilDiv(limit.window(), 10) : limit.window();
		return switch (choice.below(6)) {
			case 0, 1 -> 0;
			case 2 -> choice.below(1000) * limit.window() / limit.limit() / 500;
			case 3 -> limit.window() - 1 + choice.below(3);
			case 4 -> part - (ScriptReplay.START % part) + choice.below(3) - 1;
			default -> choice.below(1000) * limit.window() / 5000;
		};
	}

	private static Decide call(Bits choice, List<Ask> limits, long now) {
		List<Ask> asks = new ArrayList<>();
		int first = choice.below(limits.size());
		int count = (limits.size() == 1) ? 1 : 1 + choice.below(4);
		long patience = (choice.below(3) > 0) ? 0 : 1 + choice.below(100) * limits.get(first).window() / 50;
		for (int i = 0; i < count; i++) {
			Ask limit = limits.get((first + i) % limits.size());
			long cost = switch (choice.below(6)) {
				case 0 -> 0;
				case 1 -> 1 + choice.below((int) limit.burst());
				default -> 1;
			};
			asks.add(limit.withCost(cost).withPatience(patience));
		}
		return new Decide(now, 0, asks);
	}

	/**
	 * Choices out of one number, so that shrinking the number makes them simple.
	 */
	private static final class Bits {

		private long rest;

		Bits(long number) {
			this.rest = number;
		}

		int below(int bound) {
			int choice = (int) Long.remainderUnsigned(this.rest, bound);
			this.rest = Long.divideUnsigned(this.rest, bound);
			return choice;
		}

	}

}
