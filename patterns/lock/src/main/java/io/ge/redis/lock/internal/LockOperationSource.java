// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.lang.annotation.Annotation;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

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
import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.lock.DistributedLock;
import io.ge.redis.lock.FencingToken;
import io.ge.redis.lock.LockNotAcquiredException;
import io.ge.redis.lock.LockProperties;
import io.ge.redis.lock.OnNotAcquired;
import org.jspecify.annotations.Nullable;

import org.springframework.core.MethodParameter;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedMethod;

/**
 * Reads {@link DistributedLock}.
 */
final class LockOperationSource extends OperationSource<DistributedLock, LockOperation> {

	private final LockRegistry locks;

	private final AttributeReader attributes;

	private final @Nullable ExpressionCompiler expressions;

	LockOperationSource(LockRegistry locks, AttributeReader attributes, @Nullable ExpressionCompiler expressions) {
		super(DistributedLock.class);
		this.locks = locks;
		this.attributes = attributes;
		this.expressions = expressions;
	}

	@Override
	protected Class<? extends Annotation> parameterAnnotation() {
		return FencingToken.class;
	}

	@Override
	protected LockOperation parse(List<DistributedLock> annotations, GuardedMethod method) {
		ResultForm form = ReturnTypes.form(method);
		ReturnTypes.requireOverWhenReturned(method);
		DistributedLock annotation = annotations.get(0);
		String name = this.attributes.name(method, annotation.name());
		Settings settings = new Settings();
		LockSettings lock = this.locks.define(name,
				new LockRegistry.Attributes(read(annotation, method), annotation.mode()), settings, method);
		String key = this.attributes.text(method, "key", annotation.key());
		String keys = this.attributes.text(method, "keys", annotation.keys());
		if (key != null && keys != null) {
			throw method.problem("Both key and keys are given.", "Give key for one lock, or keys for several.");
		}
		settings.pickOptional("key", null, key);
		settings.pickOptional("keys", null, keys);
		MethodExpression expression = expression(method, key, keys);
		if (expression != null && keys != null) {
			requireSeveral(expression, keys, method);
		}
		OnNotAcquired policy = settings.pick("onNotAcquired", null,
				AttributeReader.given(annotation.onNotAcquired(), OnNotAcquired.THROW), OnNotAcquired.THROW);
		FallbackMethod fallback = fallback(annotation, policy, method);
		if (form.kind() == ResultForm.Kind.MULTIPLE && !lock.renew()) {
			throw method.problem("the lock is lost when " + lock.leaseTime()
					+ " have passed, since its lease is not extended, and a publisher of many values may take "
					+ "as long as it likes.", "Leave renew = true and bound it by maxHold, or return a Mono.");
		}
		List<Integer> tokens = tokenParameters(method);
		if (!tokens.isEmpty() && lock.limit() > 1) {
			throw method.problem(
					"@FencingToken orders holders that follow each other, and this lock is held " + lock.manner()
							+ " by several together.",
					"Remove the parameter, or use mode = WRITE or a lock without permits.");
		}
		return new LockOperation(lock, expression, keys != null, tokens, policy, fallback,
				(policy == OnNotAcquired.SKIP) ? skipped(form, method) : null, new AtomicBoolean(), form,
				new GuardDescription("lock", "DistributedLock", name, settings.toMap()));
	}

	private @Nullable MethodExpression expression(GuardedMethod method, @Nullable String key, @Nullable String keys) {
		if (this.expressions == null) {
			return null;
		}
		return (keys != null) ? this.expressions.compile(method, "keys", keys).asKey()
				: (key != null) ? this.expressions.compileKey(method, "key", key) : null;
	}

	private static void requireSeveral(MethodExpression expression, String keys, GuardedMethod method) {
		Class<?> type = expression.knownType();
		if (type != null && !type.isArray() && !Collection.class.isAssignableFrom(type)) {
			throw method.problem(
					"keys = \"" + keys + "\" is a " + type.getSimpleName()
							+ ", which is neither a collection nor an array.",
					"Write several keys as a list, such as keys = \"{#from, #to}\", or one as key = \"" + keys + "\".");
		}
	}

	private LockProperties.Lock read(DistributedLock annotation, GuardedMethod method) {
		if (annotation.onLost().length > 1) {
			throw method.problem("onLost names " + annotation.onLost().length + " policies.", "Name one.");
		}
		return new LockProperties.Lock(this.attributes.duration(method, "waitTime", annotation.waitTime()),
				this.attributes.duration(method, "leaseTime", annotation.leaseTime()),
				AttributeReader.given(annotation.renew(), true),
				AttributeReader.given(annotation.onOutage(), OutagePolicy.DEFAULT),
				this.attributes.duration(method, "maxHold", annotation.maxHold()),
				this.attributes.duration(method, "atLeastFor", annotation.atLeastFor()),
				(annotation.onLost().length > 0) ? annotation.onLost()[0] : null, null, null,
				AttributeReader.given(annotation.permits(), 1));
	}

	private static @Nullable FallbackMethod fallback(DistributedLock annotation, OnNotAcquired policy,
			GuardedMethod method) {
		if (policy == OnNotAcquired.FALLBACK) {
			if (annotation.fallback().isEmpty()) {
				throw method.problem("onNotAcquired = FALLBACK without a fallback.",
						"Name the method that answers: fallback = \"...\".");
			}
			return FallbackMethod.find(method, annotation.fallback(), LockNotAcquiredException.class);
		}
		if (!annotation.fallback().isEmpty()) {
			throw method.problem(
					"fallback = \"" + annotation.fallback() + "\" has no effect with onNotAcquired = " + policy + ".",
					"Set onNotAcquired = FALLBACK, or remove the fallback.");
		}
		return null;
	}

	private static List<Integer> tokenParameters(GuardedMethod method) {
		List<Integer> positions = new ArrayList<>(1);
		for (MethodParameter parameter : new AnnotatedMethod(method.method()).getMethodParameters()) {
			if (!parameter.hasParameterAnnotation(FencingToken.class)) {
				continue;
			}
			Class<?> type = parameter.getParameterType();
			if (type != long.class && type != Long.class) {
				throw method.problem("@FencingToken is on a parameter of the type " + type.getSimpleName() + ".",
						"Declare it as long.");
			}
			positions.add(parameter.getParameterIndex());
		}
		return List.copyOf(positions);
	}

	private static @Nullable Object skipped(ResultForm form, GuardedMethod method) {
		ResolvableType result = ReturnTypes.result(method);
		Class<?> type = result.toClass();
		if (type.isPrimitive() && type != void.class) {
			throw method.problem("onNotAcquired = SKIP has nothing to return for the primitive " + type + ".",
					"Return the wrapper type, which is null when the call was skipped, or an Optional.");
		}
		return switch (form.kind()) {
			case PLAIN -> empty(type);
			case FUTURE -> CompletableFuture.completedFuture(empty(result.getGeneric(0).toClass()));
			case SINGLE, MULTIPLE -> nothing(form, type, method);
		};
	}

	private static @Nullable Object empty(Class<?> type) {
		return (type == Optional.class) ? Optional.empty() : null;
	}

	private static Object nothing(ResultForm form, Class<?> type, GuardedMethod method) {
		ReactiveAdapter adapter = form.adapter();
		if (adapter == null) {
			return form.publishing(empty(type));
		}
		if (!adapter.supportsEmpty()) {
			throw method.problem("onNotAcquired = SKIP has nothing to return for "
					+ adapter.getReactiveType().getSimpleName() + ", which is never empty.",
					"Return a type that may be empty, such as Mono.");
		}
		return form.publishing(null);
	}

}
