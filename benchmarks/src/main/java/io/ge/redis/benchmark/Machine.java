// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.ge.redis.ratelimit.RateLimiter;
import io.ge.redis.test.RedisNode;
import io.github.bucket4j.Bucket;
import io.lettuce.core.RedisClient;
import org.openjdk.jmh.annotations.Benchmark;
import org.redisson.Redisson;

import org.springframework.boot.SpringBootVersion;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.integration.redis.util.RedisLockRegistry;

/**
 * What was measured on what.
 */
public final class Machine {

	private Machine() {
	}

	static Map<String, String> facts(Size size, RedisNode node) {
		Map<String, String> facts = new LinkedHashMap<>();
		facts.put("size", size.name().toLowerCase(Locale.ROOT) + ": " + size.rounds() + " rounds of "
				+ size.slotMillis() + " ms, after " + size.settleMillis() + " ms that do not count");
		facts.putAll(facts(node));
		facts.put("JMH", version(Benchmark.class));
		return facts;
	}

	/**
	 * What runs, on what.
	 * @param node the server
	 * @return names and values, in their order
	 */
	public static Map<String, String> facts(RedisNode node) {
		Map<String, String> facts = new LinkedHashMap<>();
		facts.put("machine", Runtime.getRuntime().availableProcessors() + " x " + processor() + ", "
				+ System.getProperty("os.name") + " " + System.getProperty("os.arch") + "; shared with the server");
		facts.put("JDK", System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"));
		facts.put("JVM arguments", String.join(" ", ManagementFactory.getRuntimeMXBean().getInputArguments()));
		facts.put("server", "Redis " + node.info("server", "redis_version") + ", standalone, loopback, no persistence");
		facts.put("GE Redis", version(RateLimiter.class));
		facts.put("Spring Boot", SpringBootVersion.getVersion());
		facts.put("Lettuce", version(RedisClient.class));
		facts.put("Spring Data Redis", version(RedisTemplate.class));
		facts.put("Redisson", version(Redisson.class));
		facts.put("Bucket4j", version(Bucket.class));
		facts.put("Spring Integration", version(RedisLockRegistry.class));
		return facts;
	}

	static String load() {
		return String.format(Locale.ROOT, "%.1f", ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
	}

	/**
	 * The version in the name of the jar, as the class path of the command has it.
	 */
	static String version(Class<?> type) {
		String location = String.valueOf(type.getProtectionDomain().getCodeSource().getLocation());
		return location.replaceAll(".*?/([^/]*?)-(\\d[^/]*)\\.jar$", "$2");
	}

	private static String processor() {
		try {
			List<String> lines = Files.readAllLines(Path.of("/proc/cpuinfo"));
			return lines.stream()
				.filter((line) -> line.startsWith("model name"))
				.map((line) -> line.substring(line.indexOf(':') + 2))
				.findFirst()
				.orElse("unknown processor");
		}
		catch (IOException ex) {
			return "unknown processor";
		}
	}

}
