// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.breaker.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.ge.redis.breaker.CircuitBreakers;
import io.ge.redis.breaker.CircuitState;
import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.invocation.KeyText;

import org.springframework.util.ReflectionUtils;

/**
 * Makes calls under the breakers of the engine.
 */
record DefaultCircuitBreakers(BreakerRegistry registry, Supplier<BreakerEngine> engine,
		GuardedCalls calls) implements CircuitBreakers {

	@Override
	@SuppressWarnings({ "unchecked", "NullAway" }) // the result of the work
	public <T> T call(String name, Supplier<T> work) {
		try {
			return (T) GuardedCalls.run(newCall(name, work::get));
		}
		catch (Throwable ex) {
			ReflectionUtils.rethrowRuntimeException(ex);
			throw new IllegalStateException(ex);
		}
	}

	@Override
	@SuppressWarnings("unchecked") // the result of the work
	public <T> CompletionStage<T> callAsync(String name, Supplier<? extends CompletionStage<T>> work) {
		return (CompletionStage<T>) make(name, ResultForm.FUTURE, work);
	}

	Object make(String name, ResultForm form, Supplier<?> work) {
		return this.calls.make(form, () -> newCall(name, work::get));
	}

	private BreakerCall newCall(String name, GuardedCall.Work work) {
		return new BreakerCall(this.engine.get(), breaker(List.of(name)), work, (refusal) -> {
			throw refusal;
		});
	}

	@Override
	public CircuitState state(String name, Object... key) {
		List<String> parts = new ArrayList<>(List.of(name));
		if (key.length > 0) {
			parts.addAll(
					KeyText.of((key.length == 1) ? key[0] : List.of(key), "The key of circuit breaker '" + name + "'"));
		}
		return breaker(parts).state().circuit();
	}

	private InstanceBreaker breaker(List<String> parts) {
		return this.engine.get().get(this.registry.get(parts.get(0)), parts);
	}

}
