// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

import io.ge.redis.ratelimit.RateLimitExceededException;
import io.ge.redis.ratelimit.RateLimiter;
import io.github.bucket4j.BucketConfiguration;
import org.redisson.api.RRateLimiter;
import org.redisson.api.RateType;

/**
 * Rate limits: admitted by each algorithm and by several at once, denied by Redis and
 * from memory.
 */
final class RateLimitScenarios {

	private static final String PATTERN = "ratelimit";

	private static final String EXAMPLE = Keys.text(0);

	private static final String BUCKET4J = "Bucket4j";

	private static final String REDISSON = "Redisson RRateLimiter";

	/** Of the share of Bucket4j. */
	private static final double CALLS_BESIDE_BUCKET4J = 15;

	private static final double P99_BESIDE_BUCKET4J = 0.05;

	private static final double CALLS_BESIDE_REDISSON = 3;

	private static final double CALLS_BESIDE_RAW = 0.9;

	private final Instance instance;

	private final Guarded guarded;

	private final RawRedis raw;

	private final Monitor monitor;

	RateLimitScenarios(Instance instance, Monitor monitor) {
		this.instance = instance;
		this.guarded = instance.guarded();
		this.raw = instance.raw();
		this.monitor = monitor;
	}

	List<Scenario> all() throws Exception {
		return List.of(allowed(Keys.HOT), allowed(Keys.MANY), several(), denied(), deniedAgain());
	}

	private Scenario allowed(Keys keys) throws Exception {
		boolean hot = keys == Keys.HOT;
		Map<String, Contender.Action> algorithms = new LinkedHashMap<>();
		algorithms.put("SLIDING_WINDOW", hot ? this.guarded::admitOften : this.guarded::admit);
		algorithms.put("SLIDING_WINDOW_COUNTER",
				hot ? this.guarded::admitOftenByCounter : this.guarded::admitByCounter);
		algorithms.put("TOKEN_BUCKET", hot ? this.guarded::admitOftenByBucket : this.guarded::admitByBucket);
		algorithms.put("FIXED_WINDOW", hot ? this.guarded::admitOftenByFixed : this.guarded::admitByFixed);
		List<Contender> contenders = new ArrayList<>();
		contenders.add(Contender.ping(this.raw, rawName("SLIDING_WINDOW")));
		List<Contender> ours = new ArrayList<>();
		List<Goal> goals = new ArrayList<>();
		for (Map.Entry<String, Contender.Action> algorithm : algorithms.entrySet()) {
			String reference = rawName(algorithm.getKey());
			String name = "@RateLimited " + algorithm.getKey();
			RecordedCall call = record(algorithm.getValue());
			contenders.add(Contender.raw(reference, (key) -> admitted(call.send(this.raw, key))));
			ours.add(Contender.of(name, reference, algorithm.getValue()));
			goals.add(Goal.of(name, reference, CALLS_BESIDE_RAW));
			goals.addAll(besidePeers(name));
		}
		contenders.addAll(ours);
		int permits = hot ? 10_000 : 1000;
		Duration window = hot ? Duration.ofMillis(10) : Duration.ofMinutes(1);
		String prefix = hot ? "hot:" : "many:";
		contenders.addAll(peers(prefix, permits, window));
		Scenario scenario = new Scenario(PATTERN, hot ? "ratelimit-allowed-hot" : "ratelimit-allowed-many",
				"Rate limit, allowed, " + (hot ? "one hot key" : "many keys"),
				(hot ? "10,000 permits per 10 ms" : "1,000 permits per minute") + ": no call is refused.",
				List.of(keys), contenders, (count) -> setRates(prefix, hot ? 1 : count, permits, window));
		return hot ? scenario.reaching(goals) : scenario;
	}

	private static String rawName(String algorithm) {
		return "raw EVALSHA, " + algorithm;
	}

	private static List<Goal> besidePeers(String name) {
		return List.of(new Goal(name, BUCKET4J, CALLS_BESIDE_BUCKET4J, P99_BESIDE_BUCKET4J),
				Goal.of(name, REDISSON, CALLS_BESIDE_REDISSON));
	}

	private List<Contender> peers(String prefix, long permits, Duration window) {
		String reference = rawName("SLIDING_WINDOW");
		BucketConfiguration configuration = bucket4j(permits, window);
		return List.of(
				Contender.of(BUCKET4J, rawName("TOKEN_BUCKET"),
						(key) -> Scenarios.require(tryConsume(prefix + key, configuration))),
				Contender.of(REDISSON, reference, (key) -> Scenarios.require(limiter(prefix + key).tryAcquire())));
	}

	private void setRates(String prefix, int count, long permits, Duration window) throws Exception {
		Scenarios.forAll(count, (key) -> limiter(prefix + key).trySetRate(RateType.OVERALL, permits, window));
	}

	private Scenario several() throws Exception {
		RecordedCall three = record(this.guarded::admitThrice);
		RecordedCall one = record(this.guarded::admit);
		String reference = "raw EVALSHA, three limits";
		String single = "raw EVALSHA, one limit";
		BucketConfiguration configuration = BucketConfiguration.builder()
			.addLimit((limit) -> limit.capacity(1000).refillGreedy(1000, Duration.ofSeconds(1)))
			.addLimit((limit) -> limit.capacity(10_000).refillGreedy(10_000, Duration.ofMinutes(1)))
			.addLimit((limit) -> limit.capacity(100_000).refillGreedy(100_000, Duration.ofHours(1)))
			.build();
		return new Scenario(PATTERN, "ratelimit-several", "Rate limit, three limits on one call, allowed",
				"1,000 a second (SLIDING_WINDOW), 10,000 a minute (SLIDING_WINDOW_COUNTER) and 100,000 an hour "
						+ "(TOKEN_BUCKET), all or nothing. Redisson's limiters are asked one after the other: what the "
						+ "first took stays taken if another refuses.",
				List.of(Keys.MANY), List
					.of(Contender.ping(this.raw, reference),
							Contender.raw(reference, (key) -> admitted(three.send(this.raw, key))),
							Contender.raw(single, (key) -> admitted(one.send(this.raw, key))),
							Contender.of("@RateLimited, three limits", reference, this.guarded::admitThrice),
							Contender.of("@RateLimited, one limit", single, this.guarded::admit),
							Contender.of("Bucket4j, three bandwidths", reference,
									(key) -> Scenarios.require(tryConsume("several:" + key, configuration))),
							Contender.of("Redisson RRateLimiter, three", reference,
									(key) -> Scenarios.require(limiter("second:" + key).tryAcquire()
											&& limiter("minute:" + key).tryAcquire()
											&& limiter("hour:" + key).tryAcquire()))),
				(count) -> {
					setRates("second:", count, 1000, Duration.ofSeconds(1));
					setRates("minute:", count, 10_000, Duration.ofMinutes(1));
					setRates("hour:", count, 100_000, Duration.ofHours(1));
				});
	}

	private Scenario denied() throws Exception {
		RecordedCall call = record((key) -> this.guarded.spend(key, 1));
		String reference = "raw EVALSHA";
		return new Scenario(PATTERN, "ratelimit-denied", "Rate limit, denied by Redis",
				"1,000 permits per hour, taken before. Each call asks for a number of permits that was not refused "
						+ "lately, so Redis decides on it; the annotated method throws, the peers return `false`.",
				List.of(Keys.HOT),
				List.of(Contender.ping(this.raw, reference),
						Contender.raw(reference, (key) -> refused(call.send(this.raw, key))),
						Contender.of("@RateLimited", reference, (key) -> Scenarios.require(isRefusedAnew(key))),
						bucket4jOnce(reference), redissonOnce(reference)),
				(count) -> {
					// One was taken when the call was recorded
					this.guarded.spend(EXAMPLE, Guarded.SPENT - 1);
					spendOthers();
				});
	}

	private Scenario deniedAgain() throws Exception {
		RecordedCall call = record(this.guarded::admitOnce);
		RateLimiter limiter = this.instance.get(RateLimiter.class);
		String reference = "raw EVALSHA";
		return new Scenario(PATTERN, "ratelimit-denied-again", "Rate limit, denied again",
				"One permit per hour, taken before, and refused once before: from then on the refusal is known on the "
						+ "instance, and Redis is not asked. The raw script and the peers ask it each time.",
				List.of(Keys.HOT),
				List.of(Contender.ping(this.raw, reference),
						Contender.raw(reference, (key) -> refused(call.send(this.raw, key))),
						Contender.of("@RateLimited, exception", reference, (key) -> Scenarios.require(isRefused(key))),
						Contender.of("@RateLimited, fallback", reference,
								(key) -> Scenarios.require(this.guarded.admitOnceElse(key) == null)),
						Contender.of("@RateLimited's twin RateLimiter", reference,
								(key) -> Scenarios.require(!limiter.tryAcquire("once", key).isAllowed())),
						bucket4jOnce(reference), redissonOnce(reference)),
				(count) -> {
					isRefused(EXAMPLE);
					this.guarded.admitOnceElse(EXAMPLE);
					spendOthers();
				});
	}

	private boolean isRefusedAnew(String key) {
		try {
			this.guarded.spend(key, ThreadLocalRandom.current().nextLong(1, Guarded.SPENT + 1));
			return false;
		}
		catch (RateLimitExceededException ex) {
			return true;
		}
	}

	private boolean isRefused(String key) {
		try {
			this.guarded.admitOnce(key);
			return false;
		}
		catch (RateLimitExceededException ex) {
			return true;
		}
	}

	private Contender bucket4jOnce(String reference) {
		BucketConfiguration configuration = bucket4j(1, Duration.ofHours(1));
		return Contender.of(BUCKET4J, reference, (key) -> Scenarios.require(!tryConsume("once:" + key, configuration)));
	}

	private Contender redissonOnce(String reference) {
		RRateLimiter limiter = limiter("once");
		return Contender.of(REDISSON, reference, (key) -> Scenarios.require(!limiter.tryAcquire()));
	}

	private void spendOthers() {
		limiter("once").trySetRate(RateType.OVERALL, 1, Duration.ofHours(1));
		limiter("once").tryAcquire();
		tryConsume("once:" + EXAMPLE, bucket4j(1, Duration.ofHours(1)));
	}

	private RRateLimiter limiter(String name) {
		return this.instance.redisson().getRateLimiter(name);
	}

	private boolean tryConsume(String key, BucketConfiguration configuration) {
		byte[] name = ("b4j:" + key).getBytes(StandardCharsets.UTF_8);
		return this.instance.buckets().getProxy(name, () -> configuration).tryConsume(1);
	}

	static BucketConfiguration bucket4j(long permits, Duration period) {
		return BucketConfiguration.builder()
			.addLimit((limit) -> limit.capacity(permits).refillGreedy(permits, period))
			.build();
	}

	/**
	 * Records the script of a call that is admitted: it is the same for one that is not,
	 * and a refusal that is known would send nothing.
	 */
	private RecordedCall record(Contender.Action action) throws Exception {
		// The server learns the script first
		action.call(Keys.text(1));
		return RecordedCall.of(this.monitor, EXAMPLE, () -> action.call(EXAMPLE)).get(0);
	}

	private static Object admitted(List<?> reply) {
		return Scenarios.require(Scenarios.number(reply, 0) == 1);
	}

	private static Object refused(List<?> reply) {
		return Scenarios.require(Scenarios.number(reply, 0) == 0);
	}

}
