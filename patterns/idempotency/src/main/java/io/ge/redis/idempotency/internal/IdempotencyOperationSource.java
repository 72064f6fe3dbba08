// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.ExpressionCompiler;
import io.ge.redis.core.invocation.FallbackMethod;
import io.ge.redis.core.invocation.GuardDescription;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.MethodExpression;
import io.ge.redis.core.invocation.OperationSource;
import io.ge.redis.core.invocation.ReturnTypes;
import io.ge.redis.core.invocation.Settings;
import io.ge.redis.core.invocation.SourceMethods;
import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.idempotency.FailureWithoutTransaction;
import io.ge.redis.idempotency.IdempotencyProperties;
import io.ge.redis.idempotency.IdempotencyScope;
import io.ge.redis.idempotency.IdempotencySettings;
import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.idempotency.OnDuplicate;
import io.ge.redis.idempotency.ResponseLostException;
import io.ge.redis.idempotency.UnknownOutcome;
import io.ge.redis.idempotency.spi.IdempotencyKeySource;
import io.ge.redis.idempotency.spi.ResultCodec;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ObjectUtils;

/**
 * Reads {@link Idempotent}.
 */
final class IdempotencyOperationSource extends OperationSource<Idempotent, IdempotencyOperation> {

	private final IdempotencyRegistry operations;

	private final AttributeReader attributes;

	private final ExpressionCompiler expressions;

	private final ResultCodecs codecs;

	private final Supplier<List<IdempotencyKeySource>> keySources;

	IdempotencyOperationSource(IdempotencyRegistry operations, AttributeReader attributes,
			ExpressionCompiler expressions, ResultCodecs codecs, Supplier<List<IdempotencyKeySource>> keySources) {
		super(Idempotent.class);
		this.operations = operations;
		this.attributes = attributes;
		this.expressions = expressions;
		this.codecs = codecs;
		this.keySources = keySources;
	}

	@Override
	protected IdempotencyOperation parse(List<Idempotent> annotations, GuardedMethod method) {
		Idempotent annotation = annotations.get(0);
		String name = this.attributes.name(method, annotation.name());
		ResultForm form = form(method);
		ResultCodec codec = this.codecs.forMethod(name, method, form);
		Settings settings = new Settings();
		IdempotencySettings merged = this.operations.define(name, read(annotation, method), settings, method);
		IdempotencyKeySource.Calls calls = calls(method);
		requireReadable(codec, calls, method);
		String key = this.attributes.text(method, "key", annotation.key());
		settings.pickOptional("key", null, key);
		String fingerprint = this.attributes.text(method, "fingerprint", annotation.fingerprint());
		settings.pickOptional("fingerprint", null, fingerprint);
		String recover = this.attributes.text(method, "recover", annotation.recover());
		settings.pickOptional("recover", null, recover);
		StoredExceptions exceptions = StoredExceptions.of(name, annotation.storeExceptions(), method,
				this.codecs.maxBytes());
		settings.pickOptional("storeExceptions", null, names(annotation.storeExceptions()));
		return new IdempotencyOperation(merged, keyReader(key, calls, method),
				payloadReader(fingerprint, calls, method), codec, exceptions, calls,
				(recover != null) ? FallbackMethod.find(method, "recover", recover, ResponseLostException.class) : null,
				form, new GuardDescription("idempotency", "Idempotent", name, settings.toMap()));
	}

	// The response of a web handler is kept, whatever its type
	private static void requireReadable(ResultCodec codec, IdempotencyKeySource.@Nullable Calls calls,
			GuardedMethod method) {
		String obstacle = (calls == null) ? codec.obstacle() : null;
		if (obstacle != null) {
			throw method.problem("its results cannot be read back: " + obstacle + ".",
					"Return a type that Jackson can read, such as a record, or a collection of a concrete type.");
		}
	}

	private ResultForm form(GuardedMethod method) {
		ResultForm form = ReturnTypes.form(method);
		ReturnTypes.requireOverWhenReturned(method);
		if (!form.isPlain() && this.operations.isWitnessRequired()) {
			throw method.problem(
					"ge.redis.idempotency.witness=required, and an asynchronous method has no transactional "
							+ "record: writing it would block.",
					"Return the plain value, or set ge.redis.idempotency.witness=auto.");
		}
		return form;
	}

	private static @Nullable String names(Class<?>[] types) {
		String names = Arrays.stream(types).map(Class::getSimpleName).collect(Collectors.joining(", "));
		return names.isEmpty() ? null : names;
	}

	private IdempotencyProperties.Operation read(Idempotent annotation, GuardedMethod method) {
		return new IdempotencyProperties.Operation(this.attributes.duration(method, "ttl", annotation.ttl()),
				this.attributes.duration(method, "lease", annotation.lease()),
				AttributeReader.given(annotation.scope(), IdempotencyScope.PRINCIPAL),
				AttributeReader.given(annotation.required(), true),
				AttributeReader.given(annotation.onDuplicate(), OnDuplicate.CONFLICT),
				AttributeReader.given(annotation.onFailureWithoutTransaction(), FailureWithoutTransaction.UNKNOWN),
				AttributeReader.given(annotation.onUnknownOutcome(), UnknownOutcome.BLOCK),
				AttributeReader.given(annotation.onOutage(), OutagePolicy.DEFAULT));
	}

	private IdempotencyKeySource.@Nullable Calls calls(GuardedMethod method) {
		for (IdempotencyKeySource source : this.keySources.get()) {
			IdempotencyKeySource.Calls calls = source.bind(method);
			if (calls != null) {
				return calls;
			}
		}
		return null;
	}

	private Function<MethodInvocation, @Nullable List<String>> keyReader(@Nullable String key,
			IdempotencyKeySource.@Nullable Calls calls, GuardedMethod method) {
		if (key != null) {
			MethodExpression expression = this.expressions.compileKey(method, "key", key);
			return (invocation) -> {
				Object value = expression.evaluate(invocation);
				return (ObjectUtils.unwrapOptional(value) != null) ? IdempotencyRequest.keyParts(value, expression)
						: null;
			};
		}
		if (calls == null) {
			throw method.problem("it has no key.",
					"Set key to an expression that identifies the call, such as \"#message.id\"; only on web handlers "
							+ "it is taken from the request.");
		}
		return (invocation) -> {
			String value = calls.key();
			return (value != null) ? List.of(value) : null;
		};
	}

	private Function<MethodInvocation, @Nullable Object> payloadReader(@Nullable String fingerprint,
			IdempotencyKeySource.@Nullable Calls calls, GuardedMethod method) {
		if (fingerprint != null) {
			return this.expressions.compile(method, "fingerprint", fingerprint)::evaluate;
		}
		Fingerprints.requireComparable(method, calls == null);
		if (calls != null) {
			return (invocation) -> calls.payload(arguments(invocation));
		}
		return IdempotencyOperationSource::arguments;
	}

	private static @Nullable Object[] arguments(MethodInvocation invocation) {
		return SourceMethods.arguments(invocation.getMethod(), invocation.getArguments());
	}

}
