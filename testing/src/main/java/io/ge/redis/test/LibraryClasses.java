/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.test;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;

/**
 * The classes of the library, read once for all tests about them.
 */
public final class LibraryClasses {

	private static final JavaClasses ALL = new ClassFileImporter()
		.withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
		.withImportOption((location) -> !location.contains("-tests.jar") && !location.contains("/io/ge/redis/test/"))
		.importPackages("io.ge.redis");

	private LibraryClasses() {
	}

	/**
	 * All classes but those of tests.
	 * @return the classes
	 */
	public static JavaClasses all() {
		return ALL;
	}

}
