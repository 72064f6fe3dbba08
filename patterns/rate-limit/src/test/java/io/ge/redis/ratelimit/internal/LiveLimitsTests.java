// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.ge.redis.core.invocation.Setting;
import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitAlgorithm;
import io.ge.redis.ratelimit.RateLimitChange;
import io.ge.redis.ratelimit.RateLimitResolver;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LiveLimitsTests {

	private static final RateLimit TASKS = RateLimit.of("tasks", 10, Duration.ofMinutes(1));

	private static final List<String> ANNA = List.of("anna");

	private static final List<String> BORIS = List.of("boris");

	private final AtomicLong now = new AtomicLong();

	private final AtomicInteger resolved = new AtomicInteger();

	@Test
	void leavesLimitAloneOfWhichNothingIsSaid() {
		LiveLimits limits = limits(null);
		limits.share(List.of(changed("others", null, 5)));
		assertThat(limits.effective(TASKS, ANNA)).isSameAs(TASKS);
		assertThat(limits.blockedFor(TASKS, ANNA)).isZero();
	}

	@Test
	void strongestSourceWinsForEachSetting() {
		LiveLimits limits = limits((limit, key) -> limit.withLimit(limit.limit() + 3));
		assertThat(limits.effective(TASKS, ANNA).limit()).isEqualTo(13);
		limits.share(List.of(changed("tasks", null, 20)));
		assertThat(limits.effective(TASKS, ANNA).limit()).isEqualTo(23);
		limits.override(Map.of("tasks", Map.of("anna", new RateLimitChange(30L, Duration.ofHours(1), null))));
		assertThat(limits.effective(TASKS, ANNA).limit()).isEqualTo(30);
		assertThat(limits.effective(TASKS, BORIS).limit()).isEqualTo(23);
		limits.share(List.of(changed("tasks", null, 20), changed("tasks", "anna", 40)));
		assertThat(limits.effective(TASKS, ANNA)).isEqualTo(TASKS.withLimit(40).withWindow(Duration.ofHours(1)));
		assertThat(limits.changes(TASKS, ANNA)).extracting(LiveChange::origin)
			.containsExactly(Setting.Origin.ENDPOINT, Setting.Origin.BEAN, Setting.Origin.PROPERTIES_FOR_KEY,
					Setting.Origin.ENDPOINT_FOR_KEY);
		limits.share(List.of());
		limits.override(Map.of());
		assertThat(limits.effective(TASKS, ANNA).limit()).isEqualTo(13);
	}

	@Test
	void keyOfSeveralPartsIsWrittenWithColons() {
		LiveLimits limits = limits(null);
		limits.override(Map.of("tasks", Map.of("acme:anna", new RateLimitChange(1L, null, null))));
		assertThat(limits.effective(TASKS, List.of("acme", "anna")).limit()).isEqualTo(1);
		assertThat(limits.effective(TASKS, List.of("acme")).limit()).isEqualTo(10);
	}

	@Test
	void resultOfChangeIsMadeOnce() {
		LiveLimits limits = limits(null);
		limits.share(List.of(changed("tasks", null, 20)));
		assertThat(limits.effective(TASKS, ANNA)).isSameAs(limits.effective(TASKS, BORIS));
	}

	@Test
	void changeThatNoLongerFitsIsPassedOver() {
		LiveLimits limits = limits(null);
		limits
			.share(List.of(LiveChange.of("tasks", null, Setting.Origin.ENDPOINT, new RateLimitChange(null, null, 5L))));
		assertThat(limits.effective(TASKS, ANNA)).isEqualTo(TASKS);
		RateLimit bucket = TASKS.withAlgorithm(RateLimitAlgorithm.TOKEN_BUCKET);
		assertThat(limits.effective(bucket, ANNA).burst()).isEqualTo(5);
	}

	@Test
	void blockEndsByItself() {
		LiveLimits limits = limits(null);
		limits.share(List.of(LiveChange.block("tasks", "anna", Duration.ofSeconds(10).toNanos())));
		this.now.addAndGet(Duration.ofSeconds(4).toNanos());
		assertThat(limits.blockedFor(TASKS, ANNA)).hasSeconds(6);
		assertThat(limits.blockedFor(TASKS, BORIS)).isZero();
		// Reading the properties anew makes no block longer
		limits.override(Map.of());
		assertThat(limits.blockedFor(TASKS, ANNA)).hasSeconds(6);
		assertThat(limits.of("tasks")).containsOnlyKeys("anna");
		this.now.addAndGet(Duration.ofSeconds(6).toNanos());
		assertThat(limits.blockedFor(TASKS, ANNA)).isZero();
	}

	@Test
	void resolverThatFailsLeavesTheLimitOfAll() {
		for (RateLimitResolver resolver : List.<RateLimitResolver>of((limit, key) -> {
			throw new IllegalStateException("no plan");
		}, (limit, key) -> RateLimit.of("other", 1, Duration.ofSeconds(1)),
				(limit, key) -> limit.withAlgorithm(RateLimitAlgorithm.FIXED_WINDOW))) {
			assertThat(limits(resolver).effective(TASKS, ANNA)).isSameAs(TASKS);
		}
	}

	@Test
	void resolverBeanIsLookedUpOnce() {
		LiveLimits limits = new LiveLimits(() -> {
			this.resolved.incrementAndGet();
			return null;
		}, this.now::get);
		limits.effective(TASKS, ANNA);
		limits.effective(TASKS, ANNA);
		assertThat(this.resolved).hasValue(1);
	}

	@Test
	void tellsOfEachChange() {
		LiveLimits limits = limits(null);
		limits.onChange(() -> this.resolved.addAndGet((int) limits.effective(TASKS, ANNA).limit()));
		limits.share(List.of(changed("tasks", null, 20)));
		assertThat(this.resolved).as("told after it is in effect").hasValue(20);
	}

	private LiveLimits limits(@Nullable RateLimitResolver resolver) {
		return new LiveLimits(() -> resolver, this.now::get);
	}

	private static LiveChange changed(String name, @Nullable String key, long limit) {
		return LiveChange.of(name, key, (key != null) ? Setting.Origin.ENDPOINT_FOR_KEY : Setting.Origin.ENDPOINT,
				new RateLimitChange(limit, null, null));
	}

}
