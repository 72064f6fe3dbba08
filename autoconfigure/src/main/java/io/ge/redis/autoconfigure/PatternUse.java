// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.lang.annotation.Annotation;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.ge.redis.blacklist.BlacklistCheck;
import io.ge.redis.breaker.CircuitBreaker;
import io.ge.redis.broadcast.RedisBroadcastListener;
import io.ge.redis.cache.CacheAside;
import io.ge.redis.cache.CacheInvalidate;
import io.ge.redis.cache.CacheWriteBehind;
import io.ge.redis.cache.CacheWriteThrough;
import io.ge.redis.core.invocation.OperationSource;
import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.lock.DistributedLock;
import io.ge.redis.queue.RedisJob;
import io.ge.redis.ratelimit.RateLimited;
import io.ge.redis.stream.RedisStreamListener;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeansException;
import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.type.MethodMetadata;
import org.springframework.util.ConcurrentReferenceHashMap;

/**
 * Decides whether an application uses a pattern, before its beans are made. It does if
 * one of these holds:
 * <ul>
 * <li>a property of the pattern is set, other than {@code enabled=false}</li>
 * <li>the class of a bean has an annotation of the pattern</li>
 * <li>the class of a bean names a type of the pattern, in a field or in a parameter of a
 * constructor or method</li>
 * </ul>
 * The class of a bean is the return type of its {@code @Bean} method.
 */
public final class PatternUse {

	/**
	 * The annotations of methods by pattern, which is the last part of its properties.
	 */
	public static final Map<String, List<Class<? extends Annotation>>> ANNOTATIONS = Map.of("rate-limit",
			List.of(RateLimited.class), "lock", List.of(DistributedLock.class), "idempotency",
			List.of(Idempotent.class), "cache",
			List.of(CacheAside.class, CacheWriteThrough.class, CacheWriteBehind.class, CacheInvalidate.class),
			"blacklist", List.of(BlacklistCheck.class), "breaker", List.of(CircuitBreaker.class), "stream",
			List.of(RedisStreamListener.class), "queue", List.of(RedisJob.class), "broadcast",
			List.of(RedisBroadcastListener.class));

	private static final Pattern TYPES = Pattern.compile(
			"io\\.ge\\.redis\\.(ratelimit|lock|breaker|idempotency|cache|blacklist|security|stream|queue|broadcast|"
					+ "session|state|leaderboard|counter|bloom|geo|hash|script|core)\\.");

	private static final Map<Class<?>, Map<String, String>> NAMED = new ConcurrentReferenceHashMap<>();

	private PatternUse() {
	}

	/**
	 * Returns why an application uses a pattern.
	 * @param pattern such as {@code rate-limit}, or empty for any
	 * @return the reason, or {@code null} if it does not use the pattern
	 */
	public static @Nullable String find(Environment environment, ConfigurableListableBeanFactory beans,
			String pattern) {
		String reason = findProperty(environment, pattern.isEmpty() ? "ge.redis" : "ge.redis." + pattern);
		if (reason == null) {
			reason = findAnnotation(beans, pattern);
		}
		return (reason != null) ? reason : findType(beans, pattern);
	}

	/**
	 * Returns the first property below a prefix that is set.
	 */
	public static @Nullable String findProperty(Environment environment, String prefix) {
		ConfigurationPropertyName above = ConfigurationPropertyName.of(prefix);
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
			boolean named = false;
			if (source instanceof IterableConfigurationPropertySource properties) {
				for (ConfigurationPropertyName name : properties) {
					named |= above.isAncestorOf(name);
					if (above.isAncestorOf(name) && !isSwitchedOff(environment, name)) {
						return name + " is set";
					}
				}
			}
			// Variables may have an underscore for each dash
			if (!named && source.containsDescendantOf(above) == ConfigurationPropertyState.PRESENT) {
				return prefix + " is set";
			}
		}
		return null;
	}

	private static boolean isSwitchedOff(Environment environment, ConfigurationPropertyName name) {
		return name.getLastElement(ConfigurationPropertyName.Form.UNIFORM).equals("enabled")
				&& !"true".equalsIgnoreCase(environment.getProperty(name.toString(), "true"));
	}

	/**
	 * Returns the first bean that has an annotation of a pattern.
	 */
	public static @Nullable String findAnnotation(ConfigurableListableBeanFactory beans, String pattern) {
		List<Class<? extends Annotation>> annotations = pattern.isEmpty()
				? ANNOTATIONS.values().stream().flatMap(List::stream).toList()
				: ANNOTATIONS.getOrDefault(pattern, List.of());
		for (String name : beans.getBeanDefinitionNames()) {
			Class<?> type = typeOfApplication(beans, name);
			for (Class<? extends Annotation> annotation : annotations) {
				if (type != null && OperationSource.mayContain(type, annotation)) {
					return "bean '" + name + "' has @" + annotation.getSimpleName();
				}
			}
		}
		return null;
	}

	/**
	 * Returns the first bean whose class names a type of a pattern.
	 */
	public static @Nullable String findType(ConfigurableListableBeanFactory beans, String pattern) {
		for (String name : beans.getBeanDefinitionNames()) {
			Class<?> type = typeOfApplication(beans, name);
			Map<String, String> named = (type != null) ? NAMED.computeIfAbsent(type, PatternUse::named) : Map.of();
			String found = pattern.isEmpty() ? named.values().stream().findFirst().orElse(null)
					: named.get(pattern.replace("-", ""));
			if (found != null) {
				return "bean '" + name + "' names " + found;
			}
		}
		return null;
	}

	/**
	 * Returns one type of each pattern that a class names, by the package of the pattern.
	 */
	private static Map<String, String> named(Class<?> declaring) {
		Map<String, String> named = new TreeMap<>();
		try {
			for (Type type : types(declaring)) {
				Matcher ours = TYPES.matcher(type.getTypeName());
				if (ours.find()) {
					named.putIfAbsent(ours.group(1), type.getTypeName());
				}
			}
		}
		catch (LinkageError | TypeNotPresentException ex) {
			// The class belongs to a library of which a part is missing
		}
		return named;
	}

	private static List<Type> types(Class<?> declaring) {
		List<Type> types = new ArrayList<>();
		for (Class<?> type = declaring; type != null && type != Object.class; type = type.getSuperclass()) {
			for (Field field : type.getDeclaredFields()) {
				types.add(field.getGenericType());
			}
			for (Constructor<?> constructor : type.getDeclaredConstructors()) {
				types.addAll(List.of(constructor.getGenericParameterTypes()));
			}
			for (Method method : type.getDeclaredMethods()) {
				types.addAll(List.of(method.getGenericParameterTypes()));
			}
		}
		return types;
	}

	private static @Nullable Class<?> typeOfApplication(ConfigurableListableBeanFactory beans, String name) {
		if (!isOfApplication(beans, name)) {
			return null;
		}
		try {
			Class<?> type = beans.getType(name, false);
			if (type == null || isOfSpring(type.getName())) {
				return null;
			}
			// A library of which a part is missing is skipped
			for (Class<?> each = type; each != null; each = each.getSuperclass()) {
				Objects.requireNonNull(each.getDeclaredMethods());
			}
			return type;
		}
		catch (BeansException | LinkageError ex) {
			return null;
		}
	}

	/**
	 * Returns whether a bean is neither one of the library nor defined by Spring. Beans
	 * that a factory of Spring creates for the application are its own.
	 */
	public static boolean isOfApplication(ConfigurableListableBeanFactory beans, String name) {
		BeanDefinition definition = beans.getBeanDefinition(name);
		String made = definition.getBeanClassName();
		boolean product = made != null && made.endsWith("FactoryBean");
		return !isOurs(beans, name) && !isOfSpring(definition.getFactoryBeanName()) && (!isOfSpring(made) || product);
	}

	/**
	 * Returns whether a bean is one of the library, by its name and by what defines it.
	 */
	public static boolean isOurs(ConfigurableListableBeanFactory beans, String bean) {
		BeanDefinition definition = beans.getBeanDefinition(bean);
		MethodMetadata method = (definition instanceof AnnotatedBeanDefinition annotated)
				? annotated.getFactoryMethodMetadata() : null;
		String defining = (method != null) ? method.getDeclaringClassName() : definition.getBeanClassName();
		return isOurs(bean) && (defining == null || defining.startsWith("io.ge.redis."));
	}

	/**
	 * Returns whether a bean has a name of the library.
	 */
	public static boolean isOurs(String bean) {
		return bean.regionMatches(true, 0, "geRedis", 0, 7) || bean.startsWith("ge.redis.")
				|| bean.matches("io\\.ge\\.redis\\.(autoconfigure|actuate|embedded)\\.\\w+Configuration(\\$.*)?");
	}

	private static boolean isOfSpring(@Nullable String name) {
		return name != null && name.startsWith("org.springframework.")
				&& !name.startsWith("org.springframework.samples.");
	}

}
