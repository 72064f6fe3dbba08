// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.json;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.cfg.GeneratorSettings;
import tools.jackson.databind.cfg.SerializationContexts;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.TypeSerializer;
import tools.jackson.databind.ser.SerializationContextExt;
import tools.jackson.databind.ser.SerializerCache;
import tools.jackson.databind.ser.SerializerFactory;
import tools.jackson.databind.ser.impl.TypeWrappedSerializer;

/**
 * The JSON of values whose declared type the writer does not know. A value whose class
 * has type information ({@code @JsonTypeInfo}) is written with it also where Java has
 * erased the declared type: as an element of a list, or in a record with type parameters.
 * Jackson alone would leave it out there, and no reader could read the value.
 */
public final class TypedJson {

	private TypedJson() {
	}

	/**
	 * Returns the mapper that writes such values, and all others as the application does.
	 */
	public static JsonMapper mapper(JsonMapper application) {
		return application.rebuild().serializationContexts(new Contexts(null, null, null)).build();
	}

	private static final class Contexts extends SerializationContexts {

		Contexts(@Nullable TokenStreamFactory streams, @Nullable SerializerFactory serializers,
				@Nullable SerializerCache cache) {
			super(streams, serializers, cache);
		}

		@Override
		protected SerializationContexts forMapper(Object mapper, TokenStreamFactory streams,
				SerializerFactory serializers, SerializerCache cache) {
			return new Contexts(streams, serializers, cache);
		}

		@Override
		public SerializationContextExt createContext(SerializationConfig config, GeneratorSettings settings) {
			return new Context(this._streamFactory, config, settings, this._serializerFactory, this._cache);
		}

	}

	/**
	 * Finds serializers by the class of a value, since no declared type says more.
	 */
	private static final class Context extends SerializationContextExt {

		Context(TokenStreamFactory streams, SerializationConfig config, GeneratorSettings settings,
				SerializerFactory serializers, SerializerCache cache) {
			super(streams, config, settings, serializers, cache);
		}

		@Override
		public ValueSerializer<Object> findPrimaryPropertySerializer(JavaType type, BeanProperty property) {
			return typed(type, property, super.findPrimaryPropertySerializer(type, property));
		}

		@Override
		public ValueSerializer<Object> findPrimaryPropertySerializer(Class<?> type, BeanProperty property) {
			return typed(constructType(type), property, super.findPrimaryPropertySerializer(type, property));
		}

		@Override
		public ValueSerializer<Object> findContentValueSerializer(Class<?> type, BeanProperty property) {
			return typed(constructType(type), property, super.findContentValueSerializer(type, property));
		}

		private ValueSerializer<Object> typed(JavaType type, BeanProperty property, ValueSerializer<Object> untyped) {
			TypeSerializer types = findTypeSerializer(type);
			return (types != null) ? new TypeWrappedSerializer(types.forProperty(this, property), untyped) : untyped;
		}

	}

}
