// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.ge.redis.ratelimit.internal.ScriptReplay.Ask;
import io.ge.redis.ratelimit.internal.ScriptReplay.Decide;
import io.ge.redis.ratelimit.internal.ScriptReplay.Refund;
import io.ge.redis.ratelimit.internal.ScriptReplay.Step;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.Sized;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.Test;

/**
 * Calls that share a script while limits change and the clock is set back.
 */
@Sized
class SharedScriptIntegrationTests {

	private static final long SECOND = 1_000_000;

	private static final int TRACES = Wide.RUN ? 1500 : 40;

	private static final long[] WINDOWS = { SECOND, 10 * SECOND, 997_003L, 60 * SECOND, 50_000L, 3600 * SECOND, 1000 };

	@Test
	void changedLimitsAndClocks() {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			ScriptReplay replay = new ScriptReplay(redis.primary());
			for (int t = 0; t < TRACES; t++) {
				Random random = new Random(1000 + t);
				List<Step> trace = trace(random);
				try {
					SharedTrace.of(trace).check(replay);
				}
				catch (AssertionError | RuntimeException ex) {
					throw new AssertionError("trace " + t + " " + trace + "\n" + ex.getMessage(), ex);
				}
			}
		}
	}

	private static List<Step> trace(Random random) {
		int count = 1 + random.nextInt(4);
		char[] kinds = new char[count];
		for (int i = 0; i < count; i++) {
			kinds[i] = "wbcf".charAt(random.nextInt(4));
		}
		boolean large = random.nextInt(3) == 0;
		long[] limit = new long[count];
		long[] burst = new long[count];
		long[] window = new long[count];
		for (int i = 0; i < count; i++) {
			change(random, kinds[i], i, limit, burst, window, large);
		}
		List<Step> trace = new ArrayList<>();
		long now = ScriptReplay.START;
		int steps = 30;
		for (int s = 0; s < steps; s++) {
			switch (random.nextInt(9)) {
				case 0 -> now += random.nextInt(5_000_000);
				case 1 -> now += window[random.nextInt(count)] / (1 + random.nextInt(12));
				case 2 -> now -= (random.nextInt(4) == 0) ? random.nextInt(5_000_000) : 0;
				case 3 -> now += random.nextInt(1000);
				case 4 -> now -= (random.nextInt(20) == 0) ? 7200 * SECOND : 0;
				default -> {
				}
			}
			if (random.nextInt(6) == 0) {
				int i = random.nextInt(count);
				change(random, kinds[i], i, limit, burst, window, large);
			}
			if (s > 0 && random.nextInt(8) == 0) {
				int of = random.nextInt(trace.size());
				if (trace.get(of) instanceof Decide) {
					trace.add(new Refund(now, of));
					continue;
				}
			}
			long cost = 1;
			if (random.nextInt(2) == 0) {
				cost = 1 + (long) (random.nextDouble() * (burst[0] + 1) / (1 + random.nextInt(4)));
			}
			long patience = random.nextInt(3) == 0 ? random.nextInt(20_000_000) : 0;
			List<Ask> asks = new ArrayList<>();
			for (int i = 0; i < count; i++) {
				asks.add(new Ask("s:" + i, kinds[i], limit[i], window[i], burst[i], Math.min(cost, burst[i]), patience,
						false));
			}
			trace.add(new Decide(now, 0, asks));
		}
		return trace;
	}

	private static void change(Random random, char kind, int i, long[] limit, long[] burst, long[] window,
			boolean large) {
		limit[i] = 1 + random.nextInt(12);
		if (large && kind != 'w') {
			limit[i] = (kind == 'b') ? 1 + random.nextInt(1000) : 4294967295L - random.nextInt(3);
		}
		else if (large) {
			limit[i] = 1 + random.nextInt(3000);
		}
		window[i] = WINDOWS[random.nextInt(WINDOWS.length)];
		if (kind == 'b') {
			limit[i] = Math.min(limit[i], window[i]);
		}
		burst[i] = (kind == 'b') ? 1 + random.nextInt(large ? 100_000 : 12) : limit[i];
	}

}
