/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The scripts against a model of them, step by step, over random schedules of three
 * instances. Time is virtual: the one line that reads the clock is replaced, and the end
 * of a lease is a step of its own.
 */
class LockScriptsModelIntegrationTests {

	private static final String CLOCK_LINE = "local clock = redis.call('TIME') -- the only reading of time";

	private static final String VIRTUAL_CLOCK = "local clock = {0, tonumber(table.remove(ARGV))}";

	private static final List<String> KEYS = List.of("ge:lock:{a}", "ge:lock:{a}:f1", "ge:lock:{a}:q1",
			"ge:lock:{a}:d1");

	/** Far longer than a test, so that nothing ends by the server's own clock. */
	private static final long PLACE_MILLIS = 100_000;

	private static StandaloneRedis redis;

	private static String acquire;

	private static String release;

	private static String renew;

	@BeforeContainer
	static void start() {
		redis = RedisServers.standalone();
		acquire = script("acquire.lua", true);
		release = script("release.lua", true);
		renew = script("renew.lua", false);
	}

	@AfterContainer
	static void stop() {
		redis.close();
	}

	@Property(tries = 200, shrinking = ShrinkingMode.BOUNDED)
	void scriptsDoWhatTheModelDoesAlsoWhenDataIsLost(@ForAll("schedules") List<Step> schedule) {
		new Run(true).play(schedule);
	}

	@Property(tries = 100, shrinking = ShrinkingMode.BOUNDED)
	void tokensRiseAlsoWhenTheClockStepsBack(@ForAll("schedules") List<Step> schedule) {
		new Run(false).play(schedule);
	}

	@Provide
	Arbitrary<List<Step>> schedules() {
		return Combinators
			.combine(Arbitraries.of(Action.class), Arbitraries.integers().between(0, 2),
					Arbitraries.longs().between(0, 60))
			.as(Step::new)
			.list()
			.ofMinSize(5)
			.ofMaxSize(40);
	}

	private static String script(String name, boolean timed) {
		try (InputStream stream = RedisLocks.class.getResourceAsStream(name)) {
			String text = new String(stream.readAllBytes(), StandardCharsets.UTF_8);
			if (timed) {
				assertThat(text).containsOnlyOnce(CLOCK_LINE);
			}
			return text.replace(CLOCK_LINE, VIRTUAL_CLOCK);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static List<Object> eval(String script, Object... arguments) {
		List<String> command = new ArrayList<>(List.of("EVAL", script, "4"));
		command.addAll(KEYS);
		for (Object argument : arguments) {
			command.add(argument.toString());
		}
		return List.copyOf((List<?>) redis.primary().command(command.toArray(String[]::new)));
	}

	enum Action {

		ASK, ASK_WAITING, ASK_WAITING_AS_WELL, ASK_AGAIN, RELEASE, RELEASE_STALE, LEAVE, RENEW, RENEW_STALE, LEASE_ENDS,
		TIME_PASSES, UPSET

	}

	record Step(Action action, int instance, long seconds) {
	}

	/**
	 * One schedule, on the server and in the model.
	 */
	private static final class Run {

		private final boolean losesData;

		private final Map<String, Place> queue = new HashMap<>();

		private final long[] seen = new long[3];

		private final List<Long> tokens = new ArrayList<>();

		/** The owner as in Redis without the token, or {@code null}. */
		private @Nullable String owner;

		private long ownerToken;

		private long last;

		private long now = 1_000_000_000_000_000L;

		private int handles;

		Run(boolean losesData) {
			this.losesData = losesData;
			redis.flushAll();
		}

		void play(List<Step> schedule) {
			for (Step step : schedule) {
				this.now++; // no two owners in one microsecond
				play(step);
				compare(step);
			}
			assertThat(this.tokens).isSorted().doesNotHaveDuplicates();
		}

		private void play(Step step) {
			String instance = "ge:bus:" + step.instance();
			switch (step.action()) {
				case ASK -> ask(step.instance(), instance, "h" + ++this.handles, false);
				case ASK_WAITING, ASK_WAITING_AS_WELL -> ask(step.instance(), instance, "h" + ++this.handles, true);
				case ASK_AGAIN -> {
					if (isHeld()) {
						String[] holder = this.owner.split(" ");
						assertThat(acquire(holder[0], holder[1], 0, true)).containsExactly(1L, "" + this.ownerToken);
					}
				}
				case RELEASE -> {
					if (isHeld()) {
						String[] holder = this.owner.split(" ");
						release(holder[0], holder[1]);
					}
				}
				case RELEASE_STALE ->
					assertThat(eval(release, instance, "h0", 2000, "m", this.now).get(0)).isEqualTo(0L);
				case LEAVE -> leave(instance);
				case RENEW -> {
					if (isHeld()) {
						String[] holder = this.owner.split(" ");
						assertThat(eval(renew, holder[0], holder[1], 900_000)).containsExactly(1L);
					}
				}
				case RENEW_STALE -> assertThat(eval(renew, instance, "h0", 900_000)).containsExactly(0L);
				case LEASE_ENDS -> {
					redis.primary().command("DEL", KEYS.get(0));
					this.owner = null;
				}
				case TIME_PASSES -> this.now += step.seconds() * 1_000_000;
				case UPSET -> upset(step);
			}
		}

		private void upset(Step step) {
			if (this.losesData) {
				redis.flushAll();
				this.owner = null;
				this.queue.clear();
				this.last = 0;
			}
			else {
				this.now -= step.seconds() * 1_000_000;
			}
		}

		private boolean isHeld() {
			return this.owner != null && !this.owner.endsWith(" -");
		}

		private void ask(int index, String instance, String handle, boolean waits) {
			List<Object> reply = acquire(instance, handle, this.seen[index], waits);
			if (this.owner == null || (waits && this.owner.equals(instance + " -"))) {
				long token = Math.max(this.now, Math.max(this.last + 1, this.seen[index] + 1));
				assertThat(reply).containsExactly(1L, "" + token);
				this.owner = instance + " " + handle;
				this.ownerToken = token;
				this.last = token;
				this.seen[index] = token;
				this.tokens.add(token);
				if (waits) {
					this.queue.remove(instance);
				}
				return;
			}
			assertThat(reply.get(0)).isEqualTo(0L);
			if (waits) {
				Place before = this.queue.get(instance);
				this.queue.put(instance, new Place(instance, (before != null) ? before.arrival() : this.now,
						this.now + PLACE_MILLIS * 1000));
			}
		}

		private List<Object> acquire(String instance, String handle, long highest, boolean waits) {
			return eval(acquire, instance, handle, 900_000, highest, waits ? PLACE_MILLIS : 0, 86_400_000, this.now);
		}

		private void release(String instance, String handle) {
			List<Object> reply = eval(release, instance, handle, 900_000, "m", this.now);
			handOn(reply);
		}

		private void leave(String instance) {
			boolean setAside = (instance + " -").equals(this.owner);
			List<Object> reply = eval(release, instance, "-", 900_000, "m", this.now);
			this.queue.remove(instance);
			if (setAside) {
				handOn(reply);
			}
			else {
				assertThat(reply).containsExactly(0L);
			}
		}

		private void handOn(List<Object> reply) {
			this.owner = null;
			for (Place first : inOrder()) {
				if (this.owner == null) {
					this.queue.remove(first.instance());
					this.owner = (first.deadline() > this.now) ? first.instance() + " -" : null;
				}
			}
			assertThat(reply).containsExactly((this.owner != null) ? 2L : 1L);
		}

		private List<Place> inOrder() {
			return this.queue.values().stream().sorted(Place.ORDER).toList();
		}

		private void compare(Step step) {
			Object held = redis.primary().command("GET", KEYS.get(0));
			assertThat(held).as("owner after %s", step)
				.isEqualTo(isHeld() ? this.owner + " " + this.ownerToken : this.owner);
			assertThat(redis.primary().command("ZRANGE", KEYS.get(2), "0", "-1")).as("queue after %s", step)
				.isEqualTo(inOrder().stream().map(Place::instance).toList());
			assertThat(redis.keysWithoutTtl()).isEmpty();
		}

	}

	/**
	 * Where an instance stands in the queue.
	 */
	private record Place(String instance, long arrival, long deadline) {

		static final Comparator<Place> ORDER = Comparator.comparingLong(Place::arrival).thenComparing(Place::instance);

	}

}
