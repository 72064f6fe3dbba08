// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;

import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.util.ClassUtils;

/**
 * The classes of the library, for tests about them.
 */
public final class LibraryClasses {

	private LibraryClasses() {
	}

	/**
	 * All classes but those of tests, which are not initialized.
	 * @return the classes
	 */
	public static List<Class<?>> all() {
		try {
			return Arrays
				.stream(new PathMatchingResourcePatternResolver().getResources("classpath*:io/ge/redis/**/*.class"))
				.map(String::valueOf)
				.filter(LibraryClasses::isOfLibrary)
				.map((location) -> location.replaceAll(".*(io/ge/redis/.*)[.]class.*", "$1").replace('/', '.'))
				.filter((name) -> !name.endsWith("package-info"))
				.<Class<?>>map((name) -> ClassUtils.resolveClassName(name, null))
				.toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Whether a class is none of tests.
	 * @param location where the class is
	 */
	public static boolean isOfLibrary(String location) {
		return !location.contains("-tests.jar") && !location.contains("/test-classes/")
				&& !location.contains("/io/ge/redis/test/");
	}

}
