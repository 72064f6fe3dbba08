/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.json;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.introspect.AnnotatedField;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.AnnotatedMethod;
import tools.jackson.databind.introspect.VisibilityChecker;

import org.springframework.beans.BeanUtils;

/**
 * Shows all that the application's mapper shows, and in addition fields with simple data,
 * but no hash codes. Other fields may hold services, which must not be written. Classes
 * that choose their own visibility keep it.
 */
final class DataFieldVisibility extends VisibilityChecker {

	private final VisibilityChecker application;

	DataFieldVisibility(VisibilityChecker application) {
		super(Visibility.DEFAULT);
		this.application = application;
	}

	@Override
	public VisibilityChecker withOverrides(JsonAutoDetect.@Nullable Value chosen) {
		return (chosen != null) ? this.application.withOverrides(chosen) : this;
	}

	@Override
	public boolean isFieldVisible(AnnotatedField field) {
		return this.application.isFieldVisible(field) || (isData(field.getType()) && !isDerived(field));
	}

	// By compilers and weavers, or by a class that remembers its hash code
	private static boolean isDerived(AnnotatedField field) {
		String name = field.getName();
		return name.indexOf('$') >= 0 || (name.startsWith("hash") && field.getRawType() == int.class);
	}

	private static boolean isData(JavaType type) {
		JavaType content = type.getContentType();
		if (content == null) {
			return BeanUtils.isSimpleValueType(type.getRawClass());
		}
		JavaType key = type.getKeyType();
		return isData(content) && (key == null || isData(key));
	}

	@Override
	public boolean isGetterVisible(AnnotatedMethod method) {
		return this.application.isGetterVisible(method);
	}

	@Override
	public boolean isIsGetterVisible(AnnotatedMethod method) {
		return this.application.isIsGetterVisible(method);
	}

	@Override
	public boolean isSetterVisible(AnnotatedMethod method) {
		return this.application.isSetterVisible(method);
	}

	@Override
	public boolean isCreatorVisible(AnnotatedMember member) {
		return this.application.isCreatorVisible(member);
	}

	@Override
	public boolean isScalarConstructorVisible(AnnotatedMember member) {
		return this.application.isScalarConstructorVisible(member);
	}

}
