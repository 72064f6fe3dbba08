// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.ge.redis.autoconfigure.condition.ConditionalOnSwitchedOff.OnSwitchedOffCondition;
import io.ge.redis.blacklist.Revocation;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.UsedIds;
import io.ge.redis.blacklist.refresh.RefreshTokens;
import io.ge.redis.bloom.BloomFilters;
import io.ge.redis.breaker.CircuitBreakers;
import io.ge.redis.broadcast.Broadcaster;
import io.ge.redis.cache.GeCaches;
import io.ge.redis.counter.UniqueCounters;
import io.ge.redis.geo.GeoIndexes;
import io.ge.redis.hash.HashStore;
import io.ge.redis.idempotency.Idempotency;
import io.ge.redis.leaderboard.Leaderboards;
import io.ge.redis.lock.DistributedLocks;
import io.ge.redis.queue.JobQueue;
import io.ge.redis.ratelimit.RateLimiter;
import io.ge.redis.script.EntityScripts;
import io.ge.redis.session.Sessions;
import io.ge.redis.state.ChangeSubscription;
import io.ge.redis.state.Workspace;
import io.ge.redis.state.Workspaces;
import io.ge.redis.stream.DeadLetters;
import io.ge.redis.stream.StreamPublisher;
import io.ge.redis.stream.StreamViews;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Registers {@code unguarded()} of each API whose pattern is switched off, unless the
 * application has a bean of the type.
 */
final class StandIns implements ImportBeanDefinitionRegistrar {

	/**
	 * The APIs with the switches of their patterns. The one of caches needs beans of the
	 * application.
	 */
	private static final Map<Class<?>, List<String>> APIS = Map.ofEntries(
			Map.entry(RateLimiter.class, List.of("rate-limit")), Map.entry(DistributedLocks.class, List.of("lock")),
			Map.entry(Idempotency.class, List.of("idempotency")), Map.entry(TokenBlacklist.class, List.of("blacklist")),
			Map.entry(UsedIds.class, List.of("blacklist")),
			Map.entry(RefreshTokens.class, List.of("blacklist", "refresh-tokens")),
			Map.entry(CircuitBreakers.class, List.of("breaker")), Map.entry(StreamPublisher.class, List.of("stream")),
			Map.entry(DeadLetters.class, List.of("stream")), Map.entry(StreamViews.class, List.of("stream")),
			Map.entry(JobQueue.class, List.of("queue")), Map.entry(Broadcaster.class, List.of("broadcast")),
			Map.entry(Workspaces.class, List.of("state")), Map.entry(Leaderboards.class, List.of("leaderboard")),
			Map.entry(UniqueCounters.class, List.of("counter")), Map.entry(BloomFilters.class, List.of("bloom")),
			Map.entry(GeoIndexes.class, List.of("geo")), Map.entry(HashStore.class, List.of("hash")),
			Map.entry(EntityScripts.class, List.of("script")), Map.entry(Sessions.class, List.of("session")));

	private final Environment environment;

	StandIns(Environment environment) {
		this.environment = environment;
	}

	@Override
	public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
		APIS.forEach((api, patterns) -> {
			boolean off = !OnSwitchedOffCondition.switchedOff(this.environment, patterns.toArray(String[]::new))
				.isEmpty();
			if (off && ((ListableBeanFactory) registry).getBeanNamesForType(api, true, false).length == 0) {
				RootBeanDefinition standIn = new RootBeanDefinition(api);
				standIn.setFactoryMethodName("unguarded");
				registry.registerBeanDefinition("geRedis" + api.getSimpleName(), standIn);
			}
		});
	}

	/**
	 * Registers the proxies of {@link io.ge.redis.core.StandIn}.
	 */
	static final class Hints implements RuntimeHintsRegistrar {

		@Override
		public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
			Set<Class<?>> proxied = new HashSet<>(APIS.keySet());
			proxied.addAll(List.of(GeCaches.class, Revocation.class, Workspace.class, ChangeSubscription.class));
			for (Class<?> api : proxied) {
				hints.proxies().registerJdkProxy(api);
				hints.reflection().registerType(api, MemberCategory.INVOKE_PUBLIC_METHODS);
			}
		}

	}

}
