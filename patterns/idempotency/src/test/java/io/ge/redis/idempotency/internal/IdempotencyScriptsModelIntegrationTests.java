// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.ge.redis.idempotency.Idempotency;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.Sized;
import io.ge.redis.test.StandaloneRedis;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tuple;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The scripts against a small model of the states of one key, at times that the test
 * chooses: the one line that reads the clock is replaced. Owners whose lease has ended go
 * on sending whatever they like.
 */
@Sized
class IdempotencyScriptsModelIntegrationTests {

	private static final String CLOCK_LINE = "local clock = redis.call('TIME') -- the only reading of time";

	private static final long LEASE_MILLIS = 100;

	private static final long RETENTION_MILLIS = 1000;

	private static final long GRACE_MILLIS = 60;

	private static StandaloneRedis redis;

	private static Map<String, String> scripts;

	@BeforeContainer
	static void start() {
		redis = RedisServers.standalone();
		scripts = Stream.of("claim", "beat", "complete", "release", "unknown", "clear", "look")
			.collect(Collectors.toMap((name) -> name, IdempotencyScriptsModelIntegrationTests::script));
		assertThat(scripts.get("claim")).containsOnlyOnce(CLOCK_LINE);
		assertThat(scripts.get("beat")).containsOnlyOnce(CLOCK_LINE);
		assertThat(scripts.get("look")).containsOnlyOnce(CLOCK_LINE);
		scripts.replaceAll((name, text) -> text.replace(CLOCK_LINE, "local clock = {0, tonumber(table.remove(ARGV))}"));
	}

	@AfterContainer
	static void stop() {
		redis.close();
	}

	@Property(shrinking = ShrinkingMode.BOUNDED)
	void scriptsDoWhatTheModelSays(@ForAll("steps") List<Step> steps) {
		redis.flushAll();
		Model model = new Model();
		for (Step step : steps) {
			model.pass(step.millis() * 1000L);
			if (model.isExpired() || step.action() == Action.LOSE_DATA) {
				model.record = null;
				redis.primary().command("DEL", "record");
			}
			if (step.action() == Action.LOSE_DATA) {
				continue;
			}
			String reply = String.valueOf(run(step, model));
			assertThat(reply).as("%s at %d", step, model.now).isEqualTo(model.apply(step));
			if (reply.startsWith("[1") && !step.action().isOfAnOperator()) {
				assertThat((Long) redis.primary().command("PTTL", "record")).as("TTL after %s", step).isPositive();
			}
			// Expiry belongs to the server's clock, not to the test's
			redis.primary().command("PERSIST", "record");
		}
	}

	@Property(shrinking = ShrinkingMode.BOUNDED)
	void fencesRiseAndEndedCallsStay(@ForAll("steps") List<Step> steps) {
		redis.flushAll();
		Model model = new Model();
		long lastFence = 0;
		String endedBy = null;
		for (Step step : steps) {
			model.pass(Math.max(0, step.millis()) * 1000L);
			if (step.action() == Action.LOSE_DATA) {
				continue;
			}
			Object reply = run(step, model);
			model.apply(step);
			redis.primary().command("PERSIST", "record");
			if (step.action() == Action.CLAIM && String.valueOf(reply).startsWith("[1, ")) {
				assertThat(endedBy).as("claimed after it was ended by").isNull();
				long fence = (Long) ((List<?>) reply).get(1);
				boolean again = model.isNewestOwner(step);
				assertThat(fence).isGreaterThanOrEqualTo(again ? lastFence : lastFence + 1);
				lastFence = fence;
			}
			if (step.action().isOfAnOperator() && "[1]".equals(String.valueOf(reply))) {
				endedBy = null;
			}
			boolean ends = step.action() == Action.COMPLETE || step.action() == Action.UNKNOWN;
			if (ends && "[1]".equals(String.valueOf(reply))) {
				assertThat(endedBy).isIn(null, step.owner());
				endedBy = step.owner();
			}
		}
	}

	@Example
	void endingsStandWithoutThePermissionToPublish() {
		redis.primary().command("ACL", "SETUSER", "default", "resetchannels");
		try {
			for (Action ending : List.of(Action.COMPLETE, Action.RELEASE, Action.UNKNOWN)) {
				redis.flushAll();
				Model model = new Model();
				Step claim = new Step(Action.CLAIM, "a", "x", 0);
				run(claim, model);
				model.apply(claim);
				redis.primary().command("SADD", "record:w", "channel");
				assertThat(String.valueOf(run(new Step(ending, "a", "x", 0), model))).as("%s", ending).isEqualTo("[1]");
				assertThat(redis.primary().command("EXISTS", "record:w")).isEqualTo(0L);
			}
		}
		finally {
			redis.primary().command("ACL", "SETUSER", "default", "allchannels");
		}
	}

	private static Object run(Step step, Model model) {
		String fence = String.valueOf(model.fenceOf(step.owner()));
		List<String> call = new ArrayList<>(
				List.of("EVAL", scripts.get(step.action().script), "2", "record", "record:w"));
		if (!step.action().isOfAnOperator()) {
			call.add(step.owner());
		}
		String lease = String.valueOf(LEASE_MILLIS);
		String retention = String.valueOf(RETENTION_MILLIS);
		call.addAll(switch (step.action()) {
			case CLAIM -> List.of(step.fingerprint(), lease, retention, String.valueOf(GRACE_MILLIS), "channel", "0",
					String.valueOf(model.now));
			case BEAT -> List.of(fence, lease, retention, String.valueOf(model.now));
			case COMPLETE -> List.of(fence, step.fingerprint(), "v", "result of " + step.owner(), retention);
			case RELEASE -> List.of(fence, retention);
			case TAKE_BACK -> List.of("", retention);
			case UNKNOWN -> List.of(fence, step.fingerprint(), retention);
			case CLEAR -> List.of("");
			case CLEAR_NAMED -> List.of(fence);
			case LOOK -> List.of(String.valueOf(model.now));
			case LOSE_DATA -> throw new IllegalArgumentException();
		});
		return redis.primary().command(call.toArray(String[]::new));
	}

	private static String script(String name) {
		try (InputStream stream = Idempotency.class.getResourceAsStream(name + ".lua")) {
			return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Provide
	Arbitrary<List<Step>> steps() {
		Arbitrary<Action> actions = Arbitraries.frequency(Tuple.of(8, Action.CLAIM), Tuple.of(3, Action.BEAT),
				Tuple.of(3, Action.COMPLETE), Tuple.of(3, Action.RELEASE), Tuple.of(1, Action.TAKE_BACK),
				Tuple.of(2, Action.UNKNOWN), Tuple.of(1, Action.CLEAR), Tuple.of(1, Action.CLEAR_NAMED),
				Tuple.of(2, Action.LOOK), Tuple.of(1, Action.LOSE_DATA));
		Arbitrary<Integer> pauses = Arbitraries.frequencyOf(Tuple.of(6, Arbitraries.integers().between(0, 40)),
				Tuple.of(3, Arbitraries.of(99, 100, 101, 250)),
				Tuple.of(1, Arbitraries.of(-30, 999, 1000, 1100, 1101)));
		Arbitrary<String> owners = Arbitraries.of("anna", "boris", "clara", "dmitri");
		Arbitrary<String> fingerprints = Arbitraries.frequency(Tuple.of(5, "one"), Tuple.of(1, "other"));
		return Combinators.combine(actions, owners, fingerprints, pauses)
			.as(Step::new)
			.list()
			.ofMinSize(5)
			.ofMaxSize(30);
	}

	enum Action {

		CLAIM("claim"), BEAT("beat"), COMPLETE("complete"), RELEASE("release"), TAKE_BACK("release"),
		UNKNOWN("unknown"), CLEAR("clear"), CLEAR_NAMED("clear"), LOOK("look"), LOSE_DATA("");

		private final String script;

		Action(String script) {
			this.script = script;
		}

		boolean isOfAnOperator() {
			return this == CLEAR || this == CLEAR_NAMED || this == LOOK;
		}

	}

	record Step(Action action, String owner, String fingerprint, int millis) {
	}

	/**
	 * What is known of a key. A field that is absent in Redis is {@code null}.
	 */
	private static final class Record {

		long fence;

		@Nullable String fingerprint;

		@Nullable String owner;

		@Nullable Long deadline;

		@Nullable Long grace;

		@Nullable String result;

		boolean taken;

		long expiry;

	}

	private static final class Model {

		private long now = 1_000_000_000;

		private @Nullable Record record;

		private final Map<String, Long> fences = new java.util.HashMap<>();

		private @Nullable String newest;

		private boolean newestAgain;

		void pass(long micros) {
			this.now += micros;
		}

		boolean isExpired() {
			return this.record != null && this.record.expiry <= this.now;
		}

		long fenceOf(String owner) {
			return this.fences.getOrDefault(owner, 0L);
		}

		boolean isNewestOwner(Step step) {
			return this.newestAgain && step.owner().equals(this.newest);
		}

		String apply(Step step) {
			return switch (step.action()) {
				case CLAIM -> claim(step);
				case BEAT -> beat(step);
				case COMPLETE -> complete(step);
				case RELEASE, TAKE_BACK -> release(step);
				case UNKNOWN -> unknown(step);
				case CLEAR -> clear(null);
				case CLEAR_NAMED -> clear(fenceOf(step.owner()));
				case LOOK -> look();
				case LOSE_DATA -> throw new IllegalArgumentException();
			};
		}

		private String claim(Step step) {
			Record known = this.record;
			if (known != null && known.fingerprint != null) {
				if (known.deadline != null && step.owner().equals(known.owner)) {
					this.newestAgain = true;
					return grant(step, known, known.fence);
				}
				if (!known.fingerprint.equals(step.fingerprint())) {
					return "[4]";
				}
				if (known.result != null) {
					return "[2, v, " + known.result + "]";
				}
				if (known.deadline == null) {
					return "[5]";
				}
				if (known.deadline > this.now) {
					return "[3, " + (known.deadline - this.now) + "]";
				}
				if (known.grace == null) {
					known.grace = this.now + GRACE_MILLIS * 1000;
				}
				if (known.grace > this.now) {
					return "[3, " + (known.grace - this.now) + "]";
				}
			}
			Record next = new Record();
			next.fingerprint = step.fingerprint();
			next.taken = known != null && (known.taken || known.fingerprint != null);
			this.newestAgain = false;
			return grant(step, next, Math.max(this.now, (known != null) ? known.fence + 1 : 1));
		}

		private String grant(Step step, Record granted, long fence) {
			granted.fence = fence;
			granted.owner = step.owner();
			granted.deadline = this.now + LEASE_MILLIS * 1000;
			granted.grace = null;
			this.record = granted;
			this.newest = step.owner();
			this.fences.put(step.owner(), fence);
			return done(LEASE_MILLIS + RETENTION_MILLIS, "[1, " + fence + ", " + (granted.taken ? 1 : 0) + "]");
		}

		private String beat(Step step) {
			if (!holds(step) || this.record.deadline == null) {
				return "[0]";
			}
			this.record.deadline = this.now + LEASE_MILLIS * 1000;
			this.record.grace = null;
			return done(LEASE_MILLIS + RETENTION_MILLIS, "[1]");
		}

		private String complete(Step step) {
			if (this.record == null) {
				recreate(step);
			}
			else if (!holds(step) || (this.record.deadline == null && this.record.result == null)) {
				return "[0]";
			}
			this.record.fingerprint = step.fingerprint();
			this.record.deadline = null;
			this.record.result = "result of " + step.owner();
			return done(RETENTION_MILLIS, "[1]");
		}

		private String release(Step step) {
			boolean own = this.record != null && step.owner().equals(this.record.owner)
					&& (step.action() == Action.TAKE_BACK || holds(step));
			if (!own || this.record.deadline == null) {
				return "[0]";
			}
			this.record.fingerprint = null;
			this.record.owner = null;
			this.record.deadline = null;
			this.record.grace = null;
			return done(RETENTION_MILLIS, "[1]");
		}

		private String unknown(Step step) {
			if (this.record == null) {
				recreate(step);
			}
			else if (!holds(step) || this.record.result != null) {
				return "[0]";
			}
			this.record.deadline = null;
			return done(RETENTION_MILLIS, "[1]");
		}

		private String clear(@Nullable Long named) {
			if (this.record == null || this.record.fingerprint == null) {
				return "[0]";
			}
			if ((named != null) ? named != this.record.fence : this.record.deadline != null) {
				return "[2, " + this.record.fence + "]";
			}
			Record free = new Record();
			free.fence = this.record.fence;
			free.expiry = this.record.expiry;
			free.taken = true;
			this.record = free;
			return "[1]";
		}

		private String look() {
			Record known = this.record;
			if (known == null) {
				return "[0]";
			}
			int state = (known.fingerprint != null) ? 4 : 5;
			long left = 0;
			if (known.result != null) {
				state = 2;
			}
			else if (known.deadline != null) {
				state = 1;
				left = Math.max(0, ((known.grace != null) ? known.grace : known.deadline) - this.now);
			}
			return "[" + state + ", " + known.fence + ", " + ((known.owner != null) ? known.owner : "") + ", "
					+ Math.max(0, this.now - known.fence) + ", " + left + ", -1, " + (known.taken ? 1 : 0) + "]";
		}

		private void recreate(Step step) {
			this.record = new Record();
			this.record.fence = fenceOf(step.owner());
			this.record.owner = step.owner();
			this.record.fingerprint = step.fingerprint();
		}

		private boolean holds(Step step) {
			return this.record != null && step.owner().equals(this.record.owner)
					&& this.record.fence == fenceOf(step.owner());
		}

		private String done(long millis, String reply) {
			this.record.expiry = this.now + millis * 1000;
			return reply;
		}

	}

}
