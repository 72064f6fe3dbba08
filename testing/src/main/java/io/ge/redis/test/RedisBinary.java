// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import redis.embedded.RedisExecProvider;

import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

/**
 * A {@code redis-server} that can be executed here: one that an embedded artifact
 * carries, unpacked once per JVM, or one that is installed.
 */
final class RedisBinary {

	/**
	 * What the property says that chooses the server of a run.
	 */
	static final String PROPERTY = "ge.test.redis";

	/**
	 * What {@code org.signal:embedded-redis} carries.
	 */
	static final String VERSION_7_0 = "7.0";

	/**
	 * What the build unpacks beside the classes of this package.
	 */
	static final String VERSION_6_2 = "6.2";

	private static final Pattern VERSION = Pattern.compile("v=((\\d+)\\.[\\w.]+)");

	private static final Map<String, RedisBinary> FOUND = new ConcurrentHashMap<>();

	private final Path path;

	private final String version;

	private final int major;

	private RedisBinary(Path path, Matcher version) {
		this.path = path;
		this.version = version.group(1);
		this.major = Integer.parseInt(version.group(2));
	}

	/**
	 * The server of this run, {@value #VERSION_7_0} unless the property names another.
	 */
	static RedisBinary ofThisRun() {
		return of(System.getProperty(PROPERTY, VERSION_7_0));
	}

	/**
	 * A server by its version, or by the absolute path of a binary.
	 */
	static RedisBinary of(String name) {
		return FOUND.computeIfAbsent(name, RedisBinary::find);
	}

	/**
	 * Whether a version can be started here.
	 */
	static boolean isPresent(String name) {
		try {
			of(name);
			return true;
		}
		catch (IllegalStateException ex) {
			return false;
		}
	}

	private static RedisBinary find(String name) {
		try {
			for (Path candidate : candidates(name)) {
				Matcher version = version(candidate);
				if (version != null) {
					return new RedisBinary(candidate, version);
				}
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		throw new IllegalStateException("No Redis " + name + " can be executed here");
	}

	private static List<Path> candidates(String name) throws IOException {
		if (Path.of(name).isAbsolute()) {
			return List.of(Path.of(name));
		}
		return switch (name) {
			case VERSION_7_0 -> List.of(carriedInJar());
			case VERSION_6_2 -> unpackedByBuild();
			default -> throw new IllegalArgumentException("Redis is " + VERSION_7_0 + ", " + VERSION_6_2
					+ " or the absolute path of a binary, but not '" + name + "'");
		};
	}

	private static Path carriedInJar() throws IOException {
		Path unpacked = RedisExecProvider.defaultProvider().get().toPath();
		return Files.copy(unpacked, Reaper.sharedDirectory().resolve("redis-server-" + VERSION_7_0),
				StandardCopyOption.COPY_ATTRIBUTES);
	}

	/**
	 * Where the one for 64 bits lacks its libraries, the static one for 32 bits does.
	 */
	private static List<Path> unpackedByBuild() throws IOException {
		List<Path> unpacked = new ArrayList<>();
		for (String platform : platforms()) {
			String pattern = "classpath*:io/ge/redis/test/redis-" + VERSION_6_2 + "/redis-server-*-" + platform;
			for (Resource resource : new PathMatchingResourcePatternResolver().getResources(pattern)) {
				Path path = Reaper.sharedDirectory().resolve(String.valueOf(resource.getFilename()));
				try (InputStream content = resource.getInputStream()) {
					Files.copy(content, path, StandardCopyOption.REPLACE_EXISTING);
				}
				path.toFile().setExecutable(true);
				unpacked.add(path);
			}
		}
		return unpacked;
	}

	private static List<String> platforms() {
		String system = System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("mac") ? "darwin" : "linux";
		return switch (System.getProperty("os.arch")) {
			case "aarch64", "arm64" -> List.of(system + "-arm64");
			default -> List.of(system + "-amd64", system + "-386");
		};
	}

	private static @Nullable Matcher version(Path candidate) throws IOException {
		try {
			Process process = new ProcessBuilder(candidate.toString(), "--version").redirectErrorStream(true).start();
			String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			Matcher version = VERSION.matcher(output);
			return (process.waitFor(10, TimeUnit.SECONDS) && version.find()) ? version : null;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted", ex);
		}
		catch (IOException ex) {
			// Made for another machine
			return null;
		}
	}

	Path path() {
		return this.path;
	}

	/**
	 * The whole version, such as {@code 6.2.11}.
	 */
	String version() {
		return this.version;
	}

	/**
	 * What every server of the kit is started with, before its own settings.
	 */
	List<String> settings() {
		List<String> settings = new ArrayList<>(
				List.of("save \"\"", "appendonly no", "repl-diskless-sync-delay 0", "repl-ping-replica-period 1"));
		if (this.major >= 7) {
			// Always allowed before, and an unknown setting then
			settings.add("enable-debug-command yes");
		}
		return settings;
	}

	/**
	 * How to make loading slow while the server answers all along: it looks at its
	 * connections after so many bytes, which can be set since 7.0.
	 */
	SlowLoading slowLoading() {
		return (this.major >= 7)
				? new SlowLoading(1024, Duration.ofMillis(10),
						Map.of("key-load-delay", "10000", "loading-process-events-interval-bytes", "1024"))
				: new SlowLoading(2 * 1024 * 1024, Duration.ofMillis(50), Map.of("key-load-delay", "50000"));
	}

	/**
	 * A way to make loading slow.
	 *
	 * @param valueBytes the size of a value after which connections are looked at
	 * @param delay how long it takes to load each
	 * @param settings settings of the server
	 */
	record SlowLoading(int valueBytes, Duration delay, Map<String, String> settings) {
	}

}
