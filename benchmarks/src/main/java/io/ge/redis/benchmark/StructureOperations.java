// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Stream;

import io.ge.redis.Window;
import io.ge.redis.benchmark.report.Chart;
import io.ge.redis.benchmark.report.Table;
import io.ge.redis.bloom.BloomFilters;
import io.ge.redis.counter.UniqueCounters;
import io.ge.redis.geo.GeoIndexes;
import io.ge.redis.geo.GeoPoint;
import io.ge.redis.hash.HashStore;
import io.ge.redis.leaderboard.Leaderboards;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RBloomFilter;
import org.redisson.api.RGeo;
import org.redisson.api.RHyperLogLog;
import org.redisson.api.RMap;
import org.redisson.api.RScoredSortedSet;
import org.redisson.api.RedissonClient;
import org.redisson.api.geo.GeoOrder;
import org.redisson.api.geo.GeoSearchArgs;
import org.redisson.api.geo.GeoUnit;
import org.redisson.client.codec.StringCodec;

import org.springframework.data.geo.Distance;
import org.springframework.data.geo.Point;
import org.springframework.data.redis.connection.RedisGeoCommands.DistanceUnit;
import org.springframework.data.redis.connection.RedisGeoCommands.GeoSearchCommandArgs;
import org.springframework.data.redis.core.GeoOperations;
import org.springframework.data.redis.core.HashOperations;
import org.springframework.data.redis.core.HyperLogLogOperations;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.ZSetOperations;
import org.springframework.data.redis.domain.geo.GeoReference;

/**
 * The operations of structures beside those of Redisson and Spring Data, and calls that
 * are made together.
 */
final class StructureOperations {

	static final String OPERATIONS = "structures-operations";

	static final String PIPELINING = "structures-pipelining";

	private static final double GOAL = 0.95;

	private static final double RADIUS_KM = 50;

	private static final int NEAREST = 10;

	private static final int TOGETHER = 100;

	/** What all definitions and keys are called. */
	private static final String NAME = "bench";

	private static final Map<String, String> STATE = Map.of("status", "working", "task", "GE-42", "model", "large");

	private static final Set<String> FIELDS = Set.of("status", "task");

	private final Size size;

	private final Leaderboards leaderboards;

	private final UniqueCounters counters;

	private final BloomFilters filters;

	private final GeoIndexes places;

	private final HashStore objects;

	private final RedissonClient redisson;

	private final RScoredSortedSet<String> scores;

	private final RHyperLogLog<String> unique;

	private final RBloomFilter<String> bloom;

	private final RGeo<String> geo;

	private final StringRedisTemplate template;

	private final ZSetOperations<String, String> springScores;

	private final HyperLogLogOperations<String, String> springUnique;

	private final GeoOperations<String, String> springGeo;

	private final HashOperations<String, String, String> springHashes;

	StructureOperations(Size size, Instance instance) {
		this.size = size;
		this.leaderboards = instance.get(Leaderboards.class);
		this.counters = instance.get(UniqueCounters.class);
		this.filters = instance.get(BloomFilters.class);
		this.places = instance.get(GeoIndexes.class);
		this.objects = instance.get(HashStore.class);
		this.redisson = instance.redisson();
		this.scores = this.redisson.getScoredSortedSet("redisson:scores", StringCodec.INSTANCE);
		this.unique = this.redisson.getHyperLogLog("redisson:unique", StringCodec.INSTANCE);
		this.bloom = this.redisson.getBloomFilter("redisson:bloom", StringCodec.INSTANCE);
		this.geo = this.redisson.getGeo("redisson:geo", StringCodec.INSTANCE);
		this.template = instance.template();
		this.springScores = this.template.opsForZSet();
		this.springUnique = this.template.opsForHyperLogLog();
		this.springGeo = this.template.opsForGeo();
		this.springHashes = this.template.opsForHash();
	}

	// One by one

	Table operations() throws Exception {
		List<Operation> operations = all();
		this.bloom.tryInit(StructureAtScale.MEMBERS, StructureAtScale.ERROR_RATE);
		// Fills all of them, and warms up
		for (Operation operation : operations) {
			for (Contender contender : operation.contenders()) {
				Scenarios.forAll(this.size.keys(), contender.action());
			}
		}
		Rotation rotation = new Rotation(this.size);
		List<List<String>> rows = new ArrayList<>();
		List<Map<String, Object>> data = new ArrayList<>();
		List<Chart.Group> groups = new ArrayList<>();
		for (int threads : this.size.threads()) {
			List<Chart.Bar> bars = new ArrayList<>();
			for (Operation operation : operations) {
				Map<Contender, List<Sample>> samples = rotation.run(operation.contenders(), Keys.MANY, threads);
				Spread ratio = compare(operation, threads, samples, rows, data);
				bars.add(new Chart.Bar(operation.name(), ratio.low(), ratio.median(), ratio.high(), true));
			}
			groups.add(new Chart.Group((threads == 1) ? "1 caller" : threads + " callers", bars));
		}
		String title = "Structures, operations beside their peers";
		return new Table(OPERATIONS, title,
				"Beside the best peer of each row. Nothing expires, as with the peers. Where an answer of ours takes a "
						+ "peer several commands, it sends them one after the other. \"bare\" is the peer's one "
						+ "command that answers less than ours. Spring Data has no Bloom filter.",
				List.of("", "callers", "calls/s, x best", "at least", "reached", "best", "calls/s, ours", "Redisson",
						"Spring Data", "p99 µs, ours", "p99 µs, best"),
				rows, new Chart(title, "calls per second, as a multiple of the best peer (dashed)", 1, groups), data);
	}

	private static Spread compare(Operation operation, int threads, Map<Contender, List<Sample>> samples,
			List<List<String>> rows, List<Map<String, Object>> data) {
		List<Contender> contenders = operation.contenders();
		List<Sample> own = samples(samples, contenders.get(0));
		Contender best = contenders.stream()
			.skip(1)
			.max(Comparator.comparingDouble((peer) -> callsPerSecond(samples(samples, peer))))
			.orElseThrow();
		List<Sample> besides = samples(samples, best);
		Spread ratio = Spread.ofRatios(own, besides, Sample::callsPerSecond);
		String spring = (contenders.size() > 2) ? calls(samples(samples, contenders.get(2))) : "-";
		rows.add(List.of(operation.name(), String.valueOf(threads), Comparison.format(ratio), String.valueOf(GOAL),
				(ratio.median() >= GOAL) ? "yes" : "no", best.name(), calls(own),
				calls(samples(samples, contenders.get(1))), spring, p99(own), p99(besides)));
		samples.forEach((contender, rounds) -> {
			Map<String, Object> entry = new LinkedHashMap<>();
			entry.put("operation", operation.name());
			entry.put("callers", threads);
			entry.put("contender", contender.name());
			entry.put("goal", GOAL);
			entry.put("oursToIt", Spread.ofRatios(own, rounds, Sample::callsPerSecond));
			entry.put("rounds", rounds);
			data.add(entry);
		});
		return ratio;
	}

	private static List<Sample> samples(Map<Contender, List<Sample>> samples, Contender contender) {
		return Objects.requireNonNull(samples.get(contender));
	}

	private static double callsPerSecond(List<Sample> samples) {
		return Spread.of(samples, Sample::callsPerSecond).median();
	}

	private static String calls(List<Sample> samples) {
		return Comparison.format("%,.0f", callsPerSecond(samples));
	}

	private static String p99(List<Sample> samples) {
		return Comparison.format("%,.0f", Spread.of(samples, Sample::p99Nanos).median() / 1000);
	}

	private List<Operation> all() {
		GeoSearchCommandArgs nearest = GeoSearchCommandArgs.newGeoSearchArgs()
			.includeCoordinates()
			.includeDistance()
			.sortAscending()
			.limit(NEAREST);
		return List.of(
				Operation.of("leaderboard add", (key) -> this.leaderboards.add(NAME, key, score(key)),
						(key) -> this.scores.addScore(key, score(key)),
						(key) -> this.springScores.incrementScore(NAME, key, score(key))),
				Operation.of("leaderboard top 10", (key) -> this.leaderboards.top(NAME, Window.NONE, 10),
						(key) -> this.scores.entryRangeReversed(0, 9),
						(key) -> this.springScores.reverseRangeWithScores(NAME, 0, 9)),
				Operation.of("leaderboard around 2", (key) -> this.leaderboards.around(NAME, Window.NONE, key, 2),
						(key) -> {
							int rank = this.scores.revRank(key);
							return this.scores.entryRangeReversed(Math.max(0, rank - 2), rank + 2);
						}, (key) -> {
							long rank = Objects.requireNonNull(this.springScores.reverseRank(NAME, key));
							return this.springScores.reverseRangeWithScores(NAME, Math.max(0, rank - 2), rank + 2);
						}),
				Operation.of("leaderboard rank", (key) -> this.leaderboards.rank(NAME, Window.NONE, key),
						(key) -> this.scores.getScore(key) + this.scores.revRank(key), (key) -> {
							this.springScores.score(NAME, key);
							return this.springScores.reverseRank(NAME, key);
						}),
				Operation.of("leaderboard percentile", (key) -> this.leaderboards.percentile(NAME, Window.NONE, key),
						(key) -> this.scores.revRank(key) + this.scores.size(), (key) -> {
							this.springScores.reverseRank(NAME, key);
							return this.springScores.size(NAME);
						}),
				Operation.of("leaderboard rank, bare", (key) -> this.leaderboards.rank(NAME, Window.NONE, key),
						this.scores::revRank, (key) -> this.springScores.reverseRank(NAME, key)),
				Operation.of("unique counter add", (key) -> this.counters.add(NAME, key), this.unique::add,
						(key) -> this.springUnique.add("unique", key)),
				Operation.of("unique counter count", (key) -> this.counters.count(NAME), (key) -> this.unique.count(),
						(key) -> this.springUnique.size("unique")),
				Operation.of("Bloom filter add", (key) -> this.filters.add(NAME, key), this.bloom::add, null),
				Operation.of("Bloom filter check", (key) -> Scenarios.require(this.filters.mightContain(NAME, key)),
						(key) -> Scenarios.require(this.bloom.contains(key)), null),
				Operation.of("geo put", (key) -> this.places.put(NAME, key, place(key)),
						(key) -> this.geo.add(place(key).longitude(), place(key).latitude(), key),
						(key) -> this.springGeo.add("geo", point(key), key)),
				Operation.of("geo nearest 10", (key) -> this.places.nearest(NAME, place(key), RADIUS_KM, NEAREST),
						(key) -> this.geo
							.searchWithDistance(GeoSearchArgs.from(place(key).longitude(), place(key).latitude())
								.radius(RADIUS_KM, GeoUnit.KILOMETERS)
								.order(GeoOrder.ASC)
								.count(NEAREST)),
						(key) -> this.springGeo.search("geo", GeoReference.fromCoordinate(point(key)),
								new Distance(RADIUS_KM, DistanceUnit.KILOMETERS), nearest)),
				Operation.of("hash put", (key) -> this.objects.put(NAME, key, STATE), (key) -> {
					map(key).putAll(STATE);
					return key;
				}, (key) -> {
					this.springHashes.putAll(springKey(key), STATE);
					return key;
				}), Operation.of("hash get", (key) -> this.objects.get(NAME, key, Map.class, "status", "task"),
						(key) -> map(key).getAll(FIELDS), (key) -> this.springHashes.multiGet(springKey(key), FIELDS)));
	}

	private RMap<String, String> map(String key) {
		return this.redisson.getMap("redisson:" + key, StringCodec.INSTANCE);
	}

	private static String springKey(String key) {
		return "spring:" + key;
	}

	private static int score(String key) {
		return Math.floorMod(key.hashCode(), 1000);
	}

	/** Ten by ten degrees. */
	private static GeoPoint place(String key) {
		int hash = key.hashCode();
		return new GeoPoint(5 + Math.floorMod(hash * 31, 1009) / 100.9,
				45 + Math.floorMod(hash / 1009 * 17, 1013) / 101.3);
	}

	private static Point point(String key) {
		GeoPoint place = place(key);
		return new Point(place.longitude(), place.latitude());
	}

	// Together

	Table pipelining() throws Exception {
		Scenarios.forAll(this.size.keys(), (key) -> {
			map(key).putAll(STATE);
			this.springHashes.putAll(springKey(key), STATE);
			return this.objects.put(NAME, key, STATE);
		});
		String one = "1 read";
		List<Contender> contenders = List.of(
				Contender.of(one, one, (key) -> this.objects.get(NAME, key, Map.class, "status", "task")),
				Contender.of(TOGETHER + " getAsync together", one,
						(key) -> together((other) -> this.objects.getAsync(NAME, other, Map.class, "status", "task"))),
				Contender.of(TOGETHER + " reads, one after the other", one, (key) -> {
					keys().forEach((other) -> this.objects.get(NAME, other, Map.class, "status", "task"));
					return key;
				}),
				Contender.of("Redisson, " + TOGETHER + " getAllAsync together", one,
						(key) -> together((other) -> map(other).getAllAsync(FIELDS))),
				Contender.of("Spring Data, " + TOGETHER + " in executePipelined", one, (key) -> springPipelined()));
		Scenarios.forAll(this.size.keys(), contenders.get(0).action());
		Map<Contender, List<Sample>> samples = new Rotation(this.size).run(contenders, Keys.MANY, 1);
		List<List<String>> rows = new ArrayList<>();
		List<Map<String, Object>> data = new ArrayList<>();
		List<Chart.Bar> bars = new ArrayList<>();
		List<Sample> reference = samples(samples, contenders.get(0));
		samples.forEach((contender, rounds) -> {
			Spread ratio = Spread.ofRatios(rounds, reference, Sample::medianNanos);
			rows.add(List.of(contender.name(), Comparison.format(ratio),
					Comparison.format("%,.0f", Spread.of(rounds, Sample::medianNanos).median() / 1000), p99(rounds)));
			data.add(Map.of("contender", contender.name(), "ratio", ratio, "rounds", rounds));
			bars.add(new Chart.Bar(contender.name(), ratio.low(), ratio.median(), ratio.high(),
					contender.name().contains("getAsync")));
		});
		String title = "Structures, calls made together";
		return new Table(PIPELINING, title,
				"One thread reads two fields of each of " + TOGETHER + " objects. Over loopback a round trip is short, "
						+ "so what remains is the work of client and server; they share the machine.",
				List.of("", "time, x 1 read", "p50 µs", "p99 µs"), rows,
				new Chart(title, "median time, as a multiple of one read (dashed)", 1,
						List.of(new Chart.Group("1 caller", bars))),
				data);
	}

	private List<String> keys() {
		return Stream.generate(() -> Keys.MANY.next(0, 1, this.size.keys())).limit(TOGETHER).toList();
	}

	private @Nullable Object together(Function<String, CompletionStage<?>> read) {
		return CompletableFuture.allOf(
				keys().stream().map(read).map(CompletionStage::toCompletableFuture).toArray(CompletableFuture[]::new))
			.join();
	}

	private Object springPipelined() {
		byte[][] fields = FIELDS.stream().map(StructureOperations::bytes).toArray(byte[][]::new);
		return this.template.executePipelined((RedisCallback<@Nullable Object>) (connection) -> {
			keys().forEach((key) -> connection.hashCommands().hMGet(bytes(springKey(key)), fields));
			return null;
		});
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * What is done, by whom.
	 *
	 * @param name what the table calls it
	 * @param contenders ours, Redisson, and Spring Data if it has it
	 */
	private record Operation(String name, List<Contender> contenders) {

		static Operation of(String name, Contender.Action ours, Contender.Action redisson,
				Contender.@Nullable Action spring) {
			List<Contender> contenders = new ArrayList<>(
					List.of(Contender.of("GE Redis", name, ours), Contender.of("Redisson", name, redisson)));
			if (spring != null) {
				contenders.add(Contender.of("Spring Data", name, spring));
			}
			return new Operation(name, contenders);
		}

	}

}
