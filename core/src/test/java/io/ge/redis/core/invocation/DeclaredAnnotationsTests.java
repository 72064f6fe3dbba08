// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.invocation;

import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Proxy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link DeclaredAnnotations}.
 */
class DeclaredAnnotationsTests {

	@ParameterizedTest
	@ValueSource(classes = { OnClass.class, OnMethod.class, OnInterface.class, OnGenericInterface.class,
			OnSuperclass.class, ByMeta.class, Repeated.class, OnPrivateMethod.class, OnParameter.class })
	void findsAnAnnotationWhereverItMayBe(Class<?> type) {
		assertThat(DeclaredAnnotations.mayContain(type, Guarded.class)).isTrue();
		assertThat(DeclaredAnnotations.mayContain(type, Deprecated.class)).isFalse();
	}

	@ParameterizedTest
	@ValueSource(classes = { Plain.class, Object.class, String.class, Runnable.class })
	void findsNoneWhereThereIsNone(Class<?> type) {
		assertThat(DeclaredAnnotations.mayContain(type, Guarded.class)).isFalse();
	}

	@ParameterizedTest
	@ValueSource(classes = { Described.class, MoreDescribed.class })
	void findsTheAnnotationOfAnInterfaceInAProxy(Class<?> type) {
		Object proxy = Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type },
				(self, method, arguments) -> null);
		assertThat(DeclaredAnnotations.mayContain(proxy.getClass(), Guarded.class)).isTrue();
	}

	@Retention(RetentionPolicy.RUNTIME)
	@Repeatable(Guards.class)
	@interface Guarded {

	}

	@Retention(RetentionPolicy.RUNTIME)
	@interface Guards {

		Guarded[] value();

	}

	@Guarded
	@Retention(RetentionPolicy.RUNTIME)
	@interface Meta {

	}

	interface Described {

		@Guarded
		void run();

	}

	interface MoreDescribed extends Described {

	}

	interface Generic<T> {

		@Guarded
		void accept(T value);

	}

	@Guarded
	static class OnClass {

	}

	static class OnMethod {

		@Guarded
		public void run() {
		}

	}

	static class OnPrivateMethod {

		@Guarded
		private void run() {
		}

	}

	static class OnParameter {

		void run(@Guarded String parameter) {
		}

	}

	static class OnInterface implements MoreDescribed {

		@Override
		public void run() {
		}

	}

	static class OnGenericInterface implements Generic<String> {

		@Override
		public void accept(String value) {
		}

	}

	static class OnSuperclass extends OnMethod {

	}

	static class ByMeta {

		@Meta
		void run() {
		}

	}

	static class Repeated {

		@Guarded
		@Guarded
		void run() {
		}

	}

	static class Plain {

		@Override
		public String toString() {
			return "plain";
		}

	}

}
