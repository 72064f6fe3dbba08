// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.scenario;

import java.util.ArrayList;
import java.util.List;

import io.ge.redis.test.instance.Instance;

/**
 * The instances that take part in a round.
 */
@FunctionalInterface
public interface Fleet {

	/**
	 * Starts what does not run yet.
	 * @return the instances
	 */
	List<Instance> start();

	/**
	 * Both together.
	 * @param other further instances
	 * @return all
	 */
	default Fleet and(Fleet other) {
		return () -> {
			List<Instance> all = new ArrayList<>(start());
			all.addAll(other.start());
			return all;
		};
	}

}
