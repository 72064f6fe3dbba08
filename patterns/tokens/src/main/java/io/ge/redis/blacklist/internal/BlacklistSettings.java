// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist.internal;

import io.ge.redis.blacklist.BlacklistEvent.Source;
import io.ge.redis.core.outage.OutagePolicy;

import org.springframework.util.Assert;

/**
 * The settings of one list.
 *
 * @param clear the decision of a check that memory has answered and that found nothing
 */
record BlacklistSettings(String name, OutagePolicy onOutage, BlacklistDecision clear) {

	public BlacklistSettings(String name, OutagePolicy onOutage) {
		this(name, onOutage, BlacklistDecision.clear(name, Source.LOCAL));
	}

	public BlacklistSettings {
		Assert.hasText(name, "the name must not be blank.");
	}

}
