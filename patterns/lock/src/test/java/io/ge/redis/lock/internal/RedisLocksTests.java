// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

import io.ge.redis.OutageCause;
import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.outage.AbsentConnection;
import io.ge.redis.core.outage.OutageListener;
import io.ge.redis.core.outage.OutageSettings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedisLocks}.
 */
class RedisLocksTests {

	private final ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(1);

	private final AbsentConnection connection = new AbsentConnection();

	private final RedisLocks locks = new RedisLocks(new RedisBackend("test", "ge", null, "instance-1", this.connection,
			new OutageSettings(Duration.ofSeconds(1), 3, Duration.ofMillis(10), Duration.ofSeconds(30)), this.scheduler,
			(script, nanos, failure) -> {
			}, new OutageListener() {

				@Override
				public void onFailure(String pattern, OutageCause cause) {
				}

				@Override
				public void onTransition(String breaker, boolean open) {
				}

			}));

	@AfterEach
	void stop() {
		this.scheduler.shutdownNow();
	}

	@Test
	void releaseOvertakesNoLockThatIsWrittenAgainWhereItsScriptIsUnknown() {
		this.connection.answers = true;
		this.connection.knowsScripts = false;
		List<Boolean> extended = new ArrayList<>();
		this.locks.renew(
				List.of(new LeaseRenewal(this.locks.key("orders", List.of("42")), "handle", Duration.ofSeconds(30),
						new LockAnswer.TokenRange(1, 5))),
				(renewal, mine) -> extended.add(mine), (renewal) -> extended.add(false));
		assertThat(extended).containsExactly(true);
		assertThat(this.connection.refused.get()).isZero();
	}

}
