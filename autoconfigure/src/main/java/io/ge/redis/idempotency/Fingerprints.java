/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import java.io.OutputStream;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import io.ge.redis.core.invocation.GuardedMethod;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.AnnotationIntrospector;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reduces the payload of a call to 32 bytes that are equal for equal payloads.
 * <p>
 * Values are compared by their fields, whatever annotations say about their JSON: a
 * password that is never written to a response still tells two requests apart.
 */
final class Fingerprints {

	private static final List<Class<?>> NO_DATA = List.of(java.io.InputStream.class, OutputStream.class,
			java.io.Reader.class, java.io.Writer.class, java.util.stream.BaseStream.class, java.util.Iterator.class,
			Runnable.class, java.util.concurrent.Callable.class, java.util.function.Supplier.class,
			java.util.function.Consumer.class, java.util.function.Function.class);

	private static final JsonMapper FIELDS = JsonMapper.builder()
		.annotationIntrospector(AnnotationIntrospector.nopInstance())
		.changeDefaultVisibility((visibility) -> visibility.with(Visibility.NONE).withFieldVisibility(Visibility.ANY))
		.disable(MapperFeature.PROPAGATE_TRANSIENT_MARKER)
		.enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS, SerializationFeature.FAIL_ON_EMPTY_BEANS)
		.build();

	private Fingerprints() {
	}

	/**
	 * Refuses parameters that are no data: they would have to be read to be compared.
	 */
	static void requireComparable(GuardedMethod method) {
		for (Class<?> parameter : method.method().getParameterTypes()) {
			for (Class<?> type : NO_DATA) {
				if (type.isAssignableFrom(parameter)) {
					throw method.problem(
							"a parameter of type " + parameter.getSimpleName()
									+ " cannot be compared with that of a repetition.",
							"Set fingerprint to an expression over the parameters that identify the call.");
				}
			}
		}
	}

	/**
	 * Returns the fingerprint of a payload.
	 * @throws JacksonException if a value has no fields to be compared by
	 */
	static byte[] of(@Nullable Object payload) {
		MessageDigest digest = sha256();
		FIELDS.writeValue(new DigestOutputStream(OutputStream.nullOutputStream(), digest), payload);
		return digest.digest();
	}

	private static MessageDigest sha256() {
		try {
			return MessageDigest.getInstance("SHA-256");
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java platform has SHA-256", ex);
		}
	}

}
