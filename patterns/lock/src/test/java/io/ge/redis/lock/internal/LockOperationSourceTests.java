// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.ExpressionCompiler;
import io.ge.redis.core.invocation.Setting;
import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.lock.DistributedLock;
import io.ge.redis.lock.FencingToken;
import io.ge.redis.lock.LockLostException;
import io.ge.redis.lock.LockMode;
import io.ge.redis.lock.LockNotAcquiredException;
import io.ge.redis.lock.LockOptions;
import io.ge.redis.lock.LockProperties;
import io.ge.redis.lock.OnLost;
import io.ge.redis.lock.OnNotAcquired;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.ParallelFlux;

import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.http.ResponseEntity;
import org.springframework.util.ReflectionUtils;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

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
		assertThat(operation.settings())
			.isEqualTo(new LockSettings("Samples.plain", Duration.ZERO, Duration.ofSeconds(30), true, OutagePolicy.DENY,
					null, Duration.ZERO, OnLost.VETO_COMMIT, 0, Duration.ofMillis(50), LockMode.EXCLUSIVE, 1));
		assertThat(operation.describe().get(0).settings()).containsEntry("leaseTime",
				new Setting("PT30S", Setting.Origin.DEFAULT));
	}

	@Test
	void propertiesOfTheNameWin() {
		this.properties = properties(Map.of("tuned", new LockProperties.Lock(Duration.ofSeconds(1), null, false,
				OutagePolicy.ALLOW, Duration.ofMinutes(9), null, OnLost.EVENT, 2, null, null)));
		assertThat(parse("tuned").settings()).isEqualTo(new LockSettings("tuned", Duration.ofSeconds(1),
				Duration.ofMinutes(2), false, OutagePolicy.ALLOW, Duration.ofMinutes(9), Duration.ofSeconds(5),
				OnLost.EVENT, 2, Duration.ofMillis(50), LockMode.EXCLUSIVE, 1));
		assertThat(parse("tuned").describe().get(0).settings())
			.containsEntry("waitTime", new Setting("PT1S", Setting.Origin.PROPERTIES))
			.containsEntry("leaseTime", new Setting("PT2M", Setting.Origin.ANNOTATION));
	}

	@Test
	void refusesLeaseThatIsNotAboveZero() {
		assertRefused("noLease").withMessageContaining("the lease time must be between 100ms and 365 days, but is PT0S")
			.withMessageContaining("Samples.noLease()")
			.withMessageContaining("Correct the annotation or ge.redis.lock.locks.");
		assertPropertyRefused("lease-time=0s", "ge.redis.lock.lease-time must be at least 100ms, was PT0S");
		assertPropertyRefused("locks.any.lease-time=-1s",
				"ge.redis.lock.locks.any.lease-time must be at least 100ms, was PT-1S");
		assertPropertyRefused("locks.any.wait-time=-1s",
				"ge.redis.lock.locks.any.wait-time must be at least 0ms, was PT-1S");
	}

	private static void assertPropertyRefused(String property, String message) {
		String[] words = property.split("=");
		Binder binder = new Binder(new MapConfigurationPropertySource(Map.of("ge.redis.lock." + words[0], words[1])));
		assertThatExceptionOfType(BindException.class)
			.isThrownBy(() -> binder.bind("ge.redis.lock", LockProperties.class))
			.havingRootCause()
			.withMessage(message);
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
		assertRefused("skipPrimitive").withMessageContaining("Samples.skipPrimitive()")
			.withMessageContaining("onNotAcquired = SKIP has nothing to return for the primitive int")
			.withMessageContaining("Return the wrapper type, which is null when the call was skipped, or an Optional");
	}

	@Test
	void refusesFallbackWithoutName() {
		assertRefused("unnamedFallback").withMessageContaining("FALLBACK without a fallback")
			.withMessageContaining("Name the method that answers: fallback = \"...\"");
	}

	@Test
	void refusesFallbackThatDoesNotExist() {
		assertRefused("missingFallback").withMessageContaining("there is no fallback method 'nowhere'")
			.withMessageContaining("Add to Samples: void nowhere with the same parameters, optionally followed by a "
					+ "LockNotAcquiredException");
	}

	@Test
	void refusesFallbackThatDoesNotMatch() {
		for (String method : List.of("fallbackOfOtherParameters", "fallbackOfOtherType", "fallbackOfOtherRefusal")) {
			assertRefused(method)
				.withMessageContaining("there is no fallback method '" + method + "Fallback' that fits")
				.withMessageContaining("Add to Samples: String " + method + "Fallback with the same parameters");
		}
	}

	@Test
	void refusesKeysThatCanBeNoCollection() {
		for (String method : List.of("keysOfText", "keysOfNumber", "keysOfConstant")) {
			assertRefused(method).withMessageContaining("neither a collection nor an array")
				.withMessageContaining(
						"Write several keys as a list, such as keys = \"{#from, #to}\", or one as key = ");
		}
		assertThat(parse("keysOfList").together()).isTrue();
		assertThat(parse("keysOfArray").together()).isTrue();
		assertThat(parse("keysOfAnything").together()).isTrue();
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
	void knowsInWhichFormTheResultComes() {
		assertThat(parse("asynchronous").form()).isEqualTo(ResultForm.FUTURE);
		assertThat(parse("publisher").form().kind()).isEqualTo(ResultForm.Kind.SINGLE);
		assertThat(parse("publishers").form().kind()).isEqualTo(ResultForm.Kind.MULTIPLE);
		assertThat(parse("plain").form().isPlain()).isTrue();
	}

	@Test
	void refusesResultsOfWhichNothingTellsWhenTheyAreThere() {
		assertRefused("plainFuture").withMessageContaining("the return type Future cannot be guarded");
		assertRefused("parallel").withMessageContaining("the return type ParallelFlux cannot be guarded");
	}

	@Test
	void refusesResultsOnWhichSpringMvcWorksAfterTheMethodHasReturned() {
		for (String method : List.of("deferred", "streamed", "streamedBody", "emitted", "calledLater")) {
			assertRefused(method).withMessageContaining("is worked on after the method has returned")
				.withMessageContaining("Return a CompletableFuture or a Mono.");
		}
		assertThat(parse("factory").form().isPlain()).isTrue();
		assertThat(parse("plainBody").form().isPlain()).isTrue();
	}

	@Test
	void refusesManyValuesUnderALeaseThatIsNotExtended() {
		assertRefused("notExtended").withMessageContaining("Samples.notExtended()")
			.withMessageContaining("the lock is lost when PT30S have passed")
			.withMessageContaining("Leave renew = true and bound it by maxHold, or return a Mono");
		assertThat(parse("notExtendedOnce").settings().renew()).isFalse();
		this.properties = properties(Map.of("publishers",
				new LockProperties.Lock(null, null, false, null, null, null, null, null, null, null)));
		assertRefused("publishers").withMessageContaining("since its lease is not extended");
	}

	@Test
	void refusesFallbackAndSkipOfAnotherForm() {
		assertRefused("otherForm").withMessageContaining("there is no fallback method 'otherFormFallback' that fits")
			.withMessageContaining("Add to Samples: Mono otherFormFallback");
		assertThat(parse("skippedMono").skipped()).isInstanceOf(Mono.class);
		assertThat(parse("skippedFuture").skipped()).isInstanceOfSatisfying(CompletableFuture.class,
				(skipped) -> assertThat(skipped.join()).isEqualTo(Optional.empty()));
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
	void readersAndWritersOfOneNameBelongTogether() {
		LockOperationSource source = source();
		LockOperation reads = source.get(method("reads"), Samples.class);
		LockOperation writes = source.get(method("writes"), Samples.class);
		assertThat(reads.settings().isShared() && writes.settings().isShared()).isTrue();
		assertThat(reads.settings().limit()).isEqualTo(Integer.MAX_VALUE);
		assertThat(writes.settings().limit()).isEqualTo(1);
		assertThat(writes.tokenParameters()).containsExactly(0);
		assertThat(writes.describe().get(0).settings()).containsEntry("mode",
				new Setting("WRITE", Setting.Origin.ANNOTATION));
	}

	@Test
	void permitsOfThePropertiesWin() {
		assertThat(parse("slots").settings().limit()).isEqualTo(3);
		this.properties = properties(
				Map.of("slots", new LockProperties.Lock(null, null, null, null, null, null, null, null, null, 7)));
		assertThat(parse("slots").settings().limit()).isEqualTo(7);
		assertThat(parse("slots").describe().get(0).settings()).containsEntry("permits",
				new Setting(7, Setting.Origin.PROPERTIES));
		this.properties = properties(
				Map.of("slots", new LockProperties.Lock(null, null, null, null, null, null, null, null, null, 1)));
		assertThat(parse("slots").settings().isShared()).isFalse();
	}

	@Test
	void refusesPermitsThatCannotWork() {
		assertRefused("noPermits").withMessageContaining("permits must be between 1 and 1000000")
			.withMessageContaining("Samples.noPermits()");
		assertRefused("readPermits").withMessageContaining("reading and writing").withMessageContaining("2 permits");
		this.properties = properties(
				Map.of("account", new LockProperties.Lock(null, null, null, null, null, null, null, null, null, 2)));
		assertRefused("writes").withMessageContaining("2 permits").withMessageContaining("ge.redis.lock.locks.account");
	}

	@Test
	void refusesTokenOfHoldersThatAreTogether() {
		assertRefused("readToken").withMessageContaining("@FencingToken")
			.withMessageContaining("in mode READ")
			.withMessageContaining("mode = WRITE");
		assertRefused("permitToken").withMessageContaining("@FencingToken").withMessageContaining("with 2 permits");
	}

	@Test
	void refusesOneNameForSharedAndExclusiveUse() {
		for (String other : List.of("writesAlone", "writesWithPermits", "writesDifferently")) {
			LockOperationSource source = source();
			source.get(method("reads"), Samples.class);
			assertThatExceptionOfType(GuardConfigurationException.class)
				.isThrownBy(() -> source.get(method(other), Samples.class))
				.withMessageContaining("'account' is used with other settings");
		}
	}

	@Test
	void codeTakesALockAsItsMethodsDo() {
		LockRegistry locks = new LockRegistry(() -> this.properties);
		LockOperationSource source = new LockOperationSource(locks, new AttributeReader((text) -> text),
				new ExpressionCompiler(null));
		source.get(method("writes"), Samples.class);
		source.get(method("slots"), Samples.class);
		source.get(method("shared"), Samples.class);
		LockOptions options = LockOptions.defaults();
		assertThat(locks.get("account", options.mode(LockMode.READ)).limit()).isEqualTo(Integer.MAX_VALUE);
		assertThat(locks.get("account", options.mode(LockMode.WRITE)).leaseTime()).isEqualTo(Duration.ofSeconds(7));
		assertThat(locks.get("slots", options).limit()).isEqualTo(3);
		assertThat(locks.get("slots", options.waitTime(Duration.ofSeconds(1))).limit()).isEqualTo(3);
		assertThat(locks.get("shared", options).limit()).isEqualTo(1);
		assertWrongInCode(locks, "account", options).withMessageContaining("in mode EXCLUSIVE here")
			.withMessageContaining("LockOptions.mode");
		assertWrongInCode(locks, "account", options.waitTime(Duration.ofSeconds(1)));
		assertWrongInCode(locks, "account", options.permits(2)).withMessageContaining("with 2 permits here");
		assertWrongInCode(locks, "slots", options.mode(LockMode.READ)).withMessageContaining("3 permits");
		assertWrongInCode(locks, "slots", options.permits(2)).withMessageContaining("3 permits on a method");
		assertWrongInCode(locks, "shared", options.mode(LockMode.WRITE));
		assertWrongInCode(locks, "shared", options.permits(2));
	}

	@Test
	void codeDoesNotTakeALockForLongerThanCanBeCounted() {
		LockRegistry locks = new LockRegistry(() -> this.properties);
		LockOptions options = LockOptions.defaults();
		Duration forever = Duration.ofSeconds(Long.MAX_VALUE);
		for (LockOptions tooLong : List.of(options.waitTime(forever), options.leaseTime(forever),
				options.maxHold(forever), options.atLeastFor(forever), options.syncTimeout(forever))) {
			assertWrongInCode(locks, "long", tooLong).withMessageContaining(" days, but is " + forever);
		}
	}

	private static ThrowableAssertAlternative<GuardConfigurationException> assertWrongInCode(LockRegistry locks,
			String name, LockOptions options) {
		return assertThatExceptionOfType(GuardConfigurationException.class).isThrownBy(() -> locks.get(name, options))
			.withMessageContaining("The lock '" + name + "'");
	}

	@Test
	void refusesOtherHttpStatus() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new LockProperties(true, null, Duration.ZERO, Duration.ofSeconds(30), OutagePolicy.DENY,
					OnLost.VETO_COMMIT, 0, Duration.ofMillis(50), 500, false, Map.of()))
			.withMessageContaining("ge.redis.lock.http-status");
	}

	@Test
	void refusesReplicasAndTimeoutsThatCannotWork() {
		assertThatIllegalArgumentException().isThrownBy(() -> properties(-1, Duration.ofMillis(50), Map.of()))
			.withMessageContaining("ge.redis.lock.replicas must be at least 0");
		assertThatIllegalArgumentException().isThrownBy(() -> properties(0, Duration.ZERO, Map.of()))
			.withMessageContaining("ge.redis.lock.sync-timeout must be at least 1ms");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> properties(0, Duration.ofMillis(50), Map.of("plain", replicated(-2, null))))
			.withMessageContaining("ge.redis.lock.locks.plain.replicas must be at least 0");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> properties(0, Duration.ofMillis(50), Map.of("plain", replicated(1, Duration.ofNanos(1)))))
			.withMessageContaining("ge.redis.lock.locks.plain.sync-timeout must be at least 1ms");
		this.properties = properties(1, Duration.ofSeconds(30), Map.of());
		assertRefused("plain").withMessageContaining("the sync timeout must be below the lease time");
	}

	@Test
	void replicasOfTheNameWin() {
		this.properties = properties(1, Duration.ofMillis(50), Map.of("tuned", replicated(2, Duration.ofMillis(70))));
		assertThat(parse("tuned").settings().replicas()).isEqualTo(2);
		assertThat(parse("tuned").settings().syncTimeout()).isEqualTo(Duration.ofMillis(70));
		assertThat(parse("plain").settings().replicas()).isEqualTo(1);
		assertThat(parse("plain").describe().get(0).settings()).containsEntry("replicas",
				new Setting(1, Setting.Origin.DEFAULT));
	}

	private static LockProperties.Lock replicated(Integer replicas, Duration syncTimeout) {
		return new LockProperties.Lock(null, null, null, null, null, null, null, replicas, syncTimeout, null);
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
		return new LockOperationSource(new LockRegistry(() -> this.properties), new AttributeReader((text) -> text),
				new ExpressionCompiler(null));
	}

	private static LockProperties properties(Map<String, LockProperties.Lock> locks) {
		return properties(0, Duration.ofMillis(50), locks);
	}

	private static LockProperties properties(int replicas, Duration syncTimeout,
			Map<String, LockProperties.Lock> locks) {
		return new LockProperties(true, null, Duration.ZERO, Duration.ofSeconds(30), OutagePolicy.DENY,
				OnLost.VETO_COMMIT, replicas, syncTimeout, 409, false, locks);
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
		public DeferredResult<String> deferred() {
			return new DeferredResult<>();
		}

		@DistributedLock
		public StreamingResponseBody streamed() {
			return (output) -> {
			};
		}

		@DistributedLock
		public ResponseEntity<StreamingResponseBody> streamedBody() {
			return ResponseEntity.ok(streamed());
		}

		@DistributedLock
		public ResponseEntity<String> plainBody() {
			return ResponseEntity.ok("plain");
		}

		@DistributedLock
		public SseEmitter emitted() {
			return new SseEmitter();
		}

		@DistributedLock
		@GetMapping
		public Callable<String> calledLater() {
			return () -> "called";
		}

		@DistributedLock
		public Callable<String> factory() {
			return () -> "called";
		}

		@DistributedLock(name = "account", mode = LockMode.READ, leaseTime = "7s")
		public void reads() {
		}

		@DistributedLock(name = "account", mode = LockMode.WRITE, leaseTime = "7s")
		public void writes(@FencingToken long token) {
		}

		@DistributedLock(name = "account", leaseTime = "7s")
		public void writesAlone() {
		}

		@DistributedLock(name = "account", permits = 2, leaseTime = "7s")
		public void writesWithPermits() {
		}

		@DistributedLock(name = "account", mode = LockMode.WRITE, leaseTime = "8s")
		public void writesDifferently() {
		}

		@DistributedLock(name = "slots", permits = 3)
		public void slots() {
		}

		@DistributedLock(permits = 0)
		public void noPermits() {
		}

		@DistributedLock(mode = LockMode.READ, permits = 2)
		public void readPermits() {
		}

		@DistributedLock(mode = LockMode.READ)
		public void readToken(@FencingToken long token) {
		}

		@DistributedLock(permits = 2)
		public void permitToken(@FencingToken long token) {
		}

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

		@DistributedLock(onNotAcquired = OnNotAcquired.FALLBACK, fallback = "fallbackOfOtherParametersFallback")
		public String fallbackOfOtherParameters(String id) {
			return id;
		}

		String fallbackOfOtherParametersFallback(int id) {
			return "";
		}

		@DistributedLock(onNotAcquired = OnNotAcquired.FALLBACK, fallback = "fallbackOfOtherTypeFallback")
		public String fallbackOfOtherType(String id) {
			return id;
		}

		Integer fallbackOfOtherTypeFallback(String id) {
			return 1;
		}

		@DistributedLock(onNotAcquired = OnNotAcquired.FALLBACK, fallback = "fallbackOfOtherRefusalFallback")
		public String fallbackOfOtherRefusal(String id) {
			return id;
		}

		String fallbackOfOtherRefusalFallback(String id, LockLostException refusal) {
			return id;
		}

		@DistributedLock(keys = "#id")
		public void keysOfText(String id) {
		}

		@DistributedLock(keys = "#p0")
		public void keysOfNumber(int id) {
		}

		@DistributedLock(keys = "'all'")
		public void keysOfConstant() {
		}

		@DistributedLock(keys = "#ids")
		public void keysOfList(List<String> ids) {
		}

		@DistributedLock(keys = "#ids")
		public void keysOfArray(String[] ids) {
		}

		@DistributedLock(keys = "#ids")
		public void keysOfAnything(Object ids) {
		}

		@DistributedLock(fallback = "plain")
		public void idleFallback() {
		}

		@DistributedLock
		public void textToken(@FencingToken String token) {
		}

		@DistributedLock(key = "#one", keys = "#all")
		public void bothKeys(String one, List<String> all) {
		}

		@DistributedLock(key = "#nobody")
		public void unknownVariable(String somebody) {
		}

		@DistributedLock
		public Mono<String> publisher() {
			return Mono.empty();
		}

		@DistributedLock(name = "publishers")
		public Flux<String> publishers() {
			return Flux.empty();
		}

		@DistributedLock(renew = false)
		public Flux<String> notExtended() {
			return Flux.empty();
		}

		@DistributedLock(renew = false)
		public Mono<String> notExtendedOnce() {
			return Mono.empty();
		}

		@DistributedLock
		public Future<String> plainFuture() {
			return CompletableFuture.completedFuture("");
		}

		@DistributedLock
		public ParallelFlux<String> parallel() {
			return Flux.just("").parallel();
		}

		@DistributedLock(onNotAcquired = OnNotAcquired.FALLBACK, fallback = "otherFormFallback")
		public Mono<String> otherForm() {
			return Mono.empty();
		}

		String otherFormFallback() {
			return "";
		}

		@DistributedLock(onNotAcquired = OnNotAcquired.SKIP)
		public Mono<String> skippedMono() {
			return Mono.empty();
		}

		@DistributedLock(onNotAcquired = OnNotAcquired.SKIP)
		public CompletableFuture<Optional<String>> skippedFuture() {
			return CompletableFuture.completedFuture(Optional.empty());
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
