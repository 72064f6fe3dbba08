// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.test.RedisNode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Replays traces of calls against the scripts as they are, except for the one line that
 * reads the clock: a whole trace in one call of Redis, at the trace's own times.
 */
final class ScriptReplay {

	static final String CLOCK_LINE = "local clock = redis.call('TIME') -- the only reading of time";

	/** A time that is not aligned to anything. */
	static final long START = 1_795_196_836_686_123L;

	private final RedisNode node;

	private final String sha;

	ScriptReplay(RedisNode node) {
		this(node, script("decide.lua"));
	}

	private ScriptReplay(RedisNode node, String decide) {
		this.node = node;
		String driver = script("replay.lua").replace("--decide--", atVirtualTime(decide))
			.replace("--refund--", atVirtualTime(script("refund.lua")));
		this.sha = (String) node.command("SCRIPT", "LOAD", driver);
	}

	/**
	 * The same with a fault planted.
	 */
	ScriptReplay withFault(String right, String wrong) {
		String decide = script("decide.lua");
		assertThat(decide).contains(right);
		return new ScriptReplay(this.node, decide.replace(right, wrong));
	}

	private static String atVirtualTime(String script) {
		assertThat(script).containsOnlyOnce(CLOCK_LINE);
		return script.replace(CLOCK_LINE, "local clock = {0, virtual}");
	}

	static String script(String file) {
		try (InputStream stream = RateLimit.class.getResourceAsStream(file)) {
			return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	List<Result> run(List<? extends Step> trace) {
		String json = trace.stream().map(Step::json).collect(Collectors.joining(",", "[", "]"));
		List<?> replies = (List<?>) this.node.command("EVALSHA", this.sha, "0", json);
		List<Result> results = new ArrayList<>(trace.size());
		for (Object reply : replies) {
			List<?> parts = (List<?>) reply;
			results.add(new Result(numbers(parts.get(0)), (Long) parts.get(1), numbers(parts.get(2))));
		}
		return results;
	}

	private static List<Long> numbers(Object reply) {
		return ((List<?>) reply).stream().map((number) -> (Long) number).toList();
	}

	/**
	 * What a step did.
	 *
	 * @param reply the script's reply
	 * @param writes how many commands that write it ran
	 * @param ttls the TTL each key was given, in milliseconds, -1 for none
	 */
	record Result(List<Long> reply, long writes, List<Long> ttls) {

		boolean isAllowed() {
			return this.reply.get(0) == 1;
		}

	}

	sealed interface Step {

		String json();

	}

	/**
	 * A call of {@code decide.lua}.
	 */
	record Decide(long now, long others, List<Ask> asks) implements Step {

		@Override
		public String json() {
			StringBuilder args = new StringBuilder("\"" + this.others + "\"");
			for (Ask ask : this.asks) {
				for (Object value : List.of(ask.kind(), ask.limit(), ask.window(), ask.burst(), ask.cost(),
						ask.patience(), ask.shadow() ? 1 : 0)) {
					args.append(",\"").append(value).append('"');
				}
			}
			String keys = this.asks.stream()
				.map((ask) -> "\"" + ask.key() + "\"")
				.collect(Collectors.joining(",", "[", "]"));
			return "{\"op\":\"decide\",\"now\":\"%d\",\"keys\":%s,\"args\":[%s]}".formatted(this.now, keys, args);
		}

	}

	/**
	 * One limit of a call; all times in microseconds.
	 */
	record Ask(String key, char kind, long limit, long window, long burst, long cost, long patience, boolean shadow) {

		static Ask of(char kind, long limit, long window) {
			return new Ask("state:" + kind, kind, limit, window, limit, 1, 0, false);
		}

		Ask withCost(long cost) {
			return new Ask(this.key, this.kind, this.limit, this.window, this.burst, cost, this.patience, this.shadow);
		}

		Ask withPatience(long patience) {
			return new Ask(this.key, this.kind, this.limit, this.window, this.burst, this.cost, patience, this.shadow);
		}

		Ask withBurst(long burst) {
			return new Ask(this.key, this.kind, this.limit, this.window, burst, this.cost, this.patience, this.shadow);
		}

		Decide at(long now) {
			return new Decide(now, 0, List.of(this));
		}

	}

	/**
	 * A call of {@code refund.lua} for an earlier step.
	 *
	 * @param now the time
	 * @param of index of the step
	 */
	record Refund(long now, int of) implements Step {

		@Override
		public String json() {
			return "{\"op\":\"refund\",\"now\":\"%d\",\"of\":%d}".formatted(this.now, this.of + 1);
		}

	}

	/**
	 * If an earlier step was denied, the same just before the time it was told, and at
	 * that time.
	 *
	 * @param now the time of that step
	 * @param of index of the step
	 * @param seconds whether the time is rounded up to seconds
	 */
	record Retry(long now, int of, boolean seconds) implements Step {

		@Override
		public String json() {
			return "{\"op\":\"retry\",\"now\":\"%d\",\"of\":%d,\"seconds\":%s}".formatted(this.now, this.of + 1,
					this.seconds);
		}

	}

}
