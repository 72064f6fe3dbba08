// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.InvalidKeyException;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.ExpressionCompiler;
import io.ge.redis.core.invocation.GuardDescription;
import io.ge.redis.core.invocation.Setting;
import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.ratelimit.OnEmptyKey;
import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitAlgorithm;
import io.ge.redis.ratelimit.RateLimitCostException;
import io.ge.redis.ratelimit.RateLimitProperties;
import io.ge.redis.ratelimit.RateLimited;
import org.aopalliance.intercept.MethodInvocation;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Tests for {@link RateLimitOperationSource}: how settings are merged, what a call asks
 * for, and what is refused at startup.
 */
class RateLimitOperationSourceTests {

	private static final RateLimit TUNED = RateLimit.of("tuned", 10, Duration.ofSeconds(1))
		.withAlgorithm(RateLimitAlgorithm.TOKEN_BUCKET)
		.withBurst(20)
		.withWaitTime(Duration.ofSeconds(2))
		.withOnOutage(OutagePolicy.DENY)
		.withShadow(true);

	/** Makes requests, and asks nobody. */
	private static final RateLimitEngine ENGINE = new RateLimitEngine(
			new RedisRateLimiter(null, new KeySpace("ge", "ratelimit"), "news"), null,
			new LiveLimits(() -> null, System::nanoTime), null);

	private RateLimitProperties properties = RateLimitRegistryTests.bind();

	@Test
	void annotationSetsEverything() {
		assertThat(limits("tuned")).containsExactly(TUNED);
		assertThat(settings("tuned")).containsEntry("limit", new Setting(10L, Setting.Origin.ANNOTATION))
			.containsEntry("waitTime", new Setting("PT2S", Setting.Origin.ANNOTATION))
			.containsEntry("shadow", new Setting(true, Setting.Origin.ANNOTATION))
			.containsEntry("key", new Setting("#user", Setting.Origin.ANNOTATION))
			.containsEntry("cost", new Setting("#cost", Setting.Origin.ANNOTATION))
			.containsEntry("onEmptyKey", new Setting("SHARED", Setting.Origin.ANNOTATION))
			.containsEntry("refundOn", new Setting("IOException", Setting.Origin.ANNOTATION));
	}

	@Test
	void defaultsAreExactWithoutWait() {
		assertThat(limits("plain")).containsExactly(RateLimit.of("Samples.plain", 10, Duration.ofMinutes(1)));
		assertThat(settings("plain")).containsEntry("cost", new Setting("1", Setting.Origin.DEFAULT))
			.containsEntry("window", new Setting("PT1M", Setting.Origin.DEFAULT))
			.doesNotContainKeys("key", "onEmptyKey", "refundOn", "fallback");
	}

	@Test
	void propertiesOfTheNameWin() {
		bind("limits.tuned.limit", "5", "limits.tuned.window", "1h", "limits.tuned.burst", "6",
				"limits.tuned.wait-time", "0s", "limits.tuned.on-outage", "allow", "limits.tuned.shadow", "false");
		assertThat(limits("tuned")).containsExactly(new RateLimit("tuned", 5, Duration.ofHours(1),
				RateLimitAlgorithm.TOKEN_BUCKET, 6, Duration.ZERO, OutagePolicy.ALLOW, false));
		assertThat(settings("tuned")).containsEntry("waitTime", new Setting("PT0S", Setting.Origin.PROPERTIES))
			.containsEntry("shadow", new Setting(false, Setting.Origin.PROPERTIES))
			.containsEntry("algorithm", new Setting("TOKEN_BUCKET", Setting.Origin.ANNOTATION));
	}

	@Test
	void burstOfTheAnnotationGoesWithItsAlgorithm() {
		bind("limits.tuned.algorithm", "fixed-window");
		assertThat(limits("tuned")).extracting(RateLimit::algorithm, RateLimit::burst)
			.containsExactly(tuple(RateLimitAlgorithm.FIXED_WINDOW, 10L));
	}

	@Test
	void trialOfAllLimitsComesFromTheProperties() {
		bind("shadow", "true");
		assertThat(limits("plain")).extracting(RateLimit::shadow).containsExactly(true);
		assertThat(settings("plain")).containsEntry("shadow", new Setting(true, Setting.Origin.PROPERTIES));
	}

	@Test
	void dottedNameIsFoundInBrackets() {
		bind("limits[Samples.plain].limit", "3");
		assertThat(limits("plain")).extracting(RateLimit::limit).containsExactly(3L);
	}

	@Test
	void bandsReplaceTheLimitAndKeepTheRest() {
		bind("limits.tuned.limits[0].limit", "5", "limits.tuned.limits[0].window", "1s", "limits.tuned.limits[1].limit",
				"100", "limits.tuned.limits[1].window", "1h", "limits.tuned.limits[1].algorithm", "fixed-window");
		assertThat(limits("tuned")).containsExactly(
				new RateLimit("tuned-1s", 5, Duration.ofSeconds(1), RateLimitAlgorithm.TOKEN_BUCKET, 5,
						Duration.ofSeconds(2), OutagePolicy.DENY, true),
				new RateLimit("tuned-1h", 100, Duration.ofHours(1), RateLimitAlgorithm.FIXED_WINDOW, 100,
						Duration.ofSeconds(2), OutagePolicy.DENY, true));
		assertThat(parse("tuned").describe()).extracting(GuardDescription::name)
			.containsExactly("tuned-1s", "tuned-1h");
		assertThat(parse("tuned").requests(ENGINE, call("tuned", "anna", 4)))
			.containsExactly(requests("tuned", List.of("anna"), 4));
	}

	@Test
	void bandWithNameOfAnotherLimitIsRefused() {
		bind("limits.tuned.limits[0].limit", "5", "limits.tuned.limits[0].window", "1s");
		RateLimitOperationSource source = source();
		source.get(method("tuned"), Samples.class);
		assertThatExceptionOfType(GuardConfigurationException.class)
			.isThrownBy(() -> source.get(method("likeBand"), Samples.class))
			.withMessageContaining("Samples.likeBand()")
			.withMessageContaining("the name 'tuned-1s' would belong to limits of both 'tuned' and 'tuned-1s'");
	}

	@Test
	void otherSettingsUnderTheSameNameAreRefusedForBandsToo() {
		bind("limits.shared.limits[0].limit", "5", "limits.shared.limits[0].window", "1s");
		RateLimitOperationSource source = source();
		source.get(method("shared"), Samples.class);
		assertThatExceptionOfType(GuardConfigurationException.class)
			.isThrownBy(() -> source.get(method("sharedDifferently"), Samples.class))
			.withMessageContaining("'shared' is used with other settings")
			.withMessageContaining("Samples.shared()")
			.withMessageContaining("(shadow=false there, shadow=true here)");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					negativeLimit   | limit must be above zero, but is -1        | such as 100
					zeroText        | limit must be above zero, but is 0         | such as 100
					noWindow        | window must be between 1ms                 | such as 10s
					negativeBurst   | burst must be above zero, but is -2        | leave it out
					burstOfWindow   | burst has a meaning for TOKEN_BUCKET only  | set the algorithm
					negativeWait    | waitTime must be between zero              | such as 2s
					tooExact        | limit is 10001, too large                  | SLIDING_WINDOW_COUNTER
					highCost        | cost is 11 and can never pass: 'Samples.highCost' never gives more than 10 | Lower the cost
					halfCost        | cost = "1.5" is no whole number            | #rows.size()
					negativeCost    | cost = "-1" is no whole number             | #rows.size()
					hugeCost        | cost = "99999999999999999999" is no whole number | #rows.size()
					unknownCost     | cost = "#rows" uses #rows                  | The method has no parameters
					onEmptyWithoutKey | onEmptyKey = SKIP has no effect          | remove onEmptyKey
					""")
	void refusesAtStartupWhatCannotWork(String method, String problem, String remedy) {
		assertRefused(method).satisfies((ex) -> {
			assertThat(ex.problem()).startsWith("@RateLimited on").contains("Samples." + method + "(", problem);
			assertThat(ex.remedy()).contains(remedy);
		});
	}

	@Test
	void namesThePropertyWhereThatIsTheMistake() {
		bind("limits[Samples.plain].wait-time", "2h");
		assertRefused("plain").withMessageContaining("Samples.plain()")
			.withMessageContaining("ge.redis.rate-limit.limits[Samples.plain].wait-time must be");
	}

	@Test
	void costAboveTrialIsNoMistake() {
		assertThat(parse("highCostTrial").requests(ENGINE, call("highCostTrial"))).extracting(PermitRequest::cost)
			.containsExactly(11L);
	}

	@Test
	void nameOfBandThatStandsOnTheMethodTooIsRefused() {
		bind("limits.a.limits[0].limit", "5", "limits.a.limits[0].window", "1s");
		assertRefused("bandTwice").withMessageContaining("'a-1s'");
	}

	static Stream<Arguments> wholeNumbers() {
		return Stream.of(arguments(0, 0L), arguments((byte) 3, 3L), arguments((short) 3, 3L),
				arguments(7_000_000_000L, 7_000_000_000L), arguments(3.0, 3L), arguments(3f, 3L),
				arguments(new BigDecimal("3.00"), 3L), arguments(new BigDecimal("1e2"), 100L),
				arguments(BigInteger.TEN, 10L), arguments(new AtomicLong(4), 4L),
				arguments(BigInteger.TEN.pow(30), Long.MAX_VALUE));
	}

	@ParameterizedTest
	@MethodSource("wholeNumbers")
	void costIsTheNumberThatTheExpressionGives(Object value, long cost) {
		assertThat(parse("tuned").requests(ENGINE, call("tuned", "anna", value))).extracting(PermitRequest::cost)
			.containsExactly(cost);
	}

	static Stream<Arguments> noNumbers() {
		return Stream.of(arguments(null, "null"), arguments(-1, "-1"), arguments(-1L, "-1"), arguments(2.5, "2.5"),
				arguments(-1.0, "-1.0"), arguments(new BigDecimal("0.001"), "0.001"), arguments(Double.NaN, "NaN"),
				arguments(Double.POSITIVE_INFINITY, "Infinity"), arguments(BigInteger.TEN.negate(), "-10"),
				arguments("3", "a java.lang.String"), arguments(true, "a java.lang.Boolean"));
	}

	@ParameterizedTest
	@MethodSource("noNumbers")
	void costThatIsNoWholeNumberNamesExpressionAndMethod(@Nullable Object value, String shown) {
		assertThatExceptionOfType(RateLimitCostException.class)
			.isThrownBy(() -> parse("tuned").requests(ENGINE, call("tuned", "anna", value)))
			.withMessageStartingWith("The expression cost = \"#cost\" of @RateLimited on ")
			.withMessageContaining("Samples.tuned(String, Object) evaluated to " + shown + ", but")
			.satisfies((ex) -> assertThat(ex.isTooHigh()).isFalse());
	}

	@Test
	void callWithoutKeyIsTreatedAsTheAnnotationSays() {
		for (Object key : new @Nullable Object[] { null, "", "  ", new StringBuilder(), List.of(), new String[0],
				new int[0] }) {
			assertCallsWithoutKey(key);
		}
	}

	private void assertCallsWithoutKey(@Nullable Object key) {
		assertThatExceptionOfType(InvalidKeyException.class)
			.isThrownBy(() -> parse("errorOnEmpty").requests(ENGINE, call("errorOnEmpty", key)))
			.matches(InvalidKeyException::isCausedByArguments);
		assertThat(parse("skipOnEmpty").requests(ENGINE, call("skipOnEmpty", key))).isEmpty();
		assertThat(parse("sharedOnEmpty").requests(ENGINE, call("sharedOnEmpty", key)))
			.containsExactly(requests("sharedOnEmpty", List.of(), 1));
		assertThat(parse("skipOneOfTwo").requests(ENGINE, call("skipOneOfTwo", key))).extracting(PermitRequest::limit)
			.extracting(RateLimit::name)
			.containsExactly("all");
	}

	@Test
	void incompleteKeyIsAnErrorAlways() {
		for (Object key : new Object[] { Arrays.asList("anna", null), List.of(""), new String[] { "a", " " } }) {
			for (String method : List.of("errorOnEmpty", "skipOnEmpty", "sharedOnEmpty")) {
				assertThatExceptionOfType(InvalidKeyException.class)
					.isThrownBy(() -> parse(method).requests(ENGINE, call(method, key)))
					.matches(InvalidKeyException::isCausedByArguments);
			}
		}
	}

	@Test
	void refundsOnNamedExceptionsAndTheirSubclasses() {
		RateLimitOperation operation = parse("tuned");
		assertThat(operation.refundsOn(new IOException())).isTrue();
		assertThat(operation.refundsOn(new FileNotFoundException())).isTrue();
		assertThat(operation.refundsOn(new IllegalStateException())).isFalse();
		assertThat(parse("plain").refundsOn(new IOException())).isFalse();
	}

	@Test
	void refundsIfAnyAnnotationNamesTheException() {
		RateLimitOperation operation = parse("refundOneOfTwo");
		assertThat(operation.refundsOn(new IOException())).isTrue();
		assertThat(operation.refundsOn(new IllegalStateException())).isTrue();
		assertThat(operation.refundsOn(new IllegalArgumentException())).isFalse();
	}

	@Test
	void metaAnnotationCarriesEverything() {
		RateLimitOperation operation = parse("meta");
		assertThat(operation.requests(ENGINE, call("meta", List.of(1, 2), "")))
			.containsExactly(TestRequests.of(RateLimit.of("rows", 10, Duration.ofMinutes(1)), List.of(), 2));
		assertThat(operation.refundsOn(new IOException())).isTrue();
	}

	@Test
	void propertiesReadAnewApplyToAnnotatedMethods() {
		RateLimitRegistry limits = new RateLimitRegistry(() -> this.properties);
		RateLimitOperation operation = source(limits).get(method("tuned"), Samples.class);
		assertThat(operation).isNotNull();
		limits.refresh(RateLimitRegistryTests.bind("limits.tuned.limit", "7"));
		assertThat(operation.requests(ENGINE, call("tuned", "anna", 1))).extracting(PermitRequest::limit)
			.extracting(RateLimit::limit)
			.containsExactly(7L);
		assertThatExceptionOfType(GuardConfigurationException.class)
			.isThrownBy(() -> limits.refresh(RateLimitRegistryTests.bind("limits.tuned.limit", "-7")))
			.withMessageContaining("ge.redis.rate-limit.limits.tuned.limit must be above zero, but is -7");
		assertThat(limits.get("tuned")).extracting(RateLimit::limit).containsExactly(7L);
	}

	private void bind(String... values) {
		this.properties = RateLimitRegistryTests.bind(values);
	}

	private ThrowableAssertAlternative<GuardConfigurationException> assertRefused(String method) {
		return assertThatExceptionOfType(GuardConfigurationException.class).isThrownBy(() -> parse(method));
	}

	private List<RateLimit> limits(String method) {
		RateLimitOperation.Rule rule = parse(method).rules().get(0);
		return rule.limits().get(rule.name());
	}

	private PermitRequest[] requests(String method, List<String> key, long cost) {
		return limits(method).stream().map((limit) -> TestRequests.of(limit, key, cost)).toArray(PermitRequest[]::new);
	}

	private Map<String, Setting> settings(String method) {
		return parse(method).describe().get(0).settings();
	}

	private RateLimitOperation parse(String method) {
		RateLimitOperation operation = source().get(method(method), Samples.class);
		assertThat(operation).isNotNull();
		return operation;
	}

	private RateLimitOperationSource source() {
		return source(new RateLimitRegistry(() -> this.properties));
	}

	private static RateLimitOperationSource source(RateLimitRegistry limits) {
		return new RateLimitOperationSource(limits, new AttributeReader((text) -> text), new ExpressionCompiler(null));
	}

	private static Method method(String name) {
		for (Method method : ReflectionUtils.getDeclaredMethods(Samples.class)) {
			if (method.getName().equals(name)) {
				return method;
			}
		}
		throw new IllegalArgumentException(name);
	}

	private static MethodInvocation call(String method, @Nullable Object... arguments) {
		return new Call(method(method), arguments);
	}

	private record Call(Method method, @Nullable Object[] arguments) implements MethodInvocation {

		@Override
		public Method getMethod() {
			return this.method;
		}

		@Override
		public @Nullable Object[] getArguments() {
			return this.arguments;
		}

		@Override
		public @Nullable Object proceed() {
			return null;
		}

		@Override
		public Object getThis() {
			return new Samples();
		}

		@Override
		public AccessibleObject getStaticPart() {
			return this.method;
		}

	}

	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@RateLimited(name = "rows", key = "#user", limit = 10, cost = "#rows.size()", refundOn = IOException.class,
			onEmptyKey = OnEmptyKey.SHARED)
	@interface PerRow {

	}

	static class Samples {

		@RateLimited(limit = 10)
		public void plain() {
		}

		@RateLimited(name = "tuned", key = "#user", limit = 10, window = "1s",
				algorithm = RateLimitAlgorithm.TOKEN_BUCKET, burst = 20, cost = "#cost", waitTime = "2s", shadow = true,
				onOutage = OutagePolicy.DENY, onEmptyKey = OnEmptyKey.SHARED, refundOn = IOException.class)
		public void tuned(String user, Object cost) {
		}

		@RateLimited(name = "tuned-1s", limit = 1)
		public void likeBand() {
		}

		@RateLimited(name = "shared", limit = 1)
		public void shared() {
		}

		@RateLimited(name = "shared", limit = 1, shadow = true)
		public void sharedDifferently() {
		}

		@RateLimited(limit = -1)
		public void negativeLimit() {
		}

		@RateLimited(limitString = "0")
		public void zeroText() {
		}

		@RateLimited(limit = 10, window = "0s")
		public void noWindow() {
		}

		@RateLimited(limit = 10, burst = -2, algorithm = RateLimitAlgorithm.TOKEN_BUCKET)
		public void negativeBurst() {
		}

		@RateLimited(limit = 10, burst = 20)
		public void burstOfWindow() {
		}

		@RateLimited(limit = 10, waitTime = "-1s")
		public void negativeWait() {
		}

		@RateLimited(limit = 10_001)
		public void tooExact() {
		}

		@RateLimited(limit = 10, cost = "11")
		public void highCost() {
		}

		@RateLimited(limit = 10, cost = "11", shadow = true)
		public void highCostTrial() {
		}

		@RateLimited(limit = 10, cost = "1.5")
		public void halfCost() {
		}

		@RateLimited(limit = 10, cost = "-1")
		public void negativeCost() {
		}

		@RateLimited(limit = 10, cost = "99999999999999999999")
		public void hugeCost() {
		}

		@RateLimited(limit = 10, cost = "#rows")
		public void unknownCost() {
		}

		@RateLimited(limit = 10, onEmptyKey = OnEmptyKey.SKIP)
		public void onEmptyWithoutKey() {
		}

		@RateLimited(name = "a", limit = 10)
		@RateLimited(name = "a-1s", limit = 10)
		public void bandTwice() {
		}

		@RateLimited(key = "#user", limit = 10)
		public void errorOnEmpty(Object user) {
		}

		@RateLimited(key = "#user", limit = 10, onEmptyKey = OnEmptyKey.SKIP)
		public void skipOnEmpty(Object user) {
		}

		@RateLimited(key = "#user", limit = 10, onEmptyKey = OnEmptyKey.SHARED)
		public void sharedOnEmpty(Object user) {
		}

		@RateLimited(name = "user", key = "#user", limit = 10, onEmptyKey = OnEmptyKey.SKIP)
		@RateLimited(name = "all", limit = 10)
		public void skipOneOfTwo(Object user) {
		}

		@RateLimited(name = "a", limit = 10, refundOn = IOException.class)
		@RateLimited(name = "b", limit = 10, refundOn = IllegalStateException.class)
		public void refundOneOfTwo() {
		}

		@PerRow
		public void meta(List<Integer> rows, String user) {
		}

	}

}
