// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import io.ge.redis.blacklist.BlacklistProperties;
import io.ge.redis.breaker.BreakerProperties;
import io.ge.redis.cache.CacheAside;
import io.ge.redis.cache.CacheInvalidate;
import io.ge.redis.cache.CacheWriteThrough;
import io.ge.redis.cache.internal.CachePattern;
import io.ge.redis.core.guard.GuardedMethods;
import io.ge.redis.idempotency.IdempotencyProperties;
import io.ge.redis.lock.LockProperties;
import io.ge.redis.ratelimit.internal.RateLimitPattern;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;

/**
 * Warns once, when the application has started, of names in the properties that no
 * annotation uses. Also warns once of caches that annotations write and none reads. Such
 * names may be misspelt; their settings or writes have no effect.
 */
class UnusedNames implements ApplicationListener<ApplicationReadyEvent> {

	private static final Log logger = LogFactory.getLog(UnusedNames.class);

	private final ConfigurableListableBeanFactory beans;

	private final GuardedMethods methods;

	public UnusedNames(ConfigurableListableBeanFactory beans, GuardedMethods methods) {
		this.beans = beans;
		this.methods = methods;
	}

	@Override
	public void onApplicationEvent(ApplicationReadyEvent event) {
		warnOfUnreadCaches();
		List<String> unused = new ArrayList<>();
		add(unused, "ge.redis.rate-limit.limits", "ratelimit", RateLimitPattern.class, RateLimitPattern::unusedNames);
		add(unused, "ge.redis.lock.locks", "lock", LockProperties.class, (lock) -> lock.locks().keySet());
		add(unused, "ge.redis.idempotency.operations", "idempotency", IdempotencyProperties.class,
				(idempotency) -> idempotency.operations().keySet());
		add(unused, "ge.redis.cache.caches", "cache", CachePattern.class, CachePattern::unusedNames);
		add(unused, "ge.redis.blacklist.lists", "blacklist", BlacklistProperties.class,
				(blacklist) -> blacklist.lists().keySet());
		add(unused, "ge.redis.breaker.breakers", "breaker", BreakerProperties.class,
				(breaker) -> breaker.breakers().keySet());
		if (!unused.isEmpty()) {
			logger.warn("No annotation uses these names in the properties: " + String.join("; ", unused)
					+ ". Correct them, unless code uses them by name, which cannot be seen at startup");
		}
	}

	/**
	 * A cache that is read only is right, since readers fill it. So those are named only
	 * where another one is written and not read. Caches that are written behind have a
	 * store as reader.
	 */
	private void warnOfUnreadCaches() {
		Set<String> read = annotated("cache", CacheAside.class.getSimpleName()::equals);
		Set<String> written = annotated("cache",
				List.of(CacheWriteThrough.class.getSimpleName(), CacheInvalidate.class.getSimpleName())::contains);
		for (String name : this.beans.getBeanNamesForType(CachePattern.class, false, false)) {
			if (this.beans.containsSingleton(name)) {
				CachePattern caches = this.beans.getBean(name, CachePattern.class);
				read.addAll(caches.namesBySpring(true));
				written.addAll(caches.namesBySpring(false));
			}
		}
		Set<String> unread = new TreeSet<>(written);
		unread.removeAll(read);
		read.removeAll(written);
		if (!unread.isEmpty()) {
			logger.warn("Annotations write the caches " + unread + ", and none reads them"
					+ (read.isEmpty() ? "" : ". They read " + read + ", and none writes these")
					+ ". Correct the names, unless code uses them by name, which cannot be seen at startup");
		}
	}

	private Set<String> annotated(String pattern, Predicate<String> annotation) {
		return this.methods.all()
			.stream()
			.map(GuardedMethods.Entry::guard)
			.filter((guard) -> guard.pattern().equals(pattern) && annotation.test(guard.annotation()))
			.map((guard) -> guard.name())
			.collect(Collectors.toCollection(TreeSet::new));
	}

	private <T> void add(List<String> unused, String property, String pattern, Class<T> type,
			Function<T, Collection<String>> configured) {
		for (String name : this.beans.getBeanNamesForType(type, false, false)) {
			// Else the pattern is not used, and none of its properties is set
			if (this.beans.containsSingleton(name)) {
				add(unused, property, pattern, configured.apply(this.beans.getBean(name, type)));
			}
		}
	}

	private void add(List<String> unused, String property, String pattern, Collection<String> configured) {
		Set<String> annotated = annotated(pattern, (any) -> true);
		Set<String> names = new TreeSet<>(configured);
		names.removeAll(annotated);
		if (!names.isEmpty()) {
			unused.add(property + " " + names + ", where annotations use " + annotated);
		}
	}

}
