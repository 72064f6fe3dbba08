// SPDX-License-Identifier: Apache-2.0

package io.ge.redis;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.ge.redis.actuate.GeRedisMetricsAutoConfiguration;
import io.ge.redis.core.event.EventGauge;
import io.ge.redis.core.event.EventMeter;
import io.ge.redis.stream.StreamPattern;
import io.ge.redis.test.LibraryClasses;
import io.ge.redis.test.Sources;

/**
 * The meters of the library as Prometheus names them: {@code ge.redis.lock.hold}, a
 * timer, is {@code ge_redis_lock_hold_seconds_count}, {@code _sum}, {@code _max} and
 * {@code _bucket}.
 */
final class PrometheusMeters {

	/** Meters that no event has. */
	private static final Pattern BUILDER = Pattern.compile(
			"(Counter|Timer|Gauge)\\s*\\.builder\\(\"(ge\\.redis\\.[a-z._]+)\"(.*?)\\.register\\(", Pattern.DOTALL);

	/** Series of a histogram, where the application switches it on. */
	static final String BUCKET = "_seconds_bucket";

	private static final Pattern TAG = Pattern.compile("\\.tag\\((?:\"(\\w+)\"|([A-Z_]+))");

	/** Labels and their values by name, no values if they are not known. */
	private final Map<String, Map<String, Set<String>>> labels = new TreeMap<>();

	private final Set<String> meters = new TreeSet<>();

	static PrometheusMeters ofLibrary() throws ReflectiveOperationException {
		PrometheusMeters meters = new PrometheusMeters();
		for (Class<?> type : LibraryClasses.all()) {
			meters.addEvents(type);
		}
		for (EventGauge gauge : gauges()) {
			meters.add(gauge.name(), "Gauge", labels(gauge.beside(), false));
		}
		for (Path file : Sources.ofLibrary("src/main/java", ".java")) {
			meters.addBuilders(Pages.read(file));
		}
		return meters;
	}

	/** Names of time series, with their labels and the values of these. */
	Map<String, Map<String, Set<String>>> labels() {
		return this.labels;
	}

	/** Beginnings of the names of time series, one for each meter. */
	Set<String> meters() {
		return this.meters;
	}

	private void addEvents(Class<?> type) throws ReflectiveOperationException {
		for (Field field : type.getDeclaredFields()) {
			if (field.getType() == EventMeter.class && (Modifier.isStatic(field.getModifiers()) || type.isEnum())) {
				field.setAccessible(true);
				Object[] owners = Modifier.isStatic(field.getModifiers()) ? new Object[] { null }
						: type.getEnumConstants();
				for (Object owner : owners) {
					EventMeter meter = (EventMeter) field.get(owner);
					add(meter.name(), meter.isTimer() ? "Timer" : "Counter", labels(meter, true));
				}
			}
		}
	}

	private void addBuilders(String source) {
		Matcher builders = BUILDER.matcher(source);
		while (builders.find()) {
			Map<String, Set<String>> tags = new HashMap<>();
			Matcher tag = TAG.matcher(builders.group(3));
			while (tag.find()) {
				tags.put((tag.group(1) != null) ? tag.group(1) : constant(source, tag.group(2)), Set.of());
			}
			add(builders.group(2), builders.group(1), tags);
		}
	}

	private static String constant(String source, String name) {
		return source.replaceAll("(?s).*\\b" + name + " = \"(\\w+)\".*", "$1");
	}

	private void add(String name, String kind, Map<String, Set<String>> tags) {
		String base = name.replace('.', '_');
		this.meters.add(base);
		List<String> suffixes = switch (kind) {
			case "Counter" -> List.of("_total");
			case "Timer" -> List.of("_seconds_count", "_seconds_sum", "_seconds_max", BUCKET);
			default -> List.of("");
		};
		suffixes.forEach((suffix) -> this.labels.put(base + suffix, tags));
		this.labels.computeIfPresent(base + BUCKET, (series, same) -> {
			Map<String, Set<String>> bucket = new HashMap<>(same);
			bucket.put("le", Set.of());
			return bucket;
		});
	}

	private static Map<String, Set<String>> labels(EventMeter meter, boolean all) {
		Map<String, Set<String>> labels = new HashMap<>();
		if (meter != null && meter.nameTag() != null) {
			Arrays.stream(meter.nameTag().split("/")).forEach((tag) -> labels.put(tag, Set.of()));
		}
		if (meter != null && all) {
			meter.tags().forEach((tag) -> labels.put(tag.key(), Set.copyOf(tag.values())));
		}
		return labels;
	}

	private static Collection<EventGauge> gauges() throws ReflectiveOperationException {
		List<EventGauge> gauges = new ArrayList<>(StreamPattern.gauges(() -> null));
		Constructor<?> configuration = GeRedisMetricsAutoConfiguration.class.getDeclaredConstructor();
		configuration.setAccessible(true);
		for (Method method : GeRedisMetricsAutoConfiguration.class.getDeclaredMethods()) {
			if (method.getReturnType() == EventGauge.class) {
				method.setAccessible(true);
				gauges.add((EventGauge) method.invoke(configuration.newInstance(),
						new Object[method.getParameterCount()]));
			}
		}
		return gauges;
	}

}
