// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.position;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * Shows positions.
 */
@RestController
class PositionController {

	private final PositionRepository positions;

	PositionController(PositionRepository positions) {
		this.positions = positions;
	}

	@GetMapping("/api/positions/{id}")
	Position position(@PathVariable String id) {
		return this.positions.find(id)
			.orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND, "Unknown position"));
	}

}
