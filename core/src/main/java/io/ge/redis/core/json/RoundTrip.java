// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.json;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.ge.redis.core.json.ObjectFields.Fields;
import io.ge.redis.core.json.ObjectFields.Part;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.introspect.BeanPropertyDefinition;
import tools.jackson.databind.introspect.ClassIntrospector;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.util.ClassUtils;

/**
 * Writes and reads a sample value of a type at startup. So a type that cannot be read, or
 * comes back incomplete, is found before the first reader. Types without a possible
 * sample are not judged.
 */
final class RoundTrip {

	private static final int DEEPEST = 8;

	private final JsonMapper mapper;

	private final ObjectFields fields;

	private final Deque<Class<?>> within = new ArrayDeque<>();

	private @Nullable String lost;

	RoundTrip(JsonMapper mapper, ObjectFields fields) {
		this.mapper = mapper;
		this.fields = fields;
	}

	/**
	 * Returns why values of a type cannot be read back.
	 */
	@Nullable String obstacle(JavaType type) {
		if (type.isJavaLangObject()) {
			return "it says nothing about its content, which would be read back as maps and lists";
		}
		Object sample = sample(type);
		if (this.lost != null) {
			return this.lost;
		}
		String empty = (type.isCollectionLikeType() || type.isArrayType()) ? "[]" : "{}";
		try {
			return obstacle(type, (sample != null) ? this.mapper.writeValueAsString(sample) : empty);
		}
		catch (InvalidDefinitionException ex) {
			return reason(ex);
		}
		catch (RuntimeException | LinkageError ex) {
			return (sample != null) ? obstacleOfReading(type, empty) : null;
		}
	}

	private @Nullable String obstacleOfReading(JavaType type, String json) {
		try {
			this.mapper.readerFor(type).readValue(json);
			return null;
		}
		catch (InvalidDefinitionException ex) {
			return reason(ex);
		}
		catch (RuntimeException | LinkageError ex) {
			// It can be read, from other JSON
			return null;
		}
	}

	private @Nullable String obstacle(JavaType type, String json) {
		ObjectReader reader = this.mapper.readerFor(type);
		Object value = reader.readValue(json);
		Comparison comparison = new Comparison(this.fields);
		if (value == null || comparison.change(value, reader.readValue(json)) != null) {
			// Or it differs each time that it is made
			return null;
		}
		return comparison.change(value, reader.readValue(this.mapper.writerFor(type).writeValueAsBytes(value)));
	}

	private static String reason(InvalidDefinitionException ex) {
		return ex.getPath().isEmpty() ? ex.getOriginalMessage()
				: ex.getOriginalMessage() + ", at " + ex.getPathReference();
	}

	/**
	 * Creates a sample value in the form of JSON, with all properties.
	 * @return maps, lists, texts, numbers and constants; {@code null} where no sample is
	 * possible
	 */
	private @Nullable Object sample(JavaType type) {
		Class<?> raw = ClassUtils.resolvePrimitiveIfNecessary(type.getRawClass());
		if (raw == String.class || raw == CharSequence.class || raw == Character.class || raw == Object.class) {
			return "a";
		}
		if (raw == Boolean.class) {
			return true;
		}
		if (Number.class.isAssignableFrom(raw) && raw.getName().startsWith("java.")) {
			return 1;
		}
		if (type.isEnumType()) {
			Object[] constants = raw.getEnumConstants();
			return (constants != null && constants.length > 0) ? constants[0] : null;
		}
		if (type.isReferenceType()) {
			return sample(type.getReferencedType());
		}
		if (type.isArrayType() || type.isCollectionLikeType()) {
			return list(type);
		}
		if (type.isMapLikeType()) {
			Object content = (type.getKeyType().getRawClass() == String.class) ? sample(type.getContentType()) : null;
			return (content != null) ? Map.of("a", content) : Map.of();
		}
		return raw.getName().startsWith("java.") ? null : bean(type);
	}

	private Object list(JavaType type) {
		JavaType content = type.getContentType();
		if (content.getRawClass() == byte.class || content.getRawClass() == char.class) {
			return "YWFh";
		}
		Object element = sample(content);
		return (element != null) ? List.of(element) : List.of();
	}

	private @Nullable Object bean(JavaType type) {
		Class<?> raw = type.getRawClass();
		if (this.within.contains(raw) || this.within.size() == DEEPEST) {
			return null;
		}
		ClassIntrospector introspector = this.mapper.deserializationConfig().classIntrospectorInstance();
		BeanDescription description = introspector.introspectForDeserialization(type,
				introspector.introspectClassAnnotations(type));
		if (description.getClassAnnotations().has(JsonTypeInfo.class)) {
			return null;
		}
		noteHiddenState(type);
		this.within.push(raw);
		Map<String, Object> properties = new LinkedHashMap<>();
		for (BeanPropertyDefinition property : description.findProperties()) {
			Object value = property.couldDeserialize() ? sample(property.getPrimaryType()) : null;
			if (value != null) {
				properties.put(property.getName(), value);
			}
		}
		this.within.pop();
		return properties;
	}

	// A field with one of Jackson's annotations is missing on purpose
	private void noteHiddenState(JavaType type) {
		Fields found = this.fields.ofType(type);
		for (Part part : found.parts()) {
			if (this.lost == null && found.empty() && !part.annotated()) {
				this.lost = "nothing is written of " + type.getRawClass().getName() + ", although it has the field '"
						+ part.field().getName() + "'";
			}
		}
	}

}
