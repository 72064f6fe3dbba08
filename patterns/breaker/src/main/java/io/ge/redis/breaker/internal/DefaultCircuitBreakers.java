// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.breaker.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.ge.redis.breaker.CircuitBreakers;
import io.ge.redis.breaker.CircuitState;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.invocation.KeyText;

import org.springframework.util.ReflectionUtils;

/**
 * Makes calls under the breakers of the engine.
 */
record DefaultCircuitBreakers(BreakerRegistry registry, Supplier<BreakerEngine> engine, GuardEvents events,
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
		return (CompletionStage<T>) this.calls.make(ResultForm.FUTURE, () -> newCall(name, work::get));
	}

	@Override
	public CircuitState state(String name, Object... key) {
		List<String> parts = new ArrayList<>(List.of(name));
		if (key.length > 0) {
			parts.addAll(
					KeyText.of((key.length == 1) ? key[0] : List.of(key), "The key of circuit breaker '" + name + "'"));
		}
		return this.engine.get().get(this.registry.get(name), parts).state().circuit();
	}

	private BreakerCall newCall(String name, BreakerCall.Task work) {
		return new BreakerCall(this.engine.get(), breaker(name), FailureRule.DEFAULT, this.events, work, null);
	}

	private InstanceBreaker breaker(String name) {
		return this.engine.get().get(this.registry.get(name), List.of(name));
	}

}
