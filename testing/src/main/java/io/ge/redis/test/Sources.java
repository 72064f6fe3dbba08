// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The source files of the project, for tests about what no compiler sees. It does not
 * matter in which module they stand.
 */
public final class Sources {

	/** The folder that holds all modules. */
	public static final Path ROOT = root();

	private Sources() {
	}

	/**
	 * Files of the library: all modules that are published.
	 * @param folder the folder within a module, such as {@code src/main/java}
	 * @param extension the end of their names, such as {@code .java}
	 * @return the files, in order
	 */
	public static List<Path> ofLibrary(String folder, String extension) {
		return find(folder, extension).stream()
			.filter((file) -> !ROOT.relativize(file).toString().matches("(benchmarks|sample-|testing|kotlin-).*"))
			.toList();
	}

	/**
	 * Files of all modules.
	 * @param folder the folder within a module, such as {@code src}
	 * @param extension the end of their names, such as {@code .java}
	 * @return the files, in order
	 */
	public static List<Path> find(String folder, String extension) {
		try (Stream<Path> poms = Files.find(ROOT, 3, (path, attributes) -> path.endsWith("pom.xml"))) {
			return poms.map((pom) -> pom.resolveSibling(folder))
				.filter(Files::isDirectory)
				.flatMap((directory) -> below(directory, extension).stream())
				.sorted()
				.toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Files below a directory.
	 * @param directory the directory
	 * @param extension the end of their names
	 * @return the files, in order
	 */
	public static List<Path> below(Path directory, String extension) {
		try (Stream<Path> paths = Files.walk(directory)) {
			return paths.filter((path) -> path.toString().endsWith(extension)).sorted().toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static Path root() {
		Path directory = Path.of("").toAbsolutePath();
		while (!Files.isDirectory(directory.resolve(".mvn"))) {
			directory = directory.getParent();
			if (directory == null) {
				throw new IllegalStateException("No folder with .mvn at or above " + Path.of("").toAbsolutePath());
			}
		}
		return directory;
	}

}
