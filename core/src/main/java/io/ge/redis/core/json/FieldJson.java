// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.json;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.AnnotationIntrospector;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.DatatypeFeatures;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.NopAnnotationIntrospector;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.util.NameTransformer;

import org.springframework.util.Assert;

/**
 * The {@link StoredJson} of fields that are written one by one.
 * <p>
 * In a change, a null property removes a field, and a missing one leaves it as it is. So
 * all properties of an object are written, also those that {@code @JsonInclude} would
 * omit. {@code @JsonUnwrapped} is refused, since its null has no name.
 * <p>
 * Half of a surrogate pair is refused in all texts, since other programs do not read it.
 */
public final class FieldJson {

	private static final JsonInclude.Value ALWAYS = JsonInclude.Value.construct(JsonInclude.Include.ALWAYS,
			JsonInclude.Include.ALWAYS);

	/** Each escape; the group is half of a pair. */
	private static final Pattern ESCAPES = Pattern
		.compile("\\\\(?:u[dD][89abAB]..\\\\u[dD][c-fC-F]..|(u[dD][89a-fA-F]..)|.)");

	private final JsonMapper mapper;

	private final JsonMapper changes;

	/**
	 * Creates the JSON of one pattern.
	 * @param application the application's mapper, which is not changed
	 */
	public FieldJson(JsonMapper application) {
		// So that decimal numbers are read as the application reads its own
		boolean exact = application.isEnabled(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);
		DatatypeFeatures trees = application.deserializationConfig().getDatatypeFeatures();
		boolean exactInTrees = trees.isExplicitlySet(JsonNodeFeature.USE_BIG_DECIMAL_FOR_FLOATS)
				? trees.isEnabled(JsonNodeFeature.USE_BIG_DECIMAL_FOR_FLOATS) : exact;
		this.mapper = StoredJson.mapper(application)
			.rebuild()
			.configure(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS, exact)
			.configure(JsonNodeFeature.USE_BIG_DECIMAL_FOR_FLOATS, exactInTrees)
			.disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
			.build();
		AllProperties all = new AllProperties(application.serializationConfig().getAnnotationIntrospector());
		this.changes = this.mapper.rebuild()
			.withConfigOverride(Map.class, (map) -> map.setInclude(ALWAYS))
			.addModule(new SimpleModule("ge-redis-all-properties") {

				@Override
				public void setupModule(SetupContext context) {
					super.setupModule(context);
					context.insertAnnotationIntrospector(all);
				}

			})
			.build();
	}

	/** Returns the mapper that reads fields. */
	public JsonMapper mapper() {
		return this.mapper;
	}

	/**
	 * Returns the properties of an object, nulls included.
	 * @param what the object, for messages
	 * @throws IllegalArgumentException if it cannot be written as JSON, or is none
	 */
	public JsonNode properties(String what, @Nullable Object object) {
		JsonNode properties = written(what, () -> this.changes.<JsonNode>valueToTree(object));
		Assert.isTrue(properties.isObject(), () -> what
				+ " must be an object with properties, such as a map or a record, was " + properties.getNodeType());
		return properties;
	}

	/**
	 * Writes a value.
	 * @param what the value, for messages
	 * @throws IllegalArgumentException if it cannot be written as JSON
	 */
	public byte[] write(String what, @Nullable Object value) {
		byte[] json = written(what, () -> this.mapper.writeValueAsBytes(value));
		Assert.isTrue(!hasHalfOfPair(json), () -> what + " must be text, has half of a surrogate pair");
		return json;
	}

	private static <T> T written(String what, Supplier<T> writing) {
		try {
			return writing.get();
		}
		catch (JacksonException ex) {
			throw new IllegalArgumentException(what + " cannot be written as JSON: " + RoundTrips.reason(ex)
					+ ". Make it a type that Jackson writes and reads, such as a record", ex);
		}
	}

	// Jackson writes a pair as UTF-8, and half of one as an escape
	private static boolean hasHalfOfPair(byte[] json) {
		String text = new String(json, StandardCharsets.ISO_8859_1);
		return text.contains("\\u") && ESCAPES.matcher(text).results().anyMatch((escape) -> escape.group(1) != null);
	}

	/**
	 * Writes all properties, as they are without {@code @JsonUnwrapped}.
	 */
	private static final class AllProperties extends NopAnnotationIntrospector {

		private final transient AnnotationIntrospector application;

		AllProperties(AnnotationIntrospector application) {
			this.application = application;
		}

		@Override
		public JsonInclude.Value findPropertyInclusion(MapperConfig<?> config, Annotated annotated) {
			return ALWAYS;
		}

		@Override
		public @Nullable NameTransformer findUnwrappingNameTransformer(MapperConfig<?> config, AnnotatedMember member) {
			if (this.application.findUnwrappingNameTransformer(config, member) == null) {
				return null;
			}
			throw InvalidDefinitionException.from((JsonGenerator) null,
					"'" + member.getName() + "' of " + member.getDeclaringClass().getName()
							+ " is unwrapped, so a null could not remove its fields. Remove @JsonUnwrapped",
					(JavaType) null);
		}

	}

}
