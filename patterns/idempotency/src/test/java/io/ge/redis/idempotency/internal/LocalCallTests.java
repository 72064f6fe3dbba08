// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.time.Duration;
import java.util.List;

import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.idempotency.IdempotencySettings;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LocalCallTests {

	private final LocalCall call = new LocalCall(new byte[0]);

	@Test
	void belongsToTheClaimThatItWasGrantedAndToNoOther() {
		IdempotencyDecision.Granted claim = claim();
		assertThat(this.call.isOf(claim)).isFalse();
		this.call.claimed().complete(claim);
		assertThat(this.call.isOf(claim)).isTrue();
		assertThat(this.call.isOf(claim())).isFalse();
	}

	private static IdempotencyDecision.Granted claim() {
		IdempotencyRequest request = new IdempotencyRequest(IdempotencySettings.of("sell"), null, List.of("key"),
				new byte[0]);
		RedisIdempotencyKey key = new RedisIdempotencyKey("sell",
				new KeySpace("ge", "idempotency").entity(KeyPart.of("sell")));
		return new IdempotencyDecision.Granted(request, key, "owner", 1, false, CallBudget.of(Duration.ofSeconds(1)));
	}

	@Test
	void belongsToNoClaimIfItsOwnHasFailed() {
		this.call.claimed().completeExceptionally(new IllegalStateException("failed"));
		assertThat(this.call.isOf(claim())).isFalse();
	}

}
