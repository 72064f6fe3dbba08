/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link CacheInventory}.
 */
class CacheInventoryTests {

	@Test
	void whatALaterReleaseTellsIsPassedOver() {
		CacheInventory inventory = CacheInventory.parse("1@host 3\nx words\ny\nc words hit=2\nw words done 5");
		assertThat(inventory.counts()).hasSize(1);
		assertThat(inventory.counts().get("words")).containsOnlyKeys("hit");
		assertThat(inventory.warmUps()).containsExactly(new CacheInventory.WarmUp("words", "done", 5));
	}

	@Test
	void instanceWithoutCachesTellsNothing() {
		assertThat(CacheInventory.parse("")).isNull();
	}

}
