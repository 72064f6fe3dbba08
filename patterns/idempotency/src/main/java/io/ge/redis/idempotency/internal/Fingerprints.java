// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.io.OutputStream;
import java.math.BigDecimal;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.Principal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import io.ge.redis.core.call.OngoingResults;
import io.ge.redis.core.hash.Sha256;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.SourceMethods;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.util.JsonGeneratorDelegate;
import tools.jackson.databind.AnnotationIntrospector;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.ValueSerializerModifier;
import tools.jackson.databind.ser.impl.FailingSerializer;
import tools.jackson.databind.ser.std.StdSerializer;
import tools.jackson.databind.ser.std.ToStringSerializerBase;

/**
 * Reduces the payload of a call to 32 bytes that are equal for equal payloads.
 * <p>
 * Values are compared by their fields, whatever annotations say about their JSON: a
 * password that is never written to a response still distinguishes two requests. Fields
 * that are {@code null} or empty do not count, so that a class may get further ones.
 * Numbers are compared by value, principals by name, sets and maps in any order.
 * Publishers and futures are refused.
 */
final class Fingerprints {

	private static final List<Class<?>> NO_DATA = List.of(java.io.InputStream.class, OutputStream.class,
			java.io.Reader.class, java.io.Writer.class, java.util.stream.BaseStream.class, java.util.Iterator.class,
			Runnable.class, java.util.concurrent.Callable.class, java.util.function.Supplier.class,
			java.util.function.Consumer.class, java.util.function.Function.class);

	/** No payload has so many sets within each other; a cycle has. */
	private static final int DEEPEST_SET = 50;

	private static final String SET_DEPTH = Fingerprints.class.getName() + ".depth";

	private static final JsonMapper VALUES = JsonMapper
		.builder(JsonFactory.builder().addDecorator((factory, generator) -> new NumbersByValue(generator)).build())
		.addModule(new SimpleModule().addSerializer(Set.class, new SetSerializer())
			.setSerializerModifier(new NamesOfPrincipals()))
		.changeDefaultPropertyInclusion((same) -> JsonInclude.Value.construct(Include.NON_EMPTY, Include.NON_EMPTY))
		.enable(JsonNodeFeature.WRITE_PROPERTIES_SORTED)
		.disable(JsonNodeFeature.WRITE_NULL_PROPERTIES)
		.annotationIntrospector(AnnotationIntrospector.nopInstance())
		.changeDefaultVisibility((visibility) -> visibility.with(Visibility.NONE).withFieldVisibility(Visibility.ANY))
		.disable(MapperFeature.PROPAGATE_TRANSIENT_MARKER)
		.enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS, SerializationFeature.FAIL_ON_EMPTY_BEANS)
		.build();

	private Fingerprints() {
	}

	/**
	 * Refuses parameters that are no data: they would have to be read to be compared.
	 * @param all whether all arguments are compared, not only what they were made of
	 */
	public static void requireComparable(GuardedMethod method, boolean all) {
		for (Class<?> parameter : SourceMethods.parameterTypes(method.method())) {
			if ((all && OngoingResults.isOngoing(parameter))
					|| NO_DATA.stream().anyMatch((type) -> type.isAssignableFrom(parameter))) {
				throw method.problem(
						"a parameter of type " + parameter.getSimpleName()
								+ " cannot be compared with the payload of a repetition.",
						"Set fingerprint to an expression over the parameters that identify the call.");
			}
		}
	}

	/**
	 * Returns the fingerprint of a payload.
	 * @throws JacksonException if a value has no fields to be compared by
	 */
	public static byte[] of(@Nullable Object payload) {
		MessageDigest digest = Sha256.digest();
		VALUES.writeValue(new DigestOutputStream(OutputStream.nullOutputStream(), digest), payload);
		return digest.digest();
	}

	/**
	 * Writes elements in the order of their text, since the order of sets differs between
	 * instances.
	 */
	@SuppressWarnings("rawtypes")
	private static final class SetSerializer extends StdSerializer<Set> {

		SetSerializer() {
			super(Set.class);
		}

		@Override
		public boolean isEmpty(SerializationContext context, Set value) {
			return value.isEmpty();
		}

		@Override
		public void serialize(Set value, JsonGenerator generator, SerializationContext context) {
			int depth = (context.getAttribute(SET_DEPTH) instanceof Integer outer) ? outer + 1 : 1;
			if (depth > DEEPEST_SET) {
				context.reportMappingProblem("More than %d sets within each other", DEEPEST_SET);
			}
			ObjectWriter elements = VALUES.writer().withAttribute(SET_DEPTH, depth);
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

	/**
	 * Writes principals by their name alone.
	 */
	private static final class NamesOfPrincipals extends ValueSerializerModifier {

		@Override
		public ValueSerializer<?> modifySerializer(SerializationConfig config, BeanDescription.Supplier described,
				ValueSerializer<?> serializer) {
			Class<?> type = described.getBeanClass();
			if (OngoingResults.isOngoing(type)) {
				return new FailingSerializer(type.getName() + " has no value to compare yet");
			}
			return !Principal.class.isAssignableFrom(type) ? serializer : new ToStringSerializerBase(type) {

				@Override
				public String valueToString(Object value) {
					return String.valueOf(((Principal) value).getName());
				}

			};
		}

	}

	/**
	 * Writes numbers of equal value in the same way: 1, 1.0 and 1.00.
	 */
	private static final class NumbersByValue extends JsonGeneratorDelegate {

		/** Digits up to which zeros are written out. */
		private static final int LONGEST = 100;

		NumbersByValue(JsonGenerator generator) {
			super(generator, false);
		}

		@Override
		public JsonGenerator writeNumber(double value) {
			return Double.isFinite(value) ? writeNumber(BigDecimal.valueOf(value)) : super.writeNumber(value);
		}

		@Override
		public JsonGenerator writeNumber(float value) {
			return Float.isFinite(value) ? writeNumber(new BigDecimal(Float.toString(value)))
					: super.writeNumber(value);
		}

		@Override
		public JsonGenerator writeNumber(BigDecimal value) {
			BigDecimal shortest = value.stripTrailingZeros();
			return writeNumber((Math.abs(shortest.scale()) < LONGEST) ? shortest.toPlainString() : shortest.toString());
		}

	}

}
