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

	private static final String BEHIND = "write-behind";

	private final NamedSettings<String> writing = new NamedSettings<>();

	private final Map<String, GuardedMethod> methods = new ConcurrentHashMap<>();

	public void declareWriteThrough(String cache, GuardedMethod method) {
		declare(cache, "write-through", method);
	}

	public void declareWriteBehind(String cache, GuardedMethod method) {
		declare(cache, BEHIND, method);
	}

	private void declare(String cache, String way, GuardedMethod method) {
		this.writing.register(cache, way, method);
		this.methods.putIfAbsent(cache, method);
	}

	/**
	 * Checks that caches are written behind where annotations say so, that others are
	 * not, and that stores have the types of their caches.
	 */
	public void verify(WriteBehind actual, CacheRegistry all) {
		this.methods.forEach((cache, method) -> verify(cache, method, actual.isBehind(cache)));
		Set<String> names = new TreeSet<>(all.configuredNames());
		names.addAll(actual.storedCaches());
		for (String cache : names) {
			all.requireAllowed(cache);
			if (actual.isBehind(cache) && all.isNear(cache)) {
				throw new GuardConfigurationException("ge.redis.cache.caches." + cache + ".near.enabled",
						"cache '" + cache + "' is written behind, and such values are not kept in memory.",
						"Set it to false, or leave out the WriteBehindStore and ge.redis.cache.caches." + cache
								+ ".write-behind.");
			}
			CacheType declared = all.type(cache);
			JavaType stored = actual.storedType(cache);
			if (declared != null && stored != null && !declared.javaType().equals(stored)) {
				throw new IllegalStateException("Cache '" + cache + "' holds " + declared.javaType().toCanonical()
						+ ", but its WriteBehindStore writes " + stored);
			}
		}
	}

	private void verify(String cache, GuardedMethod method, boolean behind) {
		boolean declared = BEHIND.equals(this.writing.find(cache));
		if (declared && !behind) {
			throw method.problem("nothing writes the changes of cache '" + cache + "'.",
					"Define a WriteBehindStore bean for it, or set ge.redis.cache.caches." + cache
							+ ".write-behind=true where another application has it.");
		}
		if (behind && !declared) {
			throw method.problem(
					"cache '" + cache + "' is written behind, and older changes that wait would overwrite what this"
							+ " method writes.",
					"Use @CacheWriteBehind, or leave out the WriteBehindStore and ge.redis.cache.caches." + cache
							+ ".write-behind.");
		}
	}

}
