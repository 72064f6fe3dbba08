// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.engine;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.ge.redis.InvalidKeyException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link CacheTags} and {@link TagVersions}.
 */
class CacheTagsTests {

	private final TagVersions versions = new TagVersions();

	private static CacheTags tags(Object... values) {
		return CacheTags.of(values, "The tags");
	}

	@Test
	void oneTagOrSeveralOrNone() {
		assertThat(CacheTags.of("a", "The tags").hashes()).isEqualTo(tags("a").hashes()).hasSize(1);
		assertThat(CacheTags.of(List.of("a", "b", "a"), "The tags").hashes()).isEqualTo(tags("b", "a").hashes())
			.hasSize(2);
		assertThat(CacheTags.of(null, "The tags").isEmpty()).isTrue();
		assertThat(CacheTags.of(List.of(), "The tags").isEmpty()).isTrue();
		assertThat(CacheTags.ALL.isEmpty()).isFalse();
	}

	@Test
	void partsOfATagDoNotRunIntoEachOther() {
		Set<Long> hashes = tags(List.of("ab", "c"), List.of("a", "bc"), "abc", List.of("a", "b", "c")).hashes();
		assertThat(hashes).hasSize(4);
	}

	@Test
	void hashesAreTheSameInEveryRelease() {
		assertThat(tags("a").names()).containsExactly("72ff6b02949dad95");
		assertThat(CacheTags.named(tags("a", "b").names()).hashes()).isEqualTo(tags("a", "b").hashes());
		assertThat(CacheTags.named(List.of("*")).isAll()).isTrue();
	}

	@Test
	void tooManyAreAll() {
		assertThat(CacheTags.of(IntStream.range(0, 1001).boxed().toList(), "The tags").isAll()).isTrue();
		assertThat(CacheTags.of(IntStream.range(0, 600).boxed().toList(), "The tags")
			.plus(CacheTags.of(IntStream.range(500, 1100).boxed().toList(), "The tags"))
			.isAll()).isTrue();
		assertThat(tags("a").plus(CacheTags.ALL).isAll()).isTrue();
		assertThat(tags("a").plus(tags("b")).hashes()).isEqualTo(tags("a", "b").hashes());
	}

	@Test
	void tagWithoutTextIsRefused() {
		assertThatExceptionOfType(InvalidKeyException.class).isThrownBy(() -> tags("a", new Object()));
		assertThatExceptionOfType(InvalidKeyException.class).isThrownBy(() -> tags("a", null));
		assertThatExceptionOfType(InvalidKeyException.class).isThrownBy(() -> tags("a", List.of("b", " ")));
	}

	@Test
	void blankTextIsATag() {
		assertThat(tags("", " ", "a").hashes()).hasSize(3);
		assertThat(CacheTags.of("", "The tags").hashes()).hasSize(1);
	}

	@Test
	void entryIsOutdatedByAHigherVersionOfATagOrOfAll() {
		this.versions.hear(tags("a"), 5);
		assertThat(this.versions.isOutdated(4, tags("a").toArray())).isTrue();
		assertThat(this.versions.isOutdated(5, tags("a").toArray())).isFalse();
		assertThat(this.versions.isOutdated(4, tags("b").toArray())).isFalse();
		assertThat(this.versions.highest()).isEqualTo(5);
		this.versions.hear(CacheTags.ALL, 7);
		assertThat(this.versions.isOutdated(6)).isTrue();
		this.versions.hear(tags("a"), 3);
		assertThat(this.versions.highest()).as("news overtake each other").isEqualTo(7);
		assertThat(this.versions.isOutdated(7, tags("a").toArray())).isFalse();
	}

	@Test
	void whatWasForgottenCountsAsOutdated() {
		for (int i = 1; i <= 20_001; i++) {
			this.versions.hear(tags("t" + i), i);
		}
		assertThat(this.versions.isOutdated(1, tags("other").toArray())).isTrue();
		assertThat(this.versions.isOutdated(20_000, tags("other").toArray())).isFalse();
		assertThat(this.versions.isOutdated(20_000, tags("t20001").toArray())).isTrue();
		assertThat(this.versions.isOutdated(0, tags("t1").toArray())).isTrue();
	}

	@Test
	void silenceEndsWithAHigherVersion() {
		long before = System.nanoTime();
		assertThat(this.versions.isSilentSince(before)).isTrue();
		this.versions.hear(tags("a"), 5);
		assertThat(this.versions.isSilentSince(before)).isFalse();
		long after = System.nanoTime() + 1;
		this.versions.hear(tags("b"), 4);
		assertThat(this.versions.isSilentSince(after)).isTrue();
	}

	@Test
	void lookTellsWhenTheLastVersionWasGiven() {
		long second = Duration.ofSeconds(1).toNanos();
		this.versions.hear(tags("a"), 5);
		long begun = System.nanoTime();
		assertThat(this.versions.isSilentSince(begun - second / 2)).isFalse();
		this.versions.update(new RedisInvalidations.Versions(5, second, 0, List.of()), begun);
		assertThat(this.versions.isSilentSince(begun - second / 2)).isTrue();
		assertThat(this.versions.isSilentSince(begun - second)).isFalse();
	}

	@Test
	void nothingIsKnownOfTheTimeBeforeTheFirstRead() {
		assertThat(this.versions.isSilentSinceFirstRead()).isTrue();
		this.versions.hear(tags("a"), 5);
		assertThat(this.versions.isSilentSinceFirstRead()).isFalse();
		this.versions.update(new RedisInvalidations.Versions(5, 0, 0, List.of()), System.nanoTime());
		assertThat(this.versions.isSilentSinceFirstRead()).isTrue();
		this.versions.hear(tags("a"), 6);
		assertThat(this.versions.isSilentSinceFirstRead()).isFalse();
	}

	@Test
	void looksAreSharedAndCountFromTheirBeginning() {
		assertThat(this.versions.readAt()).isLessThan(System.nanoTime() - Duration.ofDays(365).toNanos());
		CompletableFuture<Void> read = new CompletableFuture<>();
		CompletableFuture<Void> first = this.versions.refresh(() -> read);
		assertThat(this.versions.refresh(() -> CompletableFuture.completedFuture(null))).isSameAs(first);
		long begun = System.nanoTime() - Duration.ofSeconds(1).toNanos();
		this.versions.update(new RedisInvalidations.Versions(9, 0, 0, List.of()), begun);
		read.complete(null);
		assertThat(this.versions.readAt()).isEqualTo(begun);
		assertThat(this.versions.seen()).isEqualTo(9);
		assertThat(this.versions.refresh(() -> CompletableFuture.completedFuture(null))).isNotSameAs(first)
			.isCompleted();
	}

}
