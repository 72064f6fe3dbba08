// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.invocation;

import java.lang.reflect.Method;
import java.util.Arrays;

import io.ge.redis.GuardConfigurationException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Which return types of a fallback fit.
 */
class FallbackMethodTests {

	@ParameterizedTest
	@CsvSource({ "number, number", "nothing, nothing", "boxed, boxed", "boxed, number", "any, text", "any, boxed" })
	void takesATypeThatAlwaysFits(String method, String fallback) {
		assertThat(find(method, fallback)).isNotNull();
	}

	@ParameterizedTest
	@CsvSource({ "number, boxed", "number, small", "number, nothing", "nothing, number", "nothing, text",
			"text, nothing", "text, boxed", "boxed, small", "text, any" })
	void refusesATypeThatMayNotFit(String method, String fallback) {
		String type = method(method).getReturnType().getSimpleName();
		assertThatExceptionOfType(GuardConfigurationException.class).isThrownBy(() -> find(method, fallback))
			.withMessageContaining(method + "(): there is no fallback method '" + fallback + "Fallback' that fits.")
			.withMessageContaining("Add to Samples: " + type + " " + fallback + "Fallback");
	}

	private static FallbackMethod find(String method, String fallback) {
		return FallbackMethod.find(new GuardedMethod(method(method), Samples.class, Deprecated.class),
				fallback + "Fallback", IllegalStateException.class);
	}

	private static Method method(String name) {
		return Arrays.stream(Samples.class.getDeclaredMethods())
			.filter((method) -> method.getName().equals(name))
			.findFirst()
			.orElseThrow();
	}

	abstract static class Samples {

		abstract int number();

		abstract int numberFallback();

		abstract short small();

		abstract short smallFallback();

		abstract Integer boxed();

		abstract Integer boxedFallback();

		abstract String text();

		abstract String textFallback();

		abstract Object any();

		abstract Object anyFallback();

		abstract void nothing();

		abstract void nothingFallback();

	}

}
