/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.engine;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link CacheBacklog}.
 */
class CacheBacklogTests {

	private final CacheBacklog backlog = new CacheBacklog();

	private final Set<CacheKey> over = new HashSet<>();

	private final Set<CacheKey> away = new HashSet<>();

	private final List<CacheKey> asked = new ArrayList<>();

	@Test
	void givesEachOutOnceInTheirOrder() {
		add(3);
		this.backlog.add(key(0));
		assertThat(take(2, 10)).containsExactly(key(0), key(1));
		assertThat(take(2, 10)).containsExactly(key(2));
		assertThat(this.backlog.hasNext()).isFalse();
	}

	@Test
	void whatFailedAgainIsGivenOutAgain() {
		add(1);
		assertThat(take(1, 10)).containsExactly(key(0));
		add(1);
		assertThat(take(1, 10)).containsExactly(key(0));
	}

	@Test
	void looksAtNoMoreThanItMay() {
		add(10);
		for (int i = 0; i < 10; i++) {
			this.away.add(key(i));
		}
		assertThat(take(5, 4)).isEmpty();
		assertThat(this.asked).hasSize(4);
		assertThat(this.backlog.hasNext()).isTrue();
	}

	@Test
	void asksOnceForWhatIsAwayUntilRedisComesBackSomewhere() {
		add(1);
		this.away.add(key(0));
		take(1, 10);
		this.backlog.add(key(0));
		assertThat(this.backlog.hasNext()).isFalse();
		take(1, 10);
		assertThat(this.asked).hasSize(1);
		this.away.clear();
		this.backlog.recovered();
		this.backlog.resume();
		assertThat(take(1, 10)).containsExactly(key(0));
	}

	@Test
	void resumesWhatWasAskedAboutWhileRedisCameBack() {
		add(1);
		List<CacheKey> taken = this.backlog.take(1, 10, this.over::contains, (key) -> {
			this.backlog.recovered();
			this.backlog.resume();
			return true;
		});
		assertThat(taken).isEmpty();
		assertThat(take(1, 10)).containsExactly(key(0));
	}

	@Test
	void keepsWhatFailsWhileItIsLookedAt() {
		add(1);
		this.backlog.take(1, 10, (key) -> {
			this.backlog.add(key);
			return true;
		}, this.away::contains);
		assertThat(take(1, 10)).containsExactly(key(0));
	}

	@Test
	void doesNotAskForWhatIsOver() {
		add(2);
		this.over.add(key(0));
		assertThat(take(2, 10)).containsExactly(key(1));
		assertThat(this.asked).containsExactly(key(1));
	}

	@Test
	void dropsWhatIsOverWhereverItWaits() {
		List<CacheKey> looked = new ArrayList<>();
		add(2);
		this.away.add(key(0));
		take(1, 1);
		this.backlog.drop(1, (key) -> {
			looked.add(key);
			return true;
		});
		assertThat(looked).containsExactlyInAnyOrder(key(0), key(1));
		this.backlog.resume();
		assertThat(this.backlog.hasNext()).isFalse();
	}

	@Test
	void whatIsNotOverIsNotDropped() {
		add(2);
		this.away.add(key(0));
		take(1, 1);
		this.backlog.drop(5, this.over::contains);
		this.away.clear();
		this.backlog.resume();
		assertThat(take(5, 10)).containsExactlyInAnyOrder(key(0), key(1));
	}

	private void add(int number) {
		for (int i = 0; i < number; i++) {
			this.backlog.add(key(i));
		}
	}

	private List<CacheKey> take(int most, int looks) {
		return this.backlog.take(most, looks, this.over::contains, (key) -> {
			this.asked.add(key);
			return this.away.contains(key);
		});
	}

	private static CacheKey key(int number) {
		return new CacheKey("c", List.of("k" + number));
	}

}
