// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark;

import java.util.List;

/**
 * Contenders that do the same, so that they can be compared.
 *
 * @param pattern the pattern
 * @param id the name of the table's files
 * @param title the heading of the table
 * @param note what to know when reading it
 * @param keys which keys are used, one after the other
 * @param contenders a PING, scripts without the library, the library, peers
 * @param preparation run once for all keys before anything is measured
 * @param goals what is to be reached with the largest number of callers
 */
record Scenario(String pattern, String id, String title, String note, List<Keys> keys, List<Contender> contenders,
		Preparation preparation, List<Goal> goals) {

	static final Preparation NOTHING = (count) -> {
	};

	Scenario(String pattern, String id, String title, String note, List<Keys> keys, List<Contender> contenders,
			Preparation preparation) {
		this(pattern, id, title, note, keys, contenders, preparation, List.of());
	}

	Scenario reaching(List<Goal> goals) {
		return new Scenario(this.pattern, this.id, this.title, this.note, this.keys, this.contenders, this.preparation,
				goals);
	}

	/**
	 * Puts the keys into the state that the calls need.
	 */
	@FunctionalInterface
	interface Preparation {

		void prepare(int keys) throws Exception;

	}

}
