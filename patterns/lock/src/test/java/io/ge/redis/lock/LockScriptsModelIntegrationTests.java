// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import io.ge.redis.test.RedisServers;
import io.ge.redis.test.Sized;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Wide;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The scripts against a model of them, step by step, over random schedules of three
 * instances. Time is virtual: the one line that reads the clock is replaced, and the end
 * of a lease is a step of its own. Messages go to a list.
 */
@Sized
class LockScriptsModelIntegrationTests {

	private static final List<String> KEYS = List.of("ge:lock:{a}", "ge:lock:{a}:f1", "ge:lock:{a}:q1",
			"ge:lock:{a}:d1");

	/** Far longer than a test, so that nothing ends by the server's own clock. */
	private static final long PLACE_MILLIS = 100_000;

	private static StandaloneRedis redis;

	@BeforeContainer
	static void start() {
		redis = RedisServers.standalone();
	}

	@AfterContainer
	static void stop() {
		redis.close();
	}

	@Property(shrinking = ShrinkingMode.BOUNDED)
	void scriptsDoWhatTheModelDoesAlsoWhenDataIsLost(@ForAll("schedules") List<Step> schedule) {
		new Run(Scripts.RIGHT, Upset.DATA_LOST).play(schedule);
	}

	@Property(shrinking = ShrinkingMode.BOUNDED)
	@Wide
	void tokensRiseAlsoWhenTheClockStepsBack(@ForAll("schedules") List<Step> schedule) {
		new Run(Scripts.RIGHT, Upset.CLOCK_SET_BACK).play(schedule);
	}

	@Property(shrinking = ShrinkingMode.BOUNDED)
	void tokensRiseForWhoRemembersAlsoAfterBoth(@ForAll("schedules") List<Step> schedule) {
		new Run(Scripts.RIGHT, Upset.BOTH).play(schedule);
	}

	/**
	 * Each rule broken once, to see that the schedules reach it.
	 */
	@Wide
	@Example
	void brokenRulesAreNoticed() {
		List<Scripts> broken = List.of(Scripts.RIGHT.withAcquire("past + 1, seen + 1, now", "past + 1, seen + 1"),
				Scripts.RIGHT.withAcquire("or edge)", "or 0)"),
				Scripts.RIGHT.withAcquire("math.min(first + wanted - 1, edge)", "first + wanted - 1"),
				Scripts.RIGHT.withAcquire("'ZADD', queue, 'NX'", "'ZADD', queue"),
				Scripts.RIGHT.withRelease("tonumber(deadline) > time()", "true"),
				Scripts.RIGHT.withRelease("highest + 1, time()", "time()"),
				Scripts.RIGHT.withRelease("and (not chosen or chosen == instance)", ""),
				Scripts.RIGHT.withRelease("if not owned then", "if not held then"),
				Scripts.RIGHT.withRelease("if keep > 0 then", "if false then"),
				Scripts.RIGHT.withRelease("string.match(request, ' (%S+) ') == handle", "true"),
				Scripts.RIGHT.withRelease("redis.call('ZREM', queue, chosen)", ""));
		for (Scripts scripts : broken) {
			assertThatExceptionOfType(AssertionError.class).as(scripts.fault()).isThrownBy(() -> {
				for (long seed = 0; seed < 300; seed++) {
					new Run(scripts, Upset.DATA_LOST).play(Step.random(new Random(seed)));
					new Run(scripts, Upset.BOTH).play(Step.random(new Random(seed)));
				}
			});
		}
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

	/** What goes wrong with the server. */
	enum Upset {

		DATA_LOST, CLOCK_SET_BACK, BOTH

	}

	enum Action {

		ASK, ASK_WAITING, ASK_WAITING_AS_WELL, ASK_AGAIN, RELEASE, RELEASE_AND_WAIT, RELEASE_AND_WAIT_AS_WELL,
		RELEASE_AND_KEEP, RELEASE_STALE, LEAVE, LEAVE_STALE, RENEW, RENEW_STALE, LEASE_ENDS, TIME_PASSES, UPSET

	}

	record Step(Action action, int instance, long amount) {

		static List<Step> random(Random random) {
			List<Step> steps = new ArrayList<>();
			for (int i = 0; i < 40; i++) {
				Action[] actions = Action.values();
				steps.add(new Step(actions[random.nextInt(actions.length)], random.nextInt(3), random.nextInt(61)));
			}
			return steps;
		}

	}

	/**
	 * The scripts as they are or with a fault.
	 */
	private record Scripts(String fault, String acquire, String release, String renew) {

		static final Scripts RIGHT = new Scripts("none", ModelledScripts.timed("acquire.lua"),
				ModelledScripts.timed("release.lua"), ModelledScripts.untimed("renew.lua"));

		Scripts withAcquire(String right, String wrong) {
			return new Scripts("acquire: " + wrong, ModelledScripts.replace(this.acquire, right, wrong), this.release,
					this.renew);
		}

		Scripts withRelease(String right, String wrong) {
			return new Scripts("release: " + right, this.acquire, ModelledScripts.replace(this.release, right, wrong),
					this.renew);
		}

	}

	/**
	 * One schedule, on the server and in the model.
	 */
	private static final class Run {

		private final Scripts scripts;

		private final Upset upset;

		private final Map<String, Place> queue = new HashMap<>();

		private final Map<String, Long> seen = new HashMap<>();

		/** The messages of this step. */
		private final List<String> messages = new ArrayList<>();

		private @Nullable Owner owner;

		/** The highest token of all ranges since the last loss, or 0. */
		private long last;

		/** The highest token ever. */
		private long highest;

		private long now = 1_000_000_000_000_000L;

		private int handles;

		Run(Scripts scripts, Upset upset) {
			this.scripts = scripts;
			this.upset = upset;
			redis.flushAll();
		}

		void play(List<Step> schedule) {
			for (Step step : schedule) {
				this.now++; // no two owners in one microsecond
				this.messages.clear();
				play(step);
				compare(step);
			}
		}

		private void play(Step step) {
			String instance = "ge:bus:" + step.instance();
			switch (step.action()) {
				case ASK -> ask(instance, newHandle(), false, 1 + step.amount());
				case ASK_WAITING, ASK_WAITING_AS_WELL -> ask(instance, newHandle(), true, 1 + step.amount());
				case ASK_AGAIN -> {
					if (this.owner != null && this.owner.isHeld()) {
						assertThat(acquire(this.owner.instance(), this.owner.handle(), true, 512)).containsExactly(1L,
								"" + this.owner.first(), "" + this.owner.last());
					}
				}
				case RELEASE -> release("", 0);
				case RELEASE_AND_WAIT, RELEASE_AND_WAIT_AS_WELL -> release(newHandle(), 0);
				case RELEASE_AND_KEEP -> release("", 900_000);
				case RELEASE_STALE -> assertThat(release(instance, "h0", false, "", 0)).containsExactly(0L);
				case LEAVE -> leave(instance, handleOf(instance));
				case LEAVE_STALE -> leave(instance, "h0");
				case RENEW -> {
					if (this.owner != null && this.owner.isHeld()) {
						assertThat(ModelledScripts.eval(redis, this.scripts.renew(),
								List.of(KEYS.get(0), "ge:lock:{a}other"), this.owner.instance(), this.owner.handle(),
								900_000, "h0", 900_000))
							.containsExactly(1L, 0L);
					}
				}
				case RENEW_STALE -> assertThat(
						ModelledScripts.eval(redis, this.scripts.renew(), KEYS.subList(0, 1), instance, "h0", 900_000))
					.containsExactly(0L);
				case LEASE_ENDS -> {
					redis.primary().command("DEL", KEYS.get(0));
					this.owner = null;
				}
				case TIME_PASSES -> this.now += step.amount() * 1_000_000;
				case UPSET -> upset(step);
			}
		}

		private String newHandle() {
			return "h" + ++this.handles;
		}

		private void upset(Step step) {
			if (this.upset != Upset.CLOCK_SET_BACK) {
				redis.flushAll();
				this.owner = null;
				this.queue.clear();
				this.last = 0;
			}
			if (this.upset != Upset.DATA_LOST) {
				this.now -= step.amount() * 1_000_000;
			}
		}

		private void ask(String instance, String handle, boolean waits, long wanted) {
			List<Object> reply = acquire(instance, handle, waits, wanted);
			if (this.owner == null) {
				if (waits) {
					this.queue.remove(instance);
				}
				own(instance, handle, seen(instance), wanted);
				assertThat(reply).containsExactly(1L, "" + this.owner.first(), "" + this.owner.last());
				this.seen.put(instance, this.owner.last());
				return;
			}
			assertThat(reply.get(0)).isEqualTo(0L);
			if (waits) {
				enter(instance, handle);
			}
		}

		private long seen(String instance) {
			return this.seen.getOrDefault(instance, 0L);
		}

		private void enter(String instance, String handle) {
			Place before = this.queue.get(instance);
			this.queue.put(instance, new Place(instance, (before != null) ? before.arrival() : this.now,
					this.now + PLACE_MILLIS * 1000, handle, seen(instance)));
		}

		private void own(String instance, String handle, long seen, long wanted) {
			long edge = this.now + 511;
			long first = Math.max(Math.max(((this.last > 0) ? this.last : edge) + 1, seen + 1), this.now);
			long end = Math.max(first, Math.min(first + wanted - 1, edge));
			assertThat(first).as("tokens rise")
				.isGreaterThan((this.upset == Upset.BOTH) ? seen(instance) : this.highest);
			this.last = end;
			this.highest = end;
			this.owner = new Owner(instance, handle, first, end);
		}

		private void release(String following, long keep) {
			if (this.owner == null || !this.owner.isHeld()) {
				return;
			}
			String instance = this.owner.instance();
			List<Object> reply = release(instance, this.owner.handle(), false, following, keep);
			if (keep > 0) {
				this.owner = new Owner("=", this.owner.toString(), 0, 0);
				assertThat(reply).containsExactly(2L);
				return;
			}
			handOn(instance, following, reply);
		}

		private String handleOf(String instance) {
			Place place = this.queue.get(instance);
			return (place != null) ? place.handle() : "none";
		}

		private void leave(String instance, String handle) {
			if (handle.equals(handleOf(instance))) {
				this.queue.remove(instance);
			}
			assertThat(release(instance, handle, true, "", 0)).containsExactly(0L);
		}

		private void handOn(String instance, String following, List<Object> reply) {
			this.owner = null;
			Place chosen = null;
			for (Place first : inOrder()) {
				if (chosen == null) {
					this.queue.remove(first.instance());
					chosen = (first.deadline() > this.now) ? first : null;
				}
			}
			if (!following.isEmpty() && (chosen == null || chosen.instance().equals(instance))) {
				own(instance, following, seen(instance), 512);
				this.seen.put(instance, this.owner.last());
				assertThat(reply).containsExactly(3L, "" + this.owner.first(), "" + this.owner.last());
				return;
			}
			assertThat(reply).containsExactly((chosen != null) ? 2L : 1L);
			if (chosen != null) {
				own(chosen.instance(), chosen.handle(), Math.max(seen(instance), chosen.seen()), 512);
				this.messages.add(chosen.instance() + " lock.grant " + chosen.handle() + " " + KEYS.get(0));
				this.seen.put(chosen.instance(), this.owner.last());
			}
			if (!following.isEmpty()) {
				enter(instance, following);
			}
		}

		private List<Object> acquire(String instance, String handle, boolean waits, long wanted) {
			return ModelledScripts.eval(redis, this.scripts.acquire(), KEYS, instance, handle, 900_000, seen(instance),
					waits ? PLACE_MILLIS : 0, 86_400_000, wanted, this.now);
		}

		private List<Object> release(String instance, String handle, boolean leave, String following, long keep) {
			return ModelledScripts.eval(redis, this.scripts.release(), KEYS, instance, handle, 900_000, leave ? 1 : 0,
					following, seen(instance), 512, 900_000, PLACE_MILLIS, 86_400_000, keep, this.now);
		}

		private List<Place> inOrder() {
			return this.queue.values().stream().sorted(Place.ORDER).toList();
		}

		private void compare(Step step) {
			Object held = redis.primary().command("GET", KEYS.get(0));
			assertThat(held).as("owner after %s", step).isEqualTo((this.owner != null) ? this.owner.toString() : null);
			assertThat(redis.primary().command("ZRANGE", KEYS.get(2), "0", "-1")).as("queue after %s", step)
				.isEqualTo(inOrder().stream().map(Place::instance).toList());
			assertThat(ModelledScripts.messages(redis)).as("messages after %s", step).isEqualTo(this.messages);
			assertThat(redis.keysWithoutTtl()).isEmpty();
		}

	}

	/**
	 * Who has the lock.
	 */
	private record Owner(String instance, String handle, long first, long last) {

		boolean isHeld() {
			return this.first > 0;
		}

		@Override
		public String toString() {
			return this.instance + " " + this.handle + (isHeld() ? " " + this.first + " " + this.last : "");
		}

	}

	/**
	 * Where an instance stands in the queue, and how it may be granted to.
	 */
	private record Place(String instance, long arrival, long deadline, String handle, long seen) {

		static final Comparator<Place> ORDER = Comparator.comparingLong(Place::arrival).thenComparing(Place::instance);

	}

}
