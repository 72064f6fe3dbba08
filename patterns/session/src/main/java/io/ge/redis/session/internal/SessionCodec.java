// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.session.internal;

import java.net.URI;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import io.ge.redis.core.json.RoundTrips;
import io.ge.redis.core.json.StoredJson;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.DefaultTyping;
import tools.jackson.databind.JacksonModule;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.exc.InvalidTypeIdException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.BasicPolymorphicTypeValidator;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.util.ClassUtils;

/**
 * Writes and reads attributes. A value that could not be read again is refused when it is
 * set. One that cannot be read, as after an upgrade, is missing.
 *
 * @param roundTrips finds values that would come back changed
 * @param unreadable names of attributes that were reported
 */
public record SessionCodec(Function<Object, byte @Nullable []> writer, Function<byte[], @Nullable Object> reader,
		@Nullable RoundTrips roundTrips, Set<String> unreadable) {

	/** Classes whose values never change, and that each codec can write. */
	static final Set<Class<?>> SIMPLE = Set.of(String.class, Boolean.class, Integer.class, Long.class);

	private static final Set<Class<?>> VALUES = Set.of(UUID.class, URI.class, Date.class, Locale.class);

	private static final JavaType ANY = JsonMapper.shared().constructType(Object.class);

	private static final Log logger = LogFactory.getLog(SessionCodec.class);

	/** Creates a codec that uses a serializer of the application or of the JDK. */
	public SessionCodec(Function<Object, byte @Nullable []> writer, Function<byte[], @Nullable Object> reader) {
		this(writer, reader, null, ConcurrentHashMap.newKeySet());
	}

	/**
	 * Returns a codec for JSON with the names of classes.
	 * @param application the mapper of the application, which is not changed
	 * @param allowed classes, and packages with {@code .*} at the end
	 * @param modules adds what another library allows and activates the names of classes,
	 * or {@code null} if there is none
	 */
	public static SessionCodec json(JsonMapper application, List<String> allowed,
			@Nullable Function<BasicPolymorphicTypeValidator.Builder, List<JacksonModule>> modules) {
		BasicPolymorphicTypeValidator.Builder types = BasicPolymorphicTypeValidator.builder()
			.allowIfSubType((context, type) -> isAllowed(type, allowed));
		JsonMapper.Builder builder = StoredJson.mapper(application).rebuild();
		JsonMapper mapper = ((modules != null) ? builder.addModules(modules.apply(types))
				: builder.activateDefaultTyping(types.build(), DefaultTyping.NON_FINAL))
			.build();
		return new SessionCodec(mapper.writerFor(Object.class)::writeValueAsBytes,
				mapper.readerFor(Object.class)::readValue, new RoundTrips(() -> mapper, () -> 0),
				ConcurrentHashMap.newKeySet());
	}

	private static boolean isAllowed(Class<?> type, List<String> allowed) {
		if (type.isArray()) {
			return isAllowed(type.getComponentType(), allowed);
		}
		return switch (type.getPackageName()) {
			case "java.math", "java.time" -> true;
			case "java.lang" -> type.isPrimitive() || SIMPLE.contains(type) || Number.class.isAssignableFrom(type);
			case "java.util" ->
				VALUES.contains(type) || Collection.class.isAssignableFrom(type) || Map.class.isAssignableFrom(type);
			default -> VALUES.contains(type);
		} || allowed.contains(type.getName()) || allowed.contains(type.getPackageName() + ".*");
	}

	byte[] write(Object value) {
		return Objects.requireNonNull(this.writer.apply(value));
	}

	/** Returns a value, or {@code null} if it cannot be read. */
	@Nullable Object read(String name, byte[] bytes) {
		try {
			return this.reader.apply(bytes);
		}
		catch (RuntimeException | LinkageError ex) {
			if (this.unreadable.size() < 1000 && this.unreadable.add(name)) {
				logger.warn("The session attribute '" + name + "' counts as missing, since it cannot be read: "
						+ NestedExceptionUtils.getMostSpecificCause(ex).getClass().getName()
						+ ". Another version or another ge.redis.session.codec may have written it");
			}
			return null;
		}
	}

	/**
	 * Refuses a value that could not be read again.
	 * @throws IllegalArgumentException names the attribute and what to do
	 */
	void check(String name, Object value) {
		if (SIMPLE.contains(value.getClass())) {
			return;
		}
		String problem;
		try {
			Object copy = this.reader.apply(write(value));
			// Spring Security has mixins for its own classes
			boolean own = value.getClass().getName().startsWith("org.springframework.security.");
			problem = (this.roundTrips != null && !own) ? this.roundTrips.loss(ANY, value, () -> copy) : null;
		}
		catch (RuntimeException ex) {
			Throwable cause = NestedExceptionUtils.getMostSpecificCause(ex);
			problem = (cause instanceof InvalidTypeIdException type)
					? type.getTypeId()
							+ " is not allowed. Add the class to ge.redis.session.allowed-types, or its package as "
							+ ClassUtils.getPackageName(type.getTypeId()) + ".*"
					: RoundTrips.reason(ex) + ". Make it a type that ge.redis.session.codec can write and read";
		}
		if (problem != null) {
			throw new IllegalArgumentException("The session attribute '" + name + "' cannot be stored: " + problem);
		}
	}

}
