// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.desk;

import java.util.List;

import io.ge.redis.geo.GeoIndexes;
import io.ge.redis.geo.GeoMember;
import io.ge.redis.geo.GeoPoint;
import io.ge.redis.sample.Inputs;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * Finds desks that are near.
 */
@RestController
class DeskController {

	/** The name of the index in {@code application.yml}. */
	private static final String DESKS = "desks";

	private static final int MOST_DESKS = 1000;

	private final GeoIndexes indexes;

	DeskController(GeoIndexes indexes) {
		this.indexes = indexes;
	}

	@PutMapping("/api/desks/{name}")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void put(@PathVariable String name, @RequestBody Place place) {
		Inputs.checked(() -> this.indexes.put(DESKS, name, new GeoPoint(place.longitude(), place.latitude())));
	}

	@GetMapping("/api/desks")
	List<NearDesk> near(@RequestParam double longitude, @RequestParam double latitude, @RequestParam double radiusKm) {
		return Inputs
			.checked(() -> this.indexes.nearest(DESKS, new GeoPoint(longitude, latitude), radiusKm, MOST_DESKS))
			.stream()
			.map(NearDesk::of)
			.toList();
	}

	record Place(Double longitude, Double latitude) {

		Place {
			Inputs.requireNumber("longitude", longitude);
			Inputs.requireNumber("latitude", latitude);
		}

	}

	record NearDesk(String name, double km) {

		static NearDesk of(GeoMember member) {
			return new NearDesk(member.member(), member.km());
		}

	}

}
