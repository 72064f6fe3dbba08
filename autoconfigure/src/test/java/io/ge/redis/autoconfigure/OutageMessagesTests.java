// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.ge.redis.OutageCause;
import io.ge.redis.RedisUnavailableException;
import io.ge.redis.blacklist.BlacklistCheck;
import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.lock.DistributedLock;
import io.ge.redis.lock.DistributedLocks;
import io.ge.redis.lock.OnNotAcquired;
import io.ge.redis.ratelimit.RateLimited;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What developers and operators read while there is no Redis.
 */
@ExtendWith(OutputCaptureExtension.class)
class OutageMessagesTests {

	private static final String SERVER = "Redis at localhost:1 did not decide on ";

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
				GeRedisAutoConfiguration.class, RateLimitAutoConfiguration.class, LockAutoConfiguration.class,
				IdempotencyAutoConfiguration.class, BlacklistAutoConfiguration.class))
		.withPropertyValues("spring.data.redis.port=1")
		.withBean(Desk.class);

	@Test
	void refusalsNameServerGuardAndMethodAndShowTheCaller() {
		this.runner.run((context) -> {
			Desk desk = context.getBean(Desk.class);
			assertRefused(() -> desk.limited("anna"), "rate limit 'logins'", "limited(String)");
			assertRefused(() -> desk.locked("42"), "lock 'orders'", "locked(String)");
			assertRefused(() -> desk.once("k"), "idempotent operation 'transfers'", "once(String)");
			assertRefused(() -> desk.checked("anna"), "blacklist 'users'", "checked(String)");
			assertRefused(() -> context.getBean(DistributedLocks.class).tryLock("orders", 42), "lock 'orders'", null);
			assertThat(desk.later("42")).isCompletedExceptionally();
			assertThatExceptionOfType(Exception.class).isThrownBy(() -> desk.later("42").join())
				.havingCause()
				.withMessage(SERVER + "lock 'orders' in " + Desk.class.getName() + ".later(String): refused");
		});
	}

	private static void assertRefused(ThrowingCallable call, String guard, String method) {
		assertThatExceptionOfType(RedisUnavailableException.class).isThrownBy(call)
			.withMessage(SERVER + guard + ((method != null) ? " in " + Desk.class.getName() + "." + method : "")
					+ ": refused")
			.satisfies((ex) -> assertThat(Arrays.stream(ex.getStackTrace()).map(StackTraceElement::getMethodName))
				.contains("refusalsNameServerGuardAndMethodAndShowTheCaller"));
	}

	@Test
	void transitionIsLoggedWithTheAddressAndSkippedCallsOncePerOutage(CapturedOutput output) {
		this.runner.run((context) -> {
			Desk desk = context.getBean(Desk.class);
			for (int i = 0; i < 3; i++) {
				assertThat(desk.skipped()).isNull();
				assertThat(desk.skippedLater()).isCompletedWithValue(null);
			}
		});
		assertThat(output).contains("Redis (default at localhost:1) is unavailable", OutageCause.REFUSED.hint() + ".")
			.containsOnlyOnce("Calls are skipped until Redis answers again. " + SERVER + "lock 'nightly': refused")
			.containsOnlyOnce("Calls are skipped until Redis answers again. " + SERVER + "lock 'hourly': refused")
			.doesNotContain("RedisUnavailableException");
	}

	@Test
	void callsAfterTheGuardsAreClosed(CapturedOutput output) {
		List<String> refusals = new ArrayList<>();
		this.runner.withBean(Late.class, () -> new Late(refusals)).run((context) -> context.getBean(Late.class));
		assertThat(refusals).hasSize(6)
			.allMatch((message) -> message.startsWith(SERVER) && message.endsWith(": closed"));
		assertThat(output).doesNotContain("\tat ");
	}

	@Test
	void startFailsWhereRedisIsRequired() {
		this.runner.withPropertyValues("ge.redis.startup=require").run((context) -> {
			assertThat(context).hasFailed();
			FailureAnalysis analysis = new GuardConfigurationFailureAnalyzer().analyze(context.getStartupFailure());
			assertThat(analysis.getDescription()).matches("ge.redis.startup=require: Redis cannot be used. "
					+ "Redis at localhost:1 did not decide on [a-z-]+: refused");
			assertThat(analysis.getAction()).startsWith(OutageCause.REFUSED.hint())
				.endsWith("Set ge.redis.startup=lenient to start without Redis.");
		});
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, GeRedisAutoConfiguration.class))
			.withPropertyValues("spring.data.redis.port=1", "ge.redis.startup=require")
			.run((unused) -> assertThat(unused).hasNotFailed());
	}

	/** Calls guards while the application destroys its beans. */
	static class Late implements DisposableBean {

		private final List<String> refusals;

		@Autowired
		private Desk desk;

		@Autowired
		private DistributedLocks locks;

		Late(List<String> refusals) {
			this.refusals = refusals;
		}

		@Override
		public void destroy() {
			Stream
				.<Runnable>of(() -> this.desk.limited("anna"), () -> this.desk.locked("42"),
						() -> this.desk.lockedIfPossible("42"), () -> this.desk.once("k"),
						() -> this.desk.checked("anna"), () -> this.locks.tryLock("orders", 42))
				.forEach(this::call);
		}

		private void call(Runnable late) {
			try {
				late.run();
				this.refusals.add("none");
			}
			catch (RedisUnavailableException ex) {
				this.refusals.add(ex.getMessage());
			}
		}

	}

	static class Desk {

		@RateLimited(name = "logins", key = "#user", limit = 5, window = "1m", onOutage = OutagePolicy.DENY)
		public void limited(String user) {
		}

		@DistributedLock(name = "orders", key = "#id")
		public void locked(String id) {
		}

		@DistributedLock(name = "lax", key = "#id", onOutage = OutagePolicy.ALLOW)
		public void lockedIfPossible(String id) {
		}

		@DistributedLock(name = "orders", key = "#id")
		public CompletableFuture<String> later(String id) {
			return CompletableFuture.completedFuture(id);
		}

		@Idempotent(name = "transfers", key = "#key")
		public void once(String key) {
		}

		@BlacklistCheck(name = "users", subject = "#user")
		public void checked(String user) {
		}

		@DistributedLock(name = "nightly", onNotAcquired = OnNotAcquired.SKIP)
		public String skipped() {
			return "run";
		}

		@DistributedLock(name = "hourly", onNotAcquired = OnNotAcquired.SKIP)
		public CompletableFuture<String> skippedLater() {
			return CompletableFuture.completedFuture("run");
		}

	}

}
