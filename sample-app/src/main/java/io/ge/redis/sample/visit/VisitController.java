// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.visit;

import io.ge.redis.counter.UniqueCounters;
import io.ge.redis.sample.Inputs;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * Counts different visitors.
 */
@RestController
@RequestMapping("/api/visits")
class VisitController {

	/** The name of the counter in {@code application.yml}. */
	private static final String VISITS = "visits";

	/** As many as the counter is kept. */
	private static final int MOST_DAYS = 366;

	private final UniqueCounters counters;

	VisitController(UniqueCounters counters) {
		this.counters = counters;
	}

	@PostMapping
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void visit(@RequestBody Visit visit) {
		Inputs.checked(() -> this.counters.add(VISITS, visit.visitor()));
	}

	/**
	 * Who comes on several days counts once.
	 * @param days how many, with today
	 */
	@GetMapping
	Visitors count(@RequestParam(defaultValue = "7") int days) {
		return new Visitors(this.counters.count(VISITS, Inputs.requireRange("days", days, 1, MOST_DAYS)));
	}

	record Visit(String visitor) {

		Visit {
			Inputs.requireText("visitor", visitor);
		}

	}

	record Visitors(long unique) {

	}

}
