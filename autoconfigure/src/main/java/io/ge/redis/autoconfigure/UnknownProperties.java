// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.NativeDetector;
import org.springframework.core.ResolvableType;
import org.springframework.core.env.Environment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.util.Assert;
import org.springframework.util.ClassUtils;

/**
 * Warns of each property below {@code ge.redis}, {@code ge-redis} or {@code geredis} that
 * nothing reads, with the name that was probably meant. A property is read if it is a
 * component of the records of properties, or one of the few that only a condition reads.
 * Names of limits, caches and the like are free, but one with a dot needs brackets.
 */
final class UnknownProperties implements SmartInitializingSingleton {

	/** By name, as this package does not depend on all of them. */
	private static final List<String> RECORDS = List.of("autoconfigure.GeRedisProperties",
			"blacklist.BlacklistProperties", "blacklist.refresh.RefreshTokenProperties", "bloom.BloomProperties",
			"breaker.BreakerProperties", "broadcast.BroadcastProperties", "cache.CacheProperties",
			"cache.WriteBehindProperties", "core.consume.ConsumerProperties", "core.outage.OutageSettings",
			"counter.CounterProperties", "embedded.EmbeddedRedisProperties", "geo.GeoProperties", "hash.HashProperties",
			"idempotency.IdempotencyProperties", "leaderboard.LeaderboardProperties", "lock.LockProperties",
			"queue.QueueProperties", "ratelimit.RateLimitProperties", "script.ScriptProperties",
			"session.SessionProperties", "state.StateProperties", "stream.StreamProperties");

	private static final List<String> OF_CONDITIONS = List.of("ge.redis.console.docs", "ge.redis.console.enabled",
			"ge.redis.blacklist.remember-dpop-proofs", "ge.redis.blacklist.validate-opaque-tokens");

	private static final Log logger = LogFactory.getLog(UnknownProperties.class);

	private final Environment environment;

	private final ListableBeanFactory beans;

	public UnknownProperties(Environment environment, ListableBeanFactory beans) {
		this.environment = environment;
		this.beans = beans;
	}

	@Override
	public void afterSingletonsInstantiated() {
		// A native image does not know the components of records
		Map<String, String> unknown = NativeDetector.inNativeImage() ? Map.of() : find();
		unknown.forEach((name, hint) -> logger.warn("Nothing reads the property " + name + "." + hint));
	}

	/**
	 * Returns the properties that nothing reads, each with a hint.
	 */
	public Map<String, String> find() {
		Map<String, String> unknown = new TreeMap<>();
		Node root = null;
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(this.environment)) {
			if (source instanceof IterableConfigurationPropertySource properties) {
				for (ConfigurationPropertyName name : properties) {
					if (isMeantForUs(name)) {
						root = (root != null) ? root : root();
						String hint = check(name, root, isOfSystem(source));
						if (hint != null) {
							unknown.put(name.toString(), hint);
						}
					}
				}
			}
		}
		unknown.keySet().removeIf(this::isOfAnother);
		return unknown;
	}

	// The application or another library may have properties of its own below ours
	private boolean isOfAnother(String name) {
		ConfigurationPropertyName unknown = ConfigurationPropertyName.ofIfValid(name);
		return unknown != null && Arrays.stream(this.beans.getBeanNamesForAnnotation(ConfigurationProperties.class))
			.filter((bean) -> RECORDS.stream().noneMatch((ours) -> bean.endsWith("-io.ge.redis." + ours)))
			.map((bean) -> this.beans.findAnnotationOnBean(bean, ConfigurationProperties.class, false))
			.filter(Objects::nonNull)
			.map((properties) -> ConfigurationPropertyName.ofIfValid(properties.prefix()))
			.anyMatch((prefix) -> prefix != null && !prefix.isEmpty() && prefix.isAncestorOf(unknown));
	}

	private static boolean isMeantForUs(ConfigurationPropertyName name) {
		return name.getNumberOfElements() > 1 && (uniform(name, 0).equals("geredis")
				|| (uniform(name, 0).equals("ge") && uniform(name, 1).equals("redis")));
	}

	// For a service named ge-redis, Kubernetes sets GE_REDIS_PORT and similar variables
	private static boolean isOfSystem(ConfigurationPropertySource source) {
		return source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource;
	}

	private static @Nullable String check(ConfigurationPropertyName name, Node root, boolean system) {
		if (uniform(name, 0).equals("geredis")) {
			return system ? null : meant("ge.redis." + name.subName(1));
		}
		Node node = root;
		boolean named = false;
		for (int i = 2; i < name.getNumberOfElements(); i++) {
			int end = i;
			String part = uniform(name, i);
			Node next = node.next(part);
			// Variables may have an underscore for each dash
			while (next == null && system && ++end < name.getNumberOfElements()) {
				part += uniform(name, end);
				next = node.next(part);
			}
			if (next == null) {
				return (system && i == 2) ? null : hint(name, i, node, named);
			}
			named = node.isMap();
			node = next;
			i = end;
		}
		return null;
	}

	private static String hint(ConfigurationPropertyName name, int at, Node node, boolean named) {
		for (int i = at + 1; named && i < name.getNumberOfElements(); i++) {
			if (node.next(uniform(name, i)) != null) {
				String key = IntStream.range(at - 1, i)
					.mapToObj((part) -> name.getElement(part, Form.ORIGINAL))
					.collect(Collectors.joining("."));
				return meant(name.chop(at - 1) + "[" + key + "]." + name.subName(i))
						+ " A name with a dot needs brackets.";
			}
		}
		String written = name.getElement(at, Form.DASHED);
		String similar = node.names()
			.filter((known) -> distance(known, written) <= 1 + written.length() / 3)
			.min(Comparator.comparing((known) -> distance(known, written)))
			.orElse(null);
		if (similar != null) {
			String rest = (at + 1 < name.getNumberOfElements()) ? "." + name.subName(at + 1) : "";
			return meant(name.chop(at) + "." + similar + rest);
		}
		List<String> known = node.names().sorted().toList();
		return known.isEmpty() ? " " + name.chop(at) + " has no further parts."
				: " Known below " + name.chop(at) + " are " + String.join(", ", known) + ".";
	}

	private static String meant(String name) {
		return " Did you mean " + name + "?";
	}

	private static String uniform(ConfigurationPropertyName name, int at) {
		return name.getElement(at, Form.UNIFORM);
	}

	/**
	 * Returns how many letters have to be changed, added or removed.
	 */
	private static int distance(String one, String other) {
		int[] row = IntStream.rangeClosed(0, other.length()).toArray();
		for (int i = 1; i <= one.length(); i++) {
			int corner = row[0];
			row[0] = i;
			for (int j = 1; j <= other.length(); j++) {
				int changed = corner + ((one.charAt(i - 1) == other.charAt(j - 1)) ? 0 : 1);
				corner = row[j];
				row[j] = Math.min(changed, 1 + Math.min(row[j], row[j - 1]));
			}
		}
		return row[other.length()];
	}

	private static Node root() {
		Node root = new Node(ResolvableType.NONE);
		for (String name : RECORDS) {
			Class<?> type = ClassUtils.resolveClassName("io.ge.redis." + name, Node.class.getClassLoader());
			ConfigurationProperties properties = type.getAnnotation(ConfigurationProperties.class);
			Assert.state(properties != null, "Not a record of properties");
			root.at(ConfigurationPropertyName.of(properties.value())).types.add(ResolvableType.forClass(type));
		}
		OF_CONDITIONS.forEach((name) -> root.at(ConfigurationPropertyName.of(name)));
		return root;
	}

	/**
	 * A part of a name.
	 *
	 * @param types the types of its value, several where records share a prefix
	 * @param written how further parts are written, by their uniform names
	 * @param parts further parts, beside the components of types
	 */
	private record Node(List<ResolvableType> types, Map<String, String> written, Map<String, Node> parts) {

		Node(ResolvableType type) {
			this(new ArrayList<>(List.of(type)), new LinkedHashMap<>(), new LinkedHashMap<>());
		}

		// Below ge.redis, which has two elements
		Node at(ConfigurationPropertyName name) {
			Node node = this;
			for (int i = 2; i < name.getNumberOfElements(); i++) {
				node.written.put(uniform(name, i), name.getElement(i, Form.DASHED));
				node = node.parts.computeIfAbsent(uniform(name, i), (missing) -> new Node(ResolvableType.NONE));
			}
			return node;
		}

		boolean isMap() {
			return this.types.stream().anyMatch((type) -> type.toClass() == Map.class);
		}

		@Nullable Node next(String uniform) {
			Node part = this.parts.get(uniform);
			if (part != null) {
				return part;
			}
			for (ResolvableType type : this.types) {
				if (type.toClass() == Map.class) {
					return new Node(type.getGeneric(1));
				}
				if (Collection.class.isAssignableFrom(type.toClass())) {
					return new Node(type.getGeneric(0));
				}
				for (RecordComponent component : components(type)) {
					if (component.getName().equalsIgnoreCase(uniform)) {
						return new Node(ResolvableType.forMethodReturnType(component.getAccessor()));
					}
				}
			}
			return null;
		}

		Stream<String> names() {
			return Stream.concat(this.written.values().stream(),
					this.types.stream()
						.flatMap((type) -> Arrays.stream(components(type)))
						.map((component) -> DataObjectPropertyName.toDashedForm(component.getName())));
		}

		private static RecordComponent[] components(ResolvableType type) {
			RecordComponent[] components = type.toClass().getRecordComponents();
			return (components != null) ? components : new RecordComponent[0];
		}

	}

}
