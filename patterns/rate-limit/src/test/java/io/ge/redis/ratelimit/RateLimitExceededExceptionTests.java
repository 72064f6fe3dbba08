// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RateLimitExceededExceptionTests {

	private static final RateLimitDecision.Denied DENIED = new RateLimitDecision.Denied(List.of(),
			List.of("orders", "tenants"), Duration.ofSeconds(3));

	@Test
	void namesThePlaceInsteadOfAStackTrace() {
		RateLimitExceededException refusal = new RateLimitExceededException(DENIED, "Desk.order(String)");
		assertThat(refusal).hasMessage("Rate limit exceeded on Desk.order(String): orders, tenants").hasNoCause();
		assertThat(refusal.getStackTrace()).isEmpty();
		assertThat(refusal.violated()).containsExactly("orders", "tenants");
		assertThat(refusal.retryAfter()).hasSeconds(3);
	}

	@Test
	void hasStackTraceWhereNoPlaceIsKnown() {
		RateLimitExceededException refusal = new RateLimitExceededException(DENIED);
		assertThat(refusal).hasMessage("Rate limit exceeded: orders, tenants");
		assertThat(refusal.getStackTrace()[0].getMethodName()).isEqualTo("hasStackTraceWhereNoPlaceIsKnown");
	}

	@Test
	void keepsWhatFailedAfterIt() {
		RateLimitExceededException refusal = new RateLimitExceededException(DENIED, "Desk.order(String)");
		refusal.addSuppressed(new IllegalStateException("close"));
		assertThat(refusal.getSuppressed()).hasSize(1);
	}

	@Test
	void messageSurvivesSerialization() throws Exception {
		RateLimitExceededException refusal = new RateLimitExceededException(DENIED, "Desk.order(String)");
		assertThat(read(write(refusal))).hasMessage(refusal.getMessage());
	}

	private static byte[] write(Object object) throws IOException {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
			out.writeObject(object);
		}
		return bytes.toByteArray();
	}

	private static Throwable read(byte[] bytes) throws IOException, ClassNotFoundException {
		try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
			return (Throwable) in.readObject();
		}
	}

}
