// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.util.List;
import java.util.Map;

import org.springframework.aot.AotDetector;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.core.env.Environment;

/**
 * Creates properties, and their checks at startup, only for applications that use them,
 * unless one of the properties is set: defaults are valid and need no check. An
 * application that uses nothing of the library only runs its checks at startup.
 */
class LazyPatterns implements BeanFactoryPostProcessor {

	private static final Map<String, List<String>> PREFIXES = Map.ofEntries(
			Map.entry("geRedisRateLimitPattern", List.of("ge.redis.rate-limit")),
			Map.entry("geRedisBreakerPattern", List.of("ge.redis.breaker")),
			Map.entry("geRedisLockPattern", List.of("ge.redis.lock")),
			Map.entry("geRedisIdempotencyPattern", List.of("ge.redis.idempotency")),
			Map.entry("geRedisCachePattern", List.of("ge.redis.cache")),
			Map.entry("geRedisBlacklistPattern", List.of("ge.redis.blacklist")),
			Map.entry("geRedisRefreshTokens", List.of("ge.redis.refresh-tokens", "ge.redis.blacklist")),
			Map.entry("geRedisStreamPattern", List.of("ge.redis.stream")),
			Map.entry("geRedisQueuePattern", List.of("ge.redis.queue")),
			Map.entry("geRedisBroadcastPattern", List.of("ge.redis.broadcast")),
			Map.entry("geRedisBloomFilters", List.of("ge.redis.bloom")));

	private final Environment environment;

	private boolean used = true;

	public LazyPatterns(Environment environment) {
		this.environment = environment;
	}

	@Override
	public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
		// The set properties are known when the application runs
		if (Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING)) {
			return;
		}
		if (!AotDetector.useGeneratedArtifacts()) {
			this.used = PatternUse.find(this.environment, beans, "") != null;
		}
		for (String bean : beans.getBeanDefinitionNames()) {
			List<String> prefixes = prefixes(bean);
			if (!prefixes.isEmpty()) {
				// Also where an application is lazy: its settings are checked at startup
				beans.getBeanDefinition(bean)
					.setLazyInit(prefixes.stream()
						.allMatch((prefix) -> PatternUse.findProperty(this.environment, prefix) == null));
			}
			else if (!this.used && PatternUse.isOurs(beans, bean)
					&& !beans.isTypeMatch(bean, SmartInitializingSingleton.class)) {
				beans.getBeanDefinition(bean).setLazyInit(true);
			}
		}
	}

	public boolean isUsed() {
		return this.used;
	}

	// Spring Boot names beans of properties by prefix and class
	private static List<String> prefixes(String bean) {
		int end = bean.indexOf("-io.ge.redis.");
		return (end > 0) ? List.of(bean.substring(0, end)) : PREFIXES.getOrDefault(bean, List.of());
	}

}
