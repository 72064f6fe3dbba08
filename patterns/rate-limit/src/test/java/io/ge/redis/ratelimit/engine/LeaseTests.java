/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.ge.redis.ratelimit.RateLimit;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LeaseTests {

	private static final List<PermitRequest> REQUESTS = List
		.of(new PermitRequest(RateLimit.of("limit", 1000, Duration.ofHours(1)).withLease(50), List.of("anna"), 1));

	private static final long VALID_NANOS = Duration.ofSeconds(1).toNanos();

	private final Lease lease = new Lease();

	private final long now = System.nanoTime();

	private final List<String> told = new ArrayList<>();

	@Test
	void oneAsksAndTheOthersWait() {
		assertThat(join(0)).isFalse();
		assertThat(join(0)).isTrue();
		assertThat(this.told).isEmpty();
		answer();
		assertThat(this.told).containsExactly("again");
	}

	@Test
	void whoHasFoundNothingTriesAgainIfTheAnswerCameMeanwhile() {
		assertThat(join(0)).isFalse();
		assertThat(this.lease.take(REQUESTS, this.now)).isNull();
		answer();
		assertThat(join(0)).isTrue();
		assertThat(this.told).containsExactly("again");
		assertThat(this.lease.take(REQUESTS, this.now)).isNotNull();
	}

	@Test
	void asksOnceTheAnswerIsTooOldOrUsedUp() {
		join(0);
		answer();
		assertThat(join(VALID_NANOS)).isFalse();
		answer();
		for (int i = 0; i < 49; i++) {
			assertThat(this.lease.take(REQUESTS, this.now)).isNotNull();
		}
		assertThat(join(0)).isFalse();
		assertThat(this.told).isEmpty();
	}

	private boolean join(long afterNanos) {
		return this.lease.join(REQUESTS, this.now + afterNanos,
				(failure) -> this.told.add((failure != null) ? "failed" : "again"));
	}

	private void answer() {
		Lease.Asking asking = this.lease.ask(49, VALID_NANOS, this.now);
		long[] reply = { 1, 0, 0, 49, VALID_NANOS / 1000, 950, 0, 0, 0 };
		this.lease.answered(asking, new RedisDecision(REQUESTS, new RedisLimitKey[1], reply, this.now, this.now), null);
	}

}
