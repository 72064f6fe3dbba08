// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.json;

import java.lang.reflect.Field;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.Currency;
import java.util.Date;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.annotation.JsonDeserialize;
import tools.jackson.databind.annotation.JsonSerialize;
import tools.jackson.databind.introspect.AnnotatedField;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.AnnotatedMethod;
import tools.jackson.databind.introspect.BeanPropertyDefinition;
import tools.jackson.databind.introspect.ClassIntrospector;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.ser.bean.BeanSerializerBase;
import tools.jackson.databind.ser.impl.UnknownSerializer;
import tools.jackson.databind.ser.jdk.EnumSerializer;

import org.springframework.util.ClassUtils;
import org.springframework.util.ObjectUtils;
import org.springframework.util.ReflectionUtils;

/**
 * The fields of objects, and how Jackson treats them.
 */
final class ObjectFields {

	private static final String JACKSON = "com.fasterxml.jackson.annotation.";

	private static final int DEEPEST_DATA = 8;

	private static final Set<String> EXACT_PACKAGES = Set.of("java.lang", "java.math", "java.time");

	private static final Set<Class<?>> EXACT = Set.of(UUID.class, URI.class, Date.class, Currency.class);

	private final JsonMapper mapper;

	private final Map<JavaType, Fields> known = new ConcurrentHashMap<>();

	ObjectFields(JsonMapper mapper) {
		this.mapper = mapper;
	}

	static boolean isOfTheJdk(Class<?> type) {
		String module = type.getModule().getName();
		return type.isArray() || (module != null && (module.startsWith("java.") || module.startsWith("jdk.")));
	}

	static boolean isContainer(Object value) {
		return value instanceof Collection || value instanceof Map || value instanceof Optional
				|| value.getClass().isArray();
	}

	/**
	 * Returns the elements of a container, the values of a map; nothing for primitive
	 * arrays.
	 */
	static Collection<?> content(Object container) {
		if (container instanceof Map<?, ?> map) {
			return map.values();
		}
		if (container instanceof Optional<?> optional) {
			return optional.stream().toList();
		}
		return (container instanceof Object[] elements) ? Arrays.asList(elements)
				: (container instanceof Collection<?> elements) ? elements : List.of();
	}

	static @Nullable Comparator<?> comparator(Object container) {
		if (container instanceof SortedMap<?, ?> map) {
			return map.comparator();
		}
		if (container instanceof PriorityQueue<?> queue) {
			return queue.comparator();
		}
		return (container instanceof SortedSet<?> set) ? set.comparator() : null;
	}

	static boolean definesEquals(Class<?> type) {
		return ClassUtils.getMethod(type, "equals", Object.class).getDeclaringClass() != Object.class;
	}

	/**
	 * Returns whether one value of a class is representative of others with the same
	 * shape.
	 */
	boolean isExact(Class<?> type) {
		boolean written = !isOfTheJdk(type) || EXACT.contains(type) || EXACT_PACKAGES.contains(type.getPackageName());
		boolean plain = this.mapper.serializationConfig()
			.getDefaultPropertyFormat(type)
			.equals(JsonFormat.Value.empty());
		ValueSerializer<?> serializer = (written && plain) ? serializer(this.mapper, type) : null;
		if (Enum.class.isAssignableFrom(type)) {
			return serializer instanceof EnumSerializer;
		}
		// One of java.time may have a pattern
		return serializer != null && serializer.getClass().getName().startsWith("tools.jackson.")
				&& (!type.getName().startsWith("java.time.") || serializer == serializer(JsonMapper.shared(), type));
	}

	private static ValueSerializer<?> serializer(JsonMapper mapper, Class<?> type) {
		return mapper._serializationContext().findValueSerializer(type);
	}

	/**
	 * Returns the fields of an object that is none of the JDK.
	 * @param declared the type of the place where it is
	 */
	Fields of(Object value, JavaType declared) {
		Class<?> type = ClassUtils.getUserClass(value);
		return ofType(this.mapper.getTypeFactory().constructSpecializedType(declared, type));
	}

	Fields ofType(JavaType type) {
		Fields fields = this.known.get(type);
		if (fields == null) {
			fields = findIfPossible(type);
			this.known.put(type, fields);
		}
		return fields;
	}

	Fields of(Object value) {
		return of(value, this.mapper.constructType(Object.class));
	}

	// Services may be of classes that Jackson cannot read
	private Fields findIfPossible(JavaType type) {
		try {
			return find(type);
		}
		catch (RuntimeException | LinkageError ex) {
			return new Fields(false, false, false, false, List.of());
		}
	}

	private Fields find(JavaType type) {
		ValueSerializer<?> serializer = this.mapper._serializationContext().findValueSerializer(type);
		boolean bean = serializer instanceof BeanSerializerBase || serializer instanceof UnknownSerializer;
		ClassIntrospector introspector = this.mapper.serializationConfig().classIntrospectorInstance();
		BeanDescription description = introspector.introspectForSerialization(type,
				introspector.introspectClassAnnotations(type));
		Set<String> names = new HashSet<>();
		serializer.properties().forEachRemaining((property) -> names.add(property.getName()));
		Map<String, @Nullable AnnotatedMethod> written = new HashMap<>();
		boolean typical = description.getObjectIdInfo() == null;
		for (BeanPropertyDefinition property : description.findProperties()) {
			if (names.contains(property.getName()) && property.couldSerialize()) {
				written.put(property.getInternalName(), accessor(property));
				typical &= !isFormatted(property.getAccessor());
			}
		}
		List<Part> parts = parts(description, (name) -> !bean || written.containsKey(name), written);
		boolean readable = parts.stream().allMatch((part) -> part.field().trySetAccessible());
		boolean empty = bean && names.isEmpty() && description.findAnyGetter() == null;
		// Others are written by methods of the application
		return new Fields(bean && readable, empty, typical && bean, readable, parts);
	}

	private static @Nullable AnnotatedMethod accessor(BeanPropertyDefinition property) {
		if (property.getAccessor() instanceof AnnotatedMethod method) {
			method.fixAccess(true);
			return method;
		}
		return null;
	}

	private List<Part> parts(BeanDescription description, Predicate<String> written,
			Map<String, @Nullable AnnotatedMethod> accessors) {
		List<Part> parts = new ArrayList<>();
		for (AnnotatedField field : description.getClassInfo().fields()) {
			String name = field.getName();
			boolean chosen = isAnnotated(field) || description.getIgnoredPropertyNames().contains(name);
			if ((written.test(name) || isState(field)) && !isOfTheJdk(field.getAnnotated().getDeclaringClass())) {
				parts.add(new Part(field.getAnnotated(), written.test(name), chosen, new Place(field.getType(), this),
						accessors.get(name)));
			}
		}
		return parts;
	}

	private static boolean isFormatted(AnnotatedMember accessor) {
		return accessor.hasAnnotation(JsonFormat.class) || accessor.hasAnnotation(JsonSerialize.class)
				|| accessor.hasAnnotation(JsonDeserialize.class)
				|| (accessor.getRawType().isPrimitive() && accessor.hasAnnotation(JsonInclude.class));
	}

	// Not what compilers and weavers add, and no hash code that is remembered
	private static boolean isState(AnnotatedField field) {
		String name = field.getName();
		return !field.isTransient() && name.indexOf('$') < 0
				&& !(name.startsWith("hash") && field.getRawType() == int.class);
	}

	private static boolean isAnnotated(AnnotatedField field) {
		return field.annotations().anyMatch((it) -> it.annotationType().getName().startsWith(JACKSON));
	}

	/**
	 * Returns whether something is lost with the content of a field that is not written.
	 * A service is no loss.
	 */
	boolean counts(Part part, @Nullable Object content) {
		return part.annotated() ? !ObjectUtils.isEmpty(content) : isData(content, DEEPEST_DATA);
	}

	private boolean isData(@Nullable Object value, int depth) {
		if (value == null || ObjectUtils.isEmpty(value) || depth == 0) {
			return false;
		}
		Class<?> type = value.getClass();
		if (isContainer(value)) {
			return (type.isArray() && type.getComponentType().isPrimitive())
					|| content(value).stream().anyMatch((element) -> isData(element, depth - 1));
		}
		if (isOfTheJdk(type)) {
			return value instanceof Number || definesEquals(type);
		}
		return value instanceof Enum || isObjectOfData(of(value).parts(), value, depth);
	}

	private boolean isObjectOfData(List<Part> parts, Object value, int depth) {
		return !parts.isEmpty() && parts.stream()
			.map((part) -> part.of(value))
			.allMatch((content) -> ObjectUtils.isEmpty(content) || isData(content, depth - 1));
	}

	/**
	 * The fields of one class.
	 *
	 * @param bean whether Jackson writes its properties, and all fields can be read
	 * @param empty whether nothing is written
	 * @param typical whether one object shows how all come back
	 * @param readable whether all fields can be read
	 */
	record Fields(boolean bean, boolean empty, boolean typical, boolean readable, List<Part> parts) {
	}

	/**
	 * A field.
	 *
	 * @param written whether it is in the JSON
	 * @param annotated whether annotations of Jackson say how to treat it
	 * @param accessor the method whose result is written, if there is one
	 */
	record Part(Field field, boolean written, boolean annotated, Place place, @Nullable AnnotatedMethod accessor) {

		@Nullable Object of(Object owner) {
			return ReflectionUtils.getField(this.field, owner);
		}

		/**
		 * Returns whether the content itself is written, not something else that an
		 * accessor makes of it, such as a masked text.
		 */
		boolean isWrittenAs(@Nullable Object content, Object owner) {
			return this.accessor == null || ObjectUtils.nullSafeEquals(this.accessor.getValue(owner), content);
		}

	}

}
