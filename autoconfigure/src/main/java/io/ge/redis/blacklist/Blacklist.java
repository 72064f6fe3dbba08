/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.blacklist;

import io.ge.redis.core.outage.OutagePolicy;

import org.springframework.util.Assert;

/**
 * The settings of one list.
 *
 * @param name the name; part of the keys of blocked subjects
 * @param onOutage what happens while Redis is away, {@code ALLOW} or {@code DENY}
 */
record Blacklist(String name, OutagePolicy onOutage) {

	Blacklist {
		Assert.hasText(name, "the name must not be blank.");
		Assert.isTrue(onOutage == OutagePolicy.ALLOW || onOutage == OutagePolicy.DENY,
				() -> "the outage policy " + onOutage + " has no meaning for a blacklist, which is ALLOW or DENY.");
	}

}
