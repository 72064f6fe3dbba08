/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.ExpressionCompiler;
import io.ge.redis.core.invocation.GuardConfigurationException;
import io.ge.redis.core.invocation.Setting;
import io.ge.redis.core.outage.OutagePolicy;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.junit.jupiter.api.Test;

import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link LockOperationSource}: what is refused at startup, and how settings are
 * merged.
 */
class LockOperationSourceTests {

	private LockProperties properties = properties(Map.of());

	@Test
	void defaultsAreThoseOfTheProperties() {
		LockOperation operation = parse("plain");
		assertThat(operation.settings()).isEqualTo(new LockSettings("Samples.plain", Duration.ZERO,
				Duration.ofSeconds(30), true, OutagePolicy.DENY, null, Duration.ZERO, OnLost.VETO_COMMIT));
		assertThat(operation.describe().get(0).settings()).containsEntry("leaseTime",
				new Setting("PT30S", Setting.Origin.DEFAULT));
	}

	@Test
	void propertiesOfTheNameWin() {
		this.properties = properties(Map.of("tuned", new LockProperties.Lock(Duration.ofSeconds(1), null, false,
				OutagePolicy.ALLOW, Duration.ofMinutes(9), null, OnLost.EVENT)));
		assertThat(parse("tuned").settings())
			.isEqualTo(new LockSettings("tuned", Duration.ofSeconds(1), Duration.ofMinutes(2), false,
					OutagePolicy.ALLOW, Duration.ofMinutes(9), Duration.ofSeconds(5), OnLost.EVENT));
		assertThat(parse("tuned").describe().get(0).settings())
			.containsEntry("waitTime", new Setting("PT1S", Setting.Origin.PROPERTIES))
			.containsEntry("leaseTime", new Setting("PT2M", Setting.Origin.ANNOTATION));
	}

	@Test
	void refusesLeaseThatIsNotAboveZero() {
		assertRefused("noLease").withMessageContaining("100ms").withMessageContaining("Samples.noLease()");
	}

	@Test
	void refusesHoldsThatContradictEachOther() {
		assertRefused("shortHold").withMessageContaining("longest hold").withMessageContaining("lease time");
		assertRefused("crossedHolds").withMessageContaining("longest hold").withMessageContaining("shortest");
		assertRefused("negativeHold").withMessageContaining("shortest hold");
		assertRefused("undecided").withMessageContaining("onLost names 2 policies");
	}

	@Test
	void refusesDurationThatDoesNotParse() {
		assertRefused("badDuration").withMessageContaining("waitTime = \"soon\" is no duration");
	}

	@Test
	void refusesLocalOutagePolicy() {
		assertRefused("local").withMessageContaining("DENY or ALLOW").withMessageContaining("without Redis");
	}

	@Test
	void refusesSkipOnPrimitive() {
		assertRefused("skipPrimitive").withMessageContaining("SKIP").withMessageContaining("int");
	}

	@Test
	void refusesFallbackWithoutName() {
		assertRefused("unnamedFallback").withMessageContaining("FALLBACK without a fallback");
	}

	@Test
	void refusesFallbackThatDoesNotExist() {
		assertRefused("missingFallback").withMessageContaining("there is no fallback method 'nowhere'");
	}

	@Test
	void refusesFallbackThatHasNoEffect() {
		assertRefused("idleFallback").withMessageContaining("has no effect");
	}

	@Test
	void refusesTokenThatIsNoLong() {
		assertRefused("textToken").withMessageContaining("@FencingToken").withMessageContaining("String");
	}

	@Test
	void refusesOneKeyAndSeveralKeys() {
		assertRefused("bothKeys").withMessageContaining("Both key and keys");
	}

	@Test
	void refusesUnknownVariable() {
		assertRefused("unknownVariable").withMessageContaining("#nobody");
	}

	@Test
	void refusesAsynchronousReturnType() {
		assertRefused("asynchronous").withMessageContaining("CompletableFuture");
	}

	@Test
	void refusesSameNameWithOtherSettings() {
		LockOperationSource source = source();
		source.get(method("shared"), Samples.class);
		assertThatExceptionOfType(GuardConfigurationException.class)
			.isThrownBy(() -> source.get(method("sharedDifferently"), Samples.class))
			.withMessageContaining("'shared' is used with other settings")
			.withMessageContaining("Samples.shared()");
	}

	@Test
	void refusesOtherHttpStatus() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new LockProperties(true, null, Duration.ZERO, Duration.ofSeconds(30), OutagePolicy.DENY,
					OnLost.VETO_COMMIT, 500, Map.of()))
			.withMessageContaining("ge.redis.lock.http-status");
	}

	private ThrowableAssertAlternative<GuardConfigurationException> assertRefused(String method) {
		return assertThatExceptionOfType(GuardConfigurationException.class).isThrownBy(() -> parse(method));
	}

	private LockOperation parse(String method) {
		LockOperation operation = source().get(method(method), Samples.class);
		assertThat(operation).isNotNull();
		return operation;
	}

	private LockOperationSource source() {
		return new LockOperationSource(new Locks(() -> this.properties), new AttributeReader((text) -> text),
				new ExpressionCompiler(null));
	}

	private static LockProperties properties(Map<String, LockProperties.Lock> locks) {
		return new LockProperties(true, null, Duration.ZERO, Duration.ofSeconds(30), OutagePolicy.DENY,
				OnLost.VETO_COMMIT, 409, locks);
	}

	private static Method method(String name) {
		for (Method method : ReflectionUtils.getDeclaredMethods(Samples.class)) {
			if (method.getName().equals(name)) {
				return method;
			}
		}
		throw new IllegalArgumentException(name);
	}

	static class Samples {

		@DistributedLock
		public void plain() {
		}

		@DistributedLock(name = "tuned", waitTime = "9s", leaseTime = "2m", maxHold = "5m", atLeastFor = "5s",
				onLost = OnLost.INTERRUPT)
		public void tuned() {
		}

		@DistributedLock(leaseTime = "0s")
		public void noLease() {
		}

		@DistributedLock(maxHold = "10s")
		public void shortHold() {
		}

		@DistributedLock(maxHold = "1m", atLeastFor = "2m")
		public void crossedHolds() {
		}

		@DistributedLock(atLeastFor = "-1s")
		public void negativeHold() {
		}

		@DistributedLock(onLost = { OnLost.EVENT, OnLost.INTERRUPT })
		public void undecided() {
		}

		@DistributedLock(waitTime = "soon")
		public void badDuration() {
		}

		@DistributedLock(onOutage = OutagePolicy.LOCAL)
		public void local() {
		}

		@DistributedLock(onNotAcquired = OnNotAcquired.SKIP)
		public int skipPrimitive() {
			return 1;
		}

		@DistributedLock(onNotAcquired = OnNotAcquired.FALLBACK)
		public void unnamedFallback() {
		}

		@DistributedLock(onNotAcquired = OnNotAcquired.FALLBACK, fallback = "nowhere")
		public void missingFallback() {
		}

		@DistributedLock(fallback = "plain")
		public void idleFallback() {
		}

		@DistributedLock
		public void textToken(@FencingToken String token) {
		}

		@DistributedLock(key = "#one", keys = "#all")
		public void bothKeys(String one, java.util.List<String> all) {
		}

		@DistributedLock(key = "#nobody")
		public void unknownVariable(String somebody) {
		}

		@DistributedLock
		public CompletableFuture<String> asynchronous() {
			return CompletableFuture.completedFuture("");
		}

		@DistributedLock(name = "shared", leaseTime = "5s")
		public void shared() {
		}

		@DistributedLock(name = "shared", leaseTime = "6s")
		public void sharedDifferently() {
		}

	}

}
