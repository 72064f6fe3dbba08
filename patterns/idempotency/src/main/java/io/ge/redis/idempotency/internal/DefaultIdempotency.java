// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.ge.redis.PrincipalProvider;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.call.PendingCaller;
import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.invocation.EventLoops;
import io.ge.redis.idempotency.Idempotency;
import io.ge.redis.idempotency.IdempotencyCallerException;
import io.ge.redis.idempotency.IdempotencyScope;
import io.ge.redis.idempotency.IdempotencySettings;
import io.ge.redis.idempotency.internal.IdempotencyRequest.Caller;
import io.ge.redis.idempotency.spi.ResultCodec;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

import org.springframework.core.ParameterizedTypeReference;
import org.springframework.core.ResolvableType;

/**
 * Idempotent calls by code, and those of annotated methods.
 */
final class DefaultIdempotency implements Idempotency {

	private final IdempotencyRegistry operations;

	private final ResultCodecs codecs;

	private final Supplier<List<PrincipalProvider>> principals;

	private final IdempotentCall.Parts parts;

	DefaultIdempotency(IdempotencyRegistry operations, ResultCodecs codecs,
			Supplier<List<PrincipalProvider>> principals, IdempotentCall.Parts parts) {
		this.operations = operations;
		this.codecs = codecs;
		this.principals = principals;
		this.parts = parts;
	}

	@Override
	public IdempotencySettings settings(String name) {
		return this.operations.get(name);
	}

	@Override
	@SuppressWarnings({ "unchecked", "NullAway" })
	public <T extends @Nullable Object> T execute(IdempotencySettings settings, Object key, @Nullable Object payload,
			ParameterizedTypeReference<T> type, Supplier<T> action) {
		EventLoops.forbidWaiting("Idempotency.execute", "executeAsync");
		try {
			return (T) GuardedCalls.run(call(ResultForm.PLAIN, settings, key, payload, type, action));
		}
		catch (RuntimeException | Error ex) {
			throw ex;
		}
		catch (Throwable ex) {
			throw new IllegalStateException("A supplier throws no checked exception", ex);
		}
	}

	@Override
	@SuppressWarnings("unchecked")
	public <T extends @Nullable Object> CompletionStage<T> executeAsync(IdempotencySettings settings, Object key,
			@Nullable Object payload, ParameterizedTypeReference<T> type,
			Supplier<? extends CompletionStage<T>> action) {
		IdempotentCall call = call(ResultForm.FUTURE, settings, key, payload, type, action);
		return (CompletionStage<T>) this.parts.calls().make(ResultForm.FUTURE, () -> call);
	}

	private IdempotentCall call(ResultForm form, IdempotencySettings settings, Object key, @Nullable Object payload,
			ParameterizedTypeReference<?> type, Supplier<?> action) {
		List<String> parts = IdempotencyRequest.keyParts(key, "The key of '" + settings.name() + "'");
		byte[] fingerprint = fingerprint(settings, payload);
		ResultCodec codec = this.codecs.forValue(settings.name(), ResolvableType.forType(type));
		return call(form, new IdempotentCall.Action() {

			@Override
			public IdempotencySettings settings() {
				return settings;
			}

			@Override
			public ResultCodec codec() {
				return codec;
			}

			@Override
			public IdempotencyRequest ask() {
				return request(settings, parts, fingerprint);
			}

			@Override
			public @Nullable Object run(Progress progress) {
				progress.reach();
				return action.get();
			}

		});
	}

	private static byte[] fingerprint(IdempotencySettings settings, @Nullable Object payload) {
		try {
			return Fingerprints.of(payload);
		}
		catch (JacksonException ex) {
			throw new IllegalArgumentException(
					"The payload of '" + settings.name() + "' has no fields to be compared by", ex);
		}
	}

	IdempotentCall call(ResultForm form, IdempotentCall.Action action) {
		return new IdempotentCall(form, action, this.parts);
	}

	IdempotencyRequest request(IdempotencySettings settings, List<String> key, byte[] fingerprint) {
		Caller caller = (settings.scope() == IdempotencyScope.PRINCIPAL)
				? PendingCaller.ask(() -> currentCaller(settings)) : null;
		return new IdempotencyRequest(settings, caller, key, fingerprint);
	}

	private @Nullable Caller currentCaller(IdempotencySettings settings) {
		for (PrincipalProvider provider : this.principals.get()) {
			String principal = provider.currentPrincipal();
			if (principal != null) {
				if (principal.isBlank()) {
					throw new IdempotencyCallerException(settings.name());
				}
				return new Caller(provider.currentIssuer(), principal);
			}
		}
		return null;
	}

}
