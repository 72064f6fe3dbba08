// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.engine;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.cache.internal.behind.WriteBehind;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.NamedSettings;
import tools.jackson.databind.JavaType;

/**
 * Writers of caches by annotations. They must not contradict each other or writers
 * behind.
 */
public final class WriterDefinitions {

	private final NamedSettings<String> writing = new NamedSettings<>();

	private final Map<String, GuardedMethod> through = new ConcurrentHashMap<>();

	private final Map<String, GuardedMethod> behind = new ConcurrentHashMap<>();

	public void declareWriteThrough(String cache, GuardedMethod method) {
		this.writing.register(cache, "write-through", method);
		this.through.putIfAbsent(cache, method);
	}

	public void declareWriteBehind(String cache, GuardedMethod method) {
		this.writing.register(cache, "write-behind", method);
		this.behind.putIfAbsent(cache, method);
	}

	/**
	 * Checks that caches are written behind where annotations say so, that others are
	 * not, and that stores have the types of their caches.
	 */
	public void verify(WriteBehind actual, CacheRegistry all) {
		verifyMethods(actual);
		verifySettings(actual, all);
		verifyTypes(actual, all);
	}

	private void verifyMethods(WriteBehind actual) {
		this.behind.forEach((cache, method) -> {
			if (!actual.isBehind(cache)) {
				throw method.problem("nothing writes the changes of cache '" + cache + "'.",
						"Define a WriteBehindStore bean for it, or set ge.redis.cache.caches." + cache
								+ ".write-behind=true where another application has it.");
			}
		});
		this.through.forEach((cache, method) -> {
			if (actual.isBehind(cache)) {
				throw method.problem(
						"cache '" + cache + "' is written behind, and older changes that wait would"
								+ " overwrite what this method writes.",
						"Use @CacheWriteBehind, or leave out the WriteBehindStore and ge.redis.cache.caches." + cache
								+ ".write-behind.");
			}
		});
	}

	private static void verifySettings(WriteBehind actual, CacheRegistry all) {
		Set<String> names = new TreeSet<>(all.configuredNames());
		names.addAll(actual.storedCaches());
		for (String cache : names) {
			all.requireAllowed(cache);
			if (actual.isBehind(cache) && all.near().isNear(cache)) {
				throw new GuardConfigurationException("ge.redis.cache.caches." + cache + ".near.enabled",
						"cache '" + cache + "' is written behind, and such values are not kept in memory.",
						"Set it to false, or leave out the WriteBehindStore and ge.redis.cache.caches." + cache
								+ ".write-behind.");
			}
		}
	}

	private static void verifyTypes(WriteBehind actual, CacheRegistry all) {
		for (String cache : actual.storedCaches()) {
			CacheType declared = all.type(cache);
			JavaType stored = actual.storedType(cache);
			if (declared != null && !declared.javaType().equals(stored)) {
				throw new IllegalStateException("Cache '" + cache + "' holds " + declared.javaType().toCanonical()
						+ ", but its WriteBehindStore writes " + stored);
			}
		}
	}

}
