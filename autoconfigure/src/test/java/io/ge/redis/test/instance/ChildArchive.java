// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.instance;

import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;

/**
 * A class data archive for child JVMs, with which an instance starts in half of the
 * processor time. The first JVM that starts an instance makes it in the background, from
 * an application that uses all that is on the class path; instances that start meanwhile
 * do without. Only jars can be archived, so that it needs the packaged tests.
 */
final class ChildArchive {

	private static final Path DIRECTORY = Path.of("target");

	private static final AtomicBoolean BEGUN = new AtomicBoolean();

	static final String CLASS_PATH = System.getProperty("surefire.test.class.path",
			System.getProperty("java.class.path"));

	private ChildArchive() {
	}

	/**
	 * The options by which a JVM finds its classes, in the archive if there is one.
	 */
	static List<String> options() {
		List<String> jars = new ArrayList<>();
		List<String> others = new ArrayList<>();
		for (String entry : CLASS_PATH.split(File.pathSeparator)) {
			(entry.endsWith(".jar") ? jars : others).add(entry);
		}
		Path tests = packagedTests();
		if (tests == null || others.isEmpty()) {
			return List.of("-cp", CLASS_PATH);
		}
		jars.add(tests.toAbsolutePath().toString());
		Path archive = DIRECTORY.resolve("instances-" + Integer.toHexString(fingerprint(jars)) + ".jsa")
			.toAbsolutePath();
		if (Files.exists(archive)) {
			jars.addAll(others);
			return List.of("-XX:SharedArchiveFile=" + archive, "-cp", String.join(File.pathSeparator, jars));
		}
		if (BEGUN.compareAndSet(false, true)) {
			Thread thread = new Thread(() -> make(archive, jars), "make-child-archive");
			thread.setDaemon(true);
			thread.start();
		}
		return List.of("-cp", CLASS_PATH);
	}

	private static @Nullable Path packagedTests() {
		try (DirectoryStream<Path> files = Files.newDirectoryStream(DIRECTORY, "*-tests.jar")) {
			Iterator<Path> found = files.iterator();
			return found.hasNext() ? found.next() : null;
		}
		catch (IOException ex) {
			return null;
		}
	}

	/**
	 * Changes with every jar: an archive of others is refused, with a warning.
	 */
	private static int fingerprint(List<String> jars) {
		int hash = System.getProperty("java.vm.version").hashCode();
		for (String jar : jars) {
			File file = new File(jar);
			hash = 31 * hash + (jar + file.length() + file.lastModified()).hashCode();
		}
		return hash;
	}

	private static void make(Path archive, List<String> jars) {
		Path made = archive.resolveSibling(archive.getFileName() + ".new");
		try (FileChannel file = FileChannel.open(archive.resolveSibling("instances.lock"), StandardOpenOption.CREATE,
				StandardOpenOption.WRITE); FileLock lock = file.tryLock()) {
			if (lock == null || Files.exists(archive)) {
				return;
			}
			try (StandaloneRedis redis = RedisServers.standalone()) {
				List<String> options = List.of("-XX:ArchiveClassesAtExit=" + made, "-cp",
						String.join(File.pathSeparator, jars));
				ChildJvm child = ChildJvm.launch(options);
				List<String> start = new ArrayList<>(List.of(Everything.class.getName(), "archive", ""));
				start.addAll(List.of(redis.properties()));
				child.send("start", start.toArray()).join();
				child.leave();
				Files.move(made, archive, StandardCopyOption.ATOMIC_MOVE);
			}
		}
		catch (IOException | RuntimeException ex) {
			System.out.println("Instances start without a class archive: " + ex);
		}
	}

	/**
	 * An application that uses what it finds.
	 */
	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Everything {

	}

}
