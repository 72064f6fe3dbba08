// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.hash;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

import io.ge.redis.core.json.FieldJson;
import io.ge.redis.core.structure.Arguments;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.PropertyNamingStrategies.NamingBase;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.introspect.BeanPropertyDefinition;
import tools.jackson.databind.introspect.ClassIntrospector;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.util.Assert;

/**
 * Translates properties into fields, for all operations, by the naming strategy of the
 * application's mapper. A name of a field stays.
 * <p>
 * Names that the strategy does not produce are refused, since only some operations would
 * find the field. These are aliases, names of annotations that it would change, and
 * properties that an annotation has renamed. The last are refused as soon as a class with
 * such a property is written or read.
 */
final class HashFields {

	private final FieldJson json;

	private final UnaryOperator<String> naming;

	private final Map<List<Object>, ObjectReader> readers = new ConcurrentHashMap<>();

	/** The names in JSON by store and name of the property. */
	private final Map<List<String>, String> known = new ConcurrentHashMap<>();

	HashFields(JsonMapper application) {
		this.json = new FieldJson(application);
		SerializationConfig config = application.serializationConfig();
		// Others may need to know the member of a class
		this.naming = (config.getPropertyNamingStrategy() instanceof NamingBase strategy)
				? (name) -> strategy.nameForField(config, null, name) : UnaryOperator.identity();
	}

	String field(String store, String property) {
		String field = this.naming.apply(Arguments.member("field", property));
		String name = this.known.getOrDefault(List.of(store, field), field);
		Assert.isTrue(name.equals(field), () -> "field '" + property + "' is '" + name + "' in JSON. Write that");
		return field;
	}

	/** Returns the fields of an object, nulls included. */
	Map<String, JsonNode> of(String store, @Nullable Object state) {
		JsonNode properties = this.json.properties("state", state);
		Arguments.size("fields", properties.properties());
		boolean named = state instanceof Map || state instanceof JsonNode;
		if (state != null && !named) {
			reader(store, state.getClass());
		}
		Map<String, JsonNode> fields = new LinkedHashMap<>();
		properties.forEachEntry((name, value) -> {
			String field = field(store, name);
			requireName(named ? field : name, "state");
			Assert.isTrue(fields.put(field, value) == null,
					() -> "state must have each field once, has '" + field + "' and another name of it");
		});
		return fields;
	}

	byte[] write(String field, JsonNode value) {
		return this.json.write("Field '" + field + "'", value);
	}

	/** Returns what reads objects. A property without field is null, 0 or false. */
	ObjectReader reader(String store, Class<?> type) {
		List<Object> key = List.of(store, type);
		ObjectReader reader = this.readers.get(key);
		if (reader == null) {
			JavaType read = this.json.mapper().constructType(type);
			if (!read.isContainerType() && !JsonNode.class.isAssignableFrom(type)) {
				check(store, read);
			}
			reader = this.json.mapper().readerFor(read).without(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES);
			this.readers.put(key, reader);
		}
		return reader;
	}

	private void check(String store, JavaType type) {
		ClassIntrospector introspector = this.json.mapper().deserializationConfig().classIntrospectorInstance();
		List<BeanPropertyDefinition> properties = introspector
			.introspectForDeserialization(type, introspector.introspectClassAnnotations(type))
			.findProperties();
		String owner = type.getRawClass().getName();
		for (BeanPropertyDefinition property : properties) {
			requireName(property.getName(), owner);
			Assert.isTrue(property.findAliases().isEmpty(), () -> "Property '" + property.getName() + "' of " + owner
					+ " has aliases, each of which would be a field of its own. Remove @JsonAlias");
			this.known.putIfAbsent(List.of(store, this.naming.apply(property.getInternalName())), property.getName());
		}
		properties.forEach((property) -> this.known.put(List.of(store, property.getName()), property.getName()));
	}

	private void requireName(String name, String owner) {
		String field = this.naming.apply(name);
		Assert.isTrue(field.equals(name),
				() -> "Property '" + name + "' of " + owner + " has a name that the naming strategy of the JsonMapper"
						+ " changes, so that not all operations would find its field. Name it '" + field + "'");
	}

}
