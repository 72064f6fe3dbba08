// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.geo;

import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;

import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.structure.Bound;
import io.ge.redis.core.structure.StructureContract;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

/**
 * The promises of geo indexes.
 */
abstract class GeoIndexesContract extends StructureContract {

	private static final GeoPoint BERLIN = new GeoPoint(13.405, 52.52);

	private static final GeoPoint POTSDAM = new GeoPoint(13.0645, 52.3906);

	private static final GeoPoint PARIS = new GeoPoint(2.3522, 48.8566);

	private static final GeoPoint AUCKLAND = new GeoPoint(174.7633, -36.8485);

	private static final long SEED = 37;

	private GeoIndexes indexes;

	@BeforeEach
	void assemble() {
		this.indexes = indexes(backend());
	}

	private static GeoIndexes indexes(RedisBackend backend) {
		GeoProperties properties = Bound.of(GeoProperties.class, "ge.redis.geo.indexes", "desks.ttl", "1h", "short.ttl",
				"500ms", "permanent.permanent", "true");
		return new RedisGeoIndexes(properties, backend);
	}

	@Override
	protected List<Operation> operations(RedisBackend backend) {
		return operations(backend, "desks");
	}

	@Override
	protected List<Operation> operations(RedisBackend backend, String name) {
		GeoIndexes indexes = indexes(backend);
		return List.of(
				new Operation("put", () -> indexes.putAsync(name, "a", BERLIN), () -> indexes.put(name, "a", BERLIN)),
				new Operation("put again", () -> indexes.putAsync(name, "a", BERLIN),
						() -> indexes.put(name, "a", BERLIN)),
				new Operation("putAll", () -> indexes.putAllAsync(name, Map.of("a", BERLIN)),
						() -> indexes.putAll(name, Map.of("a", BERLIN))),
				new Operation("position", () -> indexes.positionAsync(name, "a"), () -> indexes.position(name, "a")),
				new Operation("nearest", () -> indexes.nearestAsync(name, POTSDAM, 100, 5),
						() -> indexes.nearest(name, POTSDAM, 100, 5)),
				new Operation("inBox", () -> indexes.inBoxAsync(name, POTSDAM, 100, 100, 5),
						() -> indexes.inBox(name, POTSDAM, 100, 100, 5)),
				new Operation("remove", () -> indexes.removeAsync(name, "a"), () -> indexes.remove(name, "a")));
	}

	@Override
	protected List<Operation> writes(RedisBackend backend, String property, String value) {
		GeoProperties properties = Bound.of(GeoProperties.class, "ge.redis.geo.indexes", "permanent." + property,
				value);
		GeoIndexes indexes = new RedisGeoIndexes(properties, backend);
		return List.of(write("put", () -> indexes.put("permanent", "a", BERLIN)),
				write("put again", () -> indexes.put("permanent", "a", PARIS)),
				write("putAll", () -> indexes.putAll("permanent", Map.of("a", PARIS))));
	}

	@Override
	protected String key() {
		return "ge:geo:{desks}";
	}

	private static List<String> names(List<GeoMember> members) {
		return members.stream().map(GeoMember::member).toList();
	}

	@Test
	void findsTheNearestFirst() {
		this.indexes.put("desks", "paris", PARIS);
		this.indexes.put("desks", "auckland", AUCKLAND);
		this.indexes.put("desks", "potsdam", POTSDAM);
		this.indexes.put("desks", "berlin", BERLIN);
		List<GeoMember> found = this.indexes.nearest("desks", BERLIN, 100, 10);
		assertThat(names(found)).containsExactly("berlin", "potsdam");
		assertThat(found.get(1).km()).isCloseTo(27.2, within(0.5));
		assertThat(found.get(1).point().longitude()).isCloseTo(POTSDAM.longitude(), within(0.0001));
		assertThat(names(this.indexes.nearest("desks", BERLIN, 25_000, 10))).containsExactly("berlin", "potsdam",
				"paris", "auckland");
		assertThat(names(this.indexes.nearest("desks", BERLIN, 25_000, 1))).containsExactly("berlin");
		assertThat(names(this.indexes.inBox("desks", BERLIN, 60, 20, 10))).containsExactly("berlin");
		assertThat(names(this.indexes.inBox("desks", BERLIN, 60, 60, 10))).containsExactly("berlin", "potsdam");
		assertThat(this.indexes.nearest("short", BERLIN, 25_000, 10)).isEmpty();
	}

	@Test
	void putsManyMembersWithOneCommand() {
		Map<String, GeoPoint> points = new LinkedHashMap<>();
		IntStream.range(0, 100).forEach((i) -> points.put("m" + i, new GeoPoint(i, 0)));
		this.indexes.put("desks", "m7", PARIS);
		Set<String> all = new LinkedHashSet<>(points.keySet());
		all.remove("m7");
		assertThat(this.indexes.putAll("desks", points)).containsExactlyElementsOf(all);
		assertThat(scriptsOf(() -> assertThat(this.indexes.putAll("desks", points)).isEmpty())).isOne();
		assertThat(names(this.indexes.nearest("desks", new GeoPoint(7, 0), 50, 10))).containsExactly("m7");
		assertThat(redis().keysWithoutTtl()).isEmpty();
	}

	@Test
	void refusesBadBulks() {
		refusesBadBulks((members) -> {
			Map<String, GeoPoint> points = new LinkedHashMap<>();
			members.forEach((member) -> points.put(member, PARIS));
			this.indexes.putAll("desks", points);
		});
		refuses("point must not be null, is for 'a'",
				() -> this.indexes.putAll("desks", Collections.singletonMap("a", null)));
		refuses("points must not be null", () -> this.indexes.putAll("desks", null));
		assertThat(keys()).isEmpty();
	}

	@Test
	void movesAndRemovesMembers() {
		assertThat(this.indexes.put("desks", "a", BERLIN)).isTrue();
		assertThat(this.indexes.put("desks", "a", PARIS)).isFalse();
		assertThat(this.indexes.position("desks", "a").orElseThrow().latitude()).isCloseTo(PARIS.latitude(),
				within(0.0001));
		assertThat(this.indexes.remove("desks", "a")).isTrue();
		assertThat(this.indexes.remove("desks", "a")).isFalse();
		assertThat(this.indexes.position("desks", "a")).isEmpty();
		assertThat(keys()).isEmpty();
	}

	@Test
	void forgetsMembersThatAreNotPutAgain() {
		this.indexes.put("short", "gone", BERLIN);
		await().until(() -> {
			// Keeps the index, so that the member does not just go with it
			this.indexes.put("short", "kept", POTSDAM);
			return names(this.indexes.nearest("short", BERLIN, 100, 1)).equals(List.of("kept"));
		});
		assertThat(this.indexes.position("short", "gone")).isEmpty();
		assertThat(this.indexes.put("short", "gone", BERLIN)).isTrue();
	}

	@Test
	void keepsThePromiseToMembersThatWereToExpire() {
		GeoIndexes indexes = this.indexes;
		indexes.put("permanent", "kept", BERLIN);
		GeoProperties before = Bound.of(GeoProperties.class, "ge.redis.geo.indexes", "permanent.ttl", "500ms");
		GeoIndexes expiring = new RedisGeoIndexes(before, backend());
		expiring.put("permanent", "put again", PARIS);
		expiring.put("permanent", "gone", POTSDAM);
		assertThat(indexes.put("permanent", "put again", PARIS)).isFalse();
		assertThat(redis().keysWithoutTtl()).containsExactlyInAnyOrder("ge:geo:{permanent}",
				"ge:geo:{permanent}:expiry");
		assertThat(names(indexes.nearest("permanent", BERLIN, 100, 5))).containsExactly("kept", "gone");
		await().untilAsserted(() -> assertThat(names(indexes.nearest("permanent", BERLIN, 25_000, 5)))
			.containsExactly("kept", "put again"));
		assertThat(redis().keysWithoutTtl()).containsExactly("ge:geo:{permanent}");
		forgetPermanent();
	}

	@Test
	void membersStayForTheirOwnTimeBesideShorterOnes() {
		this.indexes.put("desks", "kept", BERLIN);
		GeoProperties shorter = Bound.of(GeoProperties.class, "ge.redis.geo.indexes", "desks.ttl", "300ms");
		new RedisGeoIndexes(shorter, backend()).put("desks", "gone", POTSDAM);
		await().untilAsserted(
				() -> assertThat(names(this.indexes.nearest("desks", BERLIN, 100, 5))).containsExactly("kept"));
		assertThat(this.indexes.put("desks", "kept", BERLIN)).isFalse();
	}

	@Test
	void findsAllThatIsThereAlsoAtTheEdges() {
		Random random = new Random(SEED);
		Map<String, GeoPoint> members = new HashMap<>();
		for (int i = 0; i < 300; i++) {
			GeoPoint point = GeoEdges.point(random);
			this.indexes.putAsync("desks", "m" + i, point).join();
			members.put("m" + i, point);
		}
		members.replaceAll((member, point) -> {
			GeoPoint stored = this.indexes.position("desks", member).orElseThrow();
			assertThat(GeoEdges.km(point, stored)).as("%s of seed %s", point, SEED).isLessThan(0.0006);
			return stored;
		});
		for (int i = 0; i < 400; i++) {
			GeoPoint center = GeoEdges.point(random);
			double width = GeoEdges.size(random);
			double height = GeoEdges.size(random);
			String search = "%s km by %s km around %s with seed %s".formatted(width, height, center, SEED);
			double radius = width / 2;
			GeoEdges.compare("radius of " + search, this.indexes.nearest("desks", center, radius, 1000), members,
					(point) -> GeoEdges.km(center, point) - radius);
			if (GeoEdges.reaches(center, height / 2) > 90 && Math.max(width, height) < 10_020) {
				refuses("reaches beyond a pole", () -> this.indexes.inBox("desks", center, width, height, 1000));
			}
			else {
				GeoEdges.compare(search, this.indexes.inBox("desks", center, width, height, 1000), members,
						(point) -> Math.max(
								GeoEdges.km(new GeoPoint(center.longitude(), point.latitude()), point) - width / 2,
								GeoEdges.km(center, new GeoPoint(center.longitude(), point.latitude())) - height / 2));
			}
		}
	}

	@Test
	void findsTheNearestOverThePole() {
		GeoPoint center = new GeoPoint(0, -85.0511275);
		this.indexes.put("desks", "beside", new GeoPoint(-21.7017, -81.8241));
		this.indexes.put("desks", "here", center);
		this.indexes.put("desks", "beyond", new GeoPoint(180, -84));
		assertThat(names(this.indexes.nearest("desks", center, 624.55, 10))).containsExactly("here", "beside");
		assertThat(names(this.indexes.nearest("desks", center, 1300, 2))).containsExactly("here", "beside");
		assertThat(names(this.indexes.nearest("desks", center, 1300, 10))).containsExactly("here", "beside", "beyond");
	}

	@Test
	void refusesWhatCannotWork() {
		refuses("reaches beyond a pole. Lower heightKm, or search by radius",
				() -> this.indexes.inBox("desks", new GeoPoint(0, 85), 100, 1200, 1));
		refuses("member must be text", () -> this.indexes.put("desks", "\ud800", BERLIN));
		refuses("longitude must be from -180.0 to 180.0, was 180.1", () -> new GeoPoint(180.1, 0));
		refuses("latitude must be from -85.05112878 to 85.05112878, was 90.0", () -> new GeoPoint(0, 90));
		refuses("latitude must be from", () -> new GeoPoint(0, Double.NaN));
		refuses("radiusKm must be from 0.0 to 25000.0", () -> this.indexes.nearest("desks", BERLIN, -1, 1));
		refuses("widthKm must be from", () -> this.indexes.inBox("desks", BERLIN, Double.NaN, 1, 1));
		refuses("heightKm must be from", () -> this.indexes.inBox("desks", BERLIN, 1, 50_001, 1));
		refuses("limit must be from 1 to 1000", () -> this.indexes.nearest("desks", BERLIN, 1, 0));
		refuses("member must have from 1 to 200 bytes", () -> this.indexes.put("desks", "", BERLIN));
		refuses("member must have from 1 to 200 bytes", () -> this.indexes.position("desks", ""));
		refuses("member must have from 1 to 200 bytes", () -> this.indexes.remove("desks", ""));
		assertThat(keys()).isEmpty();
	}

}
