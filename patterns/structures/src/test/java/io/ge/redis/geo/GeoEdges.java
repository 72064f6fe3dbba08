// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.geo;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Places and areas at the edges of the map, and the members that an area has by brute
 * force.
 */
final class GeoEdges {

	private static final double RADIUS = 6372.797560856;

	private static final double LATITUDE = 85.05112878;

	/** Positions are exact to 60 cm, and so are edges of areas. */
	private static final double EXACT = 0.0006;

	private GeoEdges() {
	}

	static GeoPoint point(Random random) {
		return new GeoPoint(edge(random, 180), edge(random, LATITUDE));
	}

	private static double edge(Random random, double most) {
		double beside = most - Math.pow(10, -7 * random.nextDouble()) * 10;
		double inside = (2 * random.nextDouble() - 1) * most;
		return List.of(most, -most, beside, -beside, inside, inside, 0.0).get(random.nextInt(7));
	}

	static double size(Random random) {
		double size = random.nextDouble() * 50_000;
		return List.of(0.0, 50_000.0, size, size * Math.pow(10, -6 * random.nextDouble()), size / 10)
			.get(random.nextInt(5));
	}

	/** Returns the latitude that an area reaches, on either side. */
	static double reaches(GeoPoint center, double km) {
		return Math.abs(center.latitude()) + Math.toDegrees(km / RADIUS) + 0.001;
	}

	static double km(GeoPoint from, GeoPoint to) {
		double latitudes = Math.sin(Math.toRadians(to.latitude() - from.latitude()) / 2);
		double longitudes = Math.sin(Math.toRadians(to.longitude() - from.longitude()) / 2);
		double sine = latitudes * latitudes + Math.cos(Math.toRadians(from.latitude()))
				* Math.cos(Math.toRadians(to.latitude())) * longitudes * longitudes;
		return 2 * RADIUS * Math.asin(Math.min(1, Math.sqrt(sine)));
	}

	/**
	 * Asserts that the members of an area were found.
	 * @param outside how far a place is outside the area, in kilometres
	 */
	static void compare(String search, List<GeoMember> found, Map<String, GeoPoint> members,
			ToDoubleFunction<GeoPoint> outside) {
		Set<String> wrong = found.stream().map(GeoMember::member).collect(Collectors.toCollection(HashSet::new));
		members.forEach((member, point) -> {
			double distance = outside.applyAsDouble(point);
			boolean known = wrong.remove(member);
			if ((distance > EXACT) ? known : (distance < -EXACT && !known)) {
				wrong.add(member);
			}
		});
		assertThat(wrong).as(search).isEmpty();
	}

}
