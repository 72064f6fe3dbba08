// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.engine;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.zip.CRC32;

import tools.jackson.databind.JavaType;

/**
 * A number for the shape of a type: which fields of which types it has, through all
 * classes of the application that it reaches. Another shape means that stored values may
 * not mean the same any more.
 */
public final class TypeShape {

	private final Set<Class<?>> seen = new HashSet<>();

	private final StringBuilder description = new StringBuilder();

	private TypeShape() {
	}

	public static int of(JavaType type) {
		TypeShape shape = new TypeShape();
		shape.add(type);
		CRC32 sum = new CRC32();
		sum.update(shape.description.toString().getBytes(StandardCharsets.UTF_8));
		return (int) sum.getValue();
	}

	private void add(JavaType type) {
		this.description.append(type.toCanonical()).append(';');
		add(type.getRawClass());
		for (int i = 0; i < type.containedTypeCount(); i++) {
			add(type.containedType(i));
		}
		JavaType content = type.getContentType();
		if (content != null && type.isArrayType()) {
			add(content);
		}
	}

	private void add(Type type) {
		if (type instanceof Class<?> raw) {
			addClass(raw);
		}
		else if (type instanceof ParameterizedType parameterized) {
			add(parameterized.getRawType());
			Arrays.stream(parameterized.getActualTypeArguments()).forEach(this::add);
		}
		else if (type instanceof WildcardType wildcard) {
			Arrays.stream(wildcard.getUpperBounds()).forEach(this::add);
		}
	}

	private void addClass(Class<?> type) {
		if (type.isArray()) {
			addClass(type.getComponentType());
			return;
		}
		if (type.isPrimitive() || type.getName().startsWith("java.") || !this.seen.add(type)) {
			return;
		}
		this.description.append(type.getName()).append('{');
		if (type.isEnum()) {
			for (Object constant : type.getEnumConstants()) {
				this.description.append(((Enum<?>) constant).name()).append(',');
			}
		}
		else {
			addFields(type);
		}
		this.description.append('}');
		if (type.isSealed()) {
			Arrays.stream(type.getPermittedSubclasses()).forEach(this::addClass);
		}
		if (type.getSuperclass() != null) {
			addClass(type.getSuperclass());
		}
	}

	// The order of declared fields is not specified
	private void addFields(Class<?> type) {
		List<String> names = new ArrayList<>();
		List<Type> types = new ArrayList<>();
		for (Field field : type.getDeclaredFields()) {
			if (!Modifier.isStatic(field.getModifiers()) && !Modifier.isTransient(field.getModifiers())
					&& !field.isSynthetic()) {
				names.add(field.getName() + ':' + field.getGenericType().getTypeName());
				types.add(field.getGenericType());
			}
		}
		Collections.sort(names);
		this.description.append(String.join(",", names));
		types.sort((one, other) -> one.getTypeName().compareTo(other.getTypeName()));
		types.forEach(this::add);
	}

}
