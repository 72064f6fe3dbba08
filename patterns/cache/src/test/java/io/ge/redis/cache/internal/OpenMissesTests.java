// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.cache.internal.engine.CacheCodec;
import io.ge.redis.cache.internal.engine.CacheKey;
import io.ge.redis.cache.internal.engine.CacheLookup;
import io.ge.redis.cache.internal.engine.CacheType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link OpenMisses}.
 */
class OpenMissesTests {

	private static final Duration LONG = Duration.ofMinutes(10);

	private final CacheType type = new CacheCodec(JsonMapper::shared, () -> 16384, () -> 0).type(String.class);

	private final OpenMisses misses = new OpenMisses();

	private OpenMiss miss(CacheKey entry, Duration lease) {
		return new OpenMiss(null, entry, this.type, new CacheLookup.Load(() -> lease, false, false, null, false), -1,
				0);
	}

	private static CacheKey entry(String id) {
		return new CacheKey("items", List.of(id));
	}

	private @Nullable OpenMiss find(CacheKey entry, Object key) {
		return this.misses.find(entry, key);
	}

	@Test
	void missOfAThreadIsFoundByThatThreadOnly() {
		OpenMiss miss = miss(entry("a"), LONG);
		this.misses.addOfThread("a", miss);
		assertThat(find(entry("a"), new String("a"))).isSameAs(miss);
		assertThat(CompletableFuture.supplyAsync(() -> find(entry("a"), "a") == null).join()).isTrue();
		this.misses.forget(CacheKey.whole("others"));
		assertThat(find(entry("a"), "a")).isSameAs(miss);
		this.misses.forget(CacheKey.whole("items"));
		assertThat(this.misses.size()).isZero();
	}

	@Test
	void missOfAKeyIsFoundByThatObjectOnlyOnAnyThread() {
		String key = new String("a");
		OpenMiss miss = miss(entry("a"), LONG);
		this.misses.addOfKey(key, miss);
		assertThat(find(entry("a"), new String("a"))).isNull();
		assertThat(CompletableFuture.supplyAsync(() -> find(entry("a"), key)).join()).isSameAs(miss);
	}

	@Test
	void missOfAKeyIsThereForAsManyAsHaveAskedWithIt() {
		OpenMiss first = miss(entry("a"), LONG);
		this.misses.addOfKey("a", first);
		this.misses.addOfKey("a", miss(entry("a"), LONG));
		this.misses.remove(this.misses.find(entry("a"), "a"));
		assertThat(find(entry("a"), "a")).as("the one with the older lease").isSameAs(first);
		this.misses.remove(this.misses.find(entry("a"), "a"));
		assertThat(this.misses.size()).isZero();
	}

	@Test
	void olderLeaseCountsUntilItEnds() {
		OpenMiss first = miss(entry("a"), LONG);
		this.misses.addOfThread("a", first);
		this.misses.addOfThread("a", miss(entry("a"), LONG));
		assertThat(find(entry("a"), "a")).isSameAs(first);
		this.misses.remove(this.misses.find(entry("a"), "a"));
		assertThat(this.misses.size()).isZero();
		this.misses.addOfThread("a", miss(entry("a"), Duration.ZERO));
		OpenMiss next = miss(entry("a"), LONG);
		this.misses.addOfThread("a", next);
		assertThat(find(entry("a"), "a")).isSameAs(next);
	}

	@Test
	void afterTheEndOfTheLeaseOnlyTheSameKeyTells() {
		OpenMiss late = miss(entry("a"), Duration.ZERO);
		this.misses.addOfThread("a", late);
		assertThat(find(entry("a"), "a")).isSameAs(late);
		assertThat(find(entry("a"), new String("a"))).as("perhaps a change").isNull();
	}

	@Test
	void onlySoManyAreRemembered() {
		for (int i = 0; i < OpenMisses.MOST + 10; i++) {
			this.misses.addOfThread("a" + i, miss(entry("a" + i), LONG));
		}
		assertThat(this.misses.size()).isEqualTo(OpenMisses.MOST);
		assertThat(find(entry("a0"), "a0")).isNull();
	}

}
