// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import io.ge.redis.RedisUnavailableException;
import io.ge.redis.core.call.GuardedCall.Work;
import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.invocation.FallbackMethod;
import io.ge.redis.core.invocation.GuardDescription;
import io.ge.redis.core.invocation.GuardedOperation;
import io.ge.redis.core.invocation.KeyText;
import io.ge.redis.core.invocation.MethodExpression;
import io.ge.redis.lock.LockNotAcquiredException;
import io.ge.redis.lock.OnNotAcquired;
import org.aopalliance.intercept.MethodInvocation;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The lock of one method.
 *
 * @param key the key of the lock, or {@code null} for all calls together
 * @param together whether several keys are locked together
 * @param tokenParameters positions of the parameters that receive the token
 * @param inOutage whether calls are skipped because Redis does not decide
 */
record LockOperation(LockSettings settings, @Nullable MethodExpression key, boolean together,
		List<Integer> tokenParameters, OnNotAcquired onNotAcquired, @Nullable FallbackMethod fallback,
		@Nullable Object skipped, AtomicBoolean inOutage, ResultForm form,
		GuardDescription description) implements GuardedOperation {

	private static final Log logger = LogFactory.getLog(LockOperation.class);

	List<List<String>> keys(MethodInvocation invocation) {
		if (this.key == null) {
			return List.of(List.of());
		}
		Object value = this.key.evaluate(invocation);
		return this.together ? KeyText.several(value, this.key) : List.of(KeyText.of(value, this.key));
	}

	/**
	 * Replaces the token that the caller passed.
	 */
	void passToken(MethodInvocation invocation, long token) {
		decided();
		for (int position : this.tokenParameters) {
			invocation.getArguments()[position] = token;
		}
	}

	/**
	 * Decides on the replacement of a method that did not get its lock.
	 */
	Work refused(MethodInvocation invocation, LockNotAcquiredException refusal) {
		FallbackMethod answering = this.fallback;
		if (answering != null) {
			return () -> answering.invoke(invocation, () -> refusal);
		}
		if (this.onNotAcquired != OnNotAcquired.SKIP) {
			throw refusal;
		}
		return () -> {
			decided();
			return this.skipped;
		};
	}

	private void decided() {
		if (this.inOutage.get()) {
			this.inOutage.set(false);
		}
	}

	/**
	 * Decides on the replacement of a method on whose lock Redis did not decide. Logged
	 * once per outage: the exception may reach only a scheduler, which would log it at
	 * each run.
	 */
	Work undecided(RedisUnavailableException outage) {
		if (this.onNotAcquired != OnNotAcquired.SKIP) {
			throw outage;
		}
		if (this.inOutage.compareAndSet(false, true)) {
			logger.warn("Calls are skipped until Redis answers again. " + outage.getMessage());
		}
		return () -> this.skipped;
	}

	@Override
	public List<GuardDescription> describe() {
		return List.of(this.description);
	}

}
