// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.util.Optional;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link OnRedisExtension}.
 */
class OnRedisExtensionIntegrationTests {

	private final OnRedisExtension extension = new OnRedisExtension();

	@BeforeEach
	void leaveKeyWithoutTtl() {
		SharedRedis.standalone().flushAll();
		SharedRedis.standalone().primary().command("SET", "forgotten", "");
	}

	@Test
	void failsTestThatLeavesKeyWithoutTtl() {
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> this.extension.afterEach(context(Strict.class, null)))
			.withMessageContaining("keys without TTL")
			.withMessageContaining("forgotten");
	}

	@Test
	void addsNothingToFailureOfTest() {
		ExtensionContext context = context(Strict.class, new IllegalStateException());
		assertThatNoException().isThrownBy(() -> this.extension.afterEach(context));
	}

	@ParameterizedTest
	@CsvSource({ "work.done, true", "ge:queue:{mail}:bell, true", "ge:queue:{mail}:ready:3, true",
			"ge:broadcast:{news}, true", "ge:stream:{work}:partitions, true", "ge:queue:{mail}:results, false",
			"ge:stream:{work}:d:1, false", "ge:lock:{orders}, false" })
	void allowsOnlyListedKeysWherePermanentKeysAreExpected(String key, boolean listed) {
		SharedRedis.standalone().primary().command("SET", key, "");
		ThrowingCallable check = () -> this.extension.afterEach(context(Lenient.class, null));
		if (listed) {
			assertThatNoException().isThrownBy(check);
		}
		else {
			assertThatExceptionOfType(AssertionError.class).isThrownBy(check).withMessageContaining(key);
		}
	}

	@Test
	void emptiesServersBeforeTest() {
		SharedRedis.standalone().primary().command("SET", "left", "behind");
		this.extension.beforeEach(context(Strict.class, null));
		assertThat(SharedRedis.standalone().primary().command("EXISTS", "left")).isEqualTo(0L);
	}

	@Test
	@Wide
	void skipsImageByNameWithoutDocker() {
		assumeThat(Docker.isAvailable()).isFalse();
		ConditionEvaluationResult result = this.extension.evaluateExecutionCondition(context(Image.class, null));
		assertThat(result.isDisabled()).isTrue();
		assertThat(result.getReason()).hasValue("redis:7.4 skipped: no Docker");
	}

	@SuppressWarnings("unchecked")
	private static ExtensionContext context(Class<?> testClass, Throwable failure) {
		ExtensionContext context = mock();
		given(context.getRequiredTestClass()).willReturn((Class) testClass);
		given(context.getExecutionException()).willReturn(Optional.ofNullable(failure));
		return context;
	}

	@OnRedis
	private static class Strict {

	}

	@OnRedis(permanentKeys = true)
	private static class Lenient {

	}

	@Wide
	@OnRedis(RedisTarget.REDIS_7_4)
	private static class Image {

	}

}
