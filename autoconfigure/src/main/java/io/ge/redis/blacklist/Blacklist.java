/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.blacklist;

import io.ge.redis.blacklist.BlacklistEvent.Source;
import io.ge.redis.core.outage.OutagePolicy;

import org.springframework.util.Assert;

/**
 * The settings of one list.
 *
 * @param name the name; blocked subjects belong to it
 * @param onOutage what happens while Redis is away
 * @param clear what comes of a check that memory has answered, if nothing is known
 */
record Blacklist(String name, OutagePolicy onOutage, Verdict clear) {

	Blacklist(String name, OutagePolicy onOutage) {
		this(name, onOutage, Verdict.clear(name, Source.LOCAL));
	}

	Blacklist {
		Assert.hasText(name, "the name must not be blank.");
	}

}
