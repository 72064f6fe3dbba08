/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency.record;

import java.io.OutputStream;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import io.ge.redis.core.hash.Sha256;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.SourceMethods;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.AnnotationIntrospector;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.StdSerializer;

/**
 * Reduces the payload of a call to 32 bytes that are equal for equal payloads.
 * <p>
 * Values are compared by their fields, whatever annotations say about their JSON: a
 * password that is never written to a response still tells two requests apart.
 */
public final class Fingerprints {

	private static final List<Class<?>> NO_DATA = List.of(java.io.InputStream.class, OutputStream.class,
			java.io.Reader.class, java.io.Writer.class, java.util.stream.BaseStream.class, java.util.Iterator.class,
			Runnable.class, java.util.concurrent.Callable.class, java.util.function.Supplier.class,
			java.util.function.Consumer.class, java.util.function.Function.class);

	/** No payload has so many sets within each other; a cycle has. */
	private static final int DEEPEST_SET = 50;

	private static final String SET_DEPTH = Fingerprints.class.getName() + ".depth";

	private static final JsonMapper FIELDS = JsonMapper.builder()
		.addModule(new SimpleModule().addSerializer(Set.class, new SetSerializer()))
		.enable(JsonNodeFeature.WRITE_PROPERTIES_SORTED)
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
	public static void requireComparable(GuardedMethod method) {
		for (Class<?> parameter : SourceMethods.parameterTypes(method.method())) {
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
	public static byte[] of(@Nullable Object payload) {
		MessageDigest digest = Sha256.digest();
		FIELDS.writeValue(new DigestOutputStream(OutputStream.nullOutputStream(), digest), payload);
		return digest.digest();
	}

	/**
	 * Writes elements in the order of their text: that of sets differs between instances.
	 */
	@SuppressWarnings("rawtypes")
	private static final class SetSerializer extends StdSerializer<Set> {

		SetSerializer() {
			super(Set.class);
		}

		@Override
		public void serialize(Set value, JsonGenerator generator, SerializationContext context) {
			int depth = (context.getAttribute(SET_DEPTH) instanceof Integer outer) ? outer + 1 : 1;
			if (depth > DEEPEST_SET) {
				context.reportMappingProblem("More than %d sets within each other", DEEPEST_SET);
			}
			ObjectWriter elements = FIELDS.writer().withAttribute(SET_DEPTH, depth);
			List<String> texts = new ArrayList<>(value.size());
			for (Object element : value) {
				texts.add(elements.writeValueAsString(element));
			}
			Collections.sort(texts);
			generator.writeStartArray();
			for (String text : texts) {
				generator.writeString(text);
			}
			generator.writeEndArray();
		}

	}

}
