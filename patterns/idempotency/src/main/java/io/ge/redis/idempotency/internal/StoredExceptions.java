// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.lang.reflect.Constructor;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.ge.redis.GeRedisException;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.idempotency.spi.Recording;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeanUtils;
import org.springframework.util.ReflectionUtils;

/**
 * The exceptions of one method that are an outcome. One is kept as the name of the type
 * in the annotation and its message. A name from Redis is only compared with the names in
 * the annotation: no class is ever loaded by it.
 */
final class StoredExceptions {

	private static final Log logger = LogFactory.getLog(StoredExceptions.class);

	private static final char END_OF_NAME = '\n';

	private static final char NO_MESSAGE = '0';

	private static final char MESSAGE = '1';

	private final String name;

	private final List<Type> types;

	private final long maxBytes;

	private final Set<Class<?>> warned = ConcurrentHashMap.newKeySet();

	private StoredExceptions(String name, List<Type> types, long maxBytes) {
		this.name = name;
		this.types = types;
		this.maxBytes = maxBytes;
	}

	/**
	 * Returns the exceptions, or {@code null} if none are listed.
	 */
	public static @Nullable StoredExceptions of(String name, Class<? extends Exception>[] listed, GuardedMethod method,
			long maxBytes) {
		List<Type> types = new ArrayList<>();
		for (Class<? extends Exception> type : listed) {
			types.add(require(type, method));
		}
		return types.isEmpty() ? null : new StoredExceptions(name, types, maxBytes);
	}

	private static Type require(Class<? extends Exception> type, GuardedMethod method) {
		if (GeRedisException.class.isAssignableFrom(type)) {
			throw method.problem("storeExceptions names " + type.getSimpleName() + ", by which a guard refuses a call.",
					"Name only exceptions of the application.");
		}
		Constructor<? extends Exception> constructor = constructor(type, String.class);
		if (constructor == null) {
			constructor = constructor(type);
		}
		if (constructor == null || Modifier.isAbstract(type.getModifiers())) {
			throw method.problem(
					"storeExceptions names " + type.getSimpleName() + ", which cannot be made again for a repetition.",
					"Name a class with a constructor that takes the message, or nothing.");
		}
		return new Type(type, constructor);
	}

	private static @Nullable Constructor<? extends Exception> constructor(Class<? extends Exception> type,
			Class<?>... parameters) {
		try {
			Constructor<? extends Exception> found = type.getDeclaredConstructor(parameters);
			ReflectionUtils.makeAccessible(found);
			return found;
		}
		catch (NoSuchMethodException ex) {
			return null;
		}
	}

	public boolean contains(Throwable failure) {
		return find(failure) != null;
	}

	// The nearest, so that the order of the list does not matter
	private @Nullable Type find(Throwable failure) {
		if (failure instanceof GeRedisException) {
			// By a supertype in the list: a refusal of a guard is no outcome
			return null;
		}
		for (Class<?> type = failure.getClass(); type != null; type = type.getSuperclass()) {
			for (Type candidate : this.types) {
				if (candidate.type() == type) {
					return candidate;
				}
			}
		}
		return null;
	}

	/**
	 * An exception whose message would come back different counts as any other failure.
	 */
	public Recording record(Throwable failure) {
		Type type = find(failure);
		if (type == null) {
			return new Recording.Failed();
		}
		String message = failure.getMessage();
		String text = type.type().getName() + END_OF_NAME + ((message != null) ? MESSAGE + message : NO_MESSAGE);
		byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
		if (isFaithful(type, failure, message)) {
			return (bytes.length <= this.maxBytes) ? new Recording.Stored(bytes) : new Recording.Lost();
		}
		if (this.warned.add(failure.getClass())) {
			logger.warn("An exception of @Idempotent '" + this.name + "' is not kept, because " + type.type().getName()
					+ " cannot be made again with the same message");
		}
		return new Recording.Failed();
	}

	private static boolean isFaithful(Type type, Throwable failure, @Nullable String message) {
		try {
			return Objects.equals(type.create(message).getMessage(), failure.getMessage());
		}
		catch (RuntimeException ex) {
			return false;
		}
	}

	/**
	 * Makes an exception again.
	 * @throws RuntimeException if the bytes name none of the listed types
	 */
	public Exception replay(byte[] bytes) {
		String text = new String(bytes, StandardCharsets.UTF_8);
		int end = text.indexOf(END_OF_NAME);
		for (Type type : this.types) {
			if (end > 0 && text.length() > end + 1 && type.type().getName().equals(text.substring(0, end))) {
				return type.create((text.charAt(end + 1) == MESSAGE) ? text.substring(end + 2) : null);
			}
		}
		throw new IllegalArgumentException("its exception is not among storeExceptions");
	}

	private record Type(Class<? extends Exception> type, Constructor<? extends Exception> constructor) {

		Exception create(@Nullable String message) {
			return (this.constructor.getParameterCount() == 0) ? BeanUtils.instantiateClass(this.constructor)
					: BeanUtils.instantiateClass(this.constructor, message);
		}

	}

}
