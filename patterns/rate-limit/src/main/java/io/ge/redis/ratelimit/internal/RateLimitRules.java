// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.core.invocation.KeyText;
import io.ge.redis.ratelimit.OnEmptyKey;
import io.ge.redis.ratelimit.RateLimitCostException;
import io.ge.redis.ratelimit.RateLimitDecision;
import io.ge.redis.ratelimit.RateLimitProperties;
import io.ge.redis.ratelimit.RateLimitRule;
import org.jspecify.annotations.Nullable;

/**
 * Limits on requests, described by {@code ge.redis.rate-limit.rules}. Knows no request:
 * adapters find out which rules a request matches and what its keys are.
 */
public final class RateLimitRules {

	/** The property of the rules. */
	public static final String PROPERTY = RateLimitRegistry.RULES;

	private static final RateLimitDecision NOT_LIMITED = new RateLimitDecision.Allowed(List.of(), () -> 0);

	private final RateLimitRegistry limits;

	private final Supplier<DefaultRateLimiter> limiter;

	RateLimitRules(RateLimitRegistry limits, Supplier<DefaultRateLimiter> limiter) {
		this.limits = limits;
		this.limiter = limiter;
	}

	/**
	 * Adds an adapter, which is given the rules whenever they are read anew. For the
	 * first time it asks for them itself, with {@link #read}.
	 */
	public void onRefresh(Adapter adapter) {
		this.limits.onRefresh(adapter::read);
	}

	/**
	 * Gives an adapter the rules as they are, and has it take them over.
	 */
	public void read(Adapter adapter) {
		adapter.read(all(), this.limits.properties()).run();
	}

	/**
	 * Returns the rules as the properties have them now, whose limits can be used by name
	 * from then on.
	 */
	public List<RateLimitRule> all() {
		return this.limits.rules();
	}

	/**
	 * Decides on a request by all rules that it matches, all or nothing. A limit that
	 * several of them apply to the same key is charged once, with the highest cost. Costs
	 * one script call, on a Cluster one for each slot.
	 * @throws io.ge.redis.InvalidKeyException if a key is missing and its rule makes this
	 * an error
	 * @throws RateLimitCostException if a limit never gives as much as a rule takes
	 * @throws io.ge.redis.RedisUnavailableException if Redis is unavailable and the
	 * policy of one of the limits is to deny
	 */
	public RateLimitDecision decide(List<Match> matches) {
		List<PermitRequest> requests = requests(matches);
		return requests.isEmpty() ? NOT_LIMITED : this.limiter.get().decide(requests);
	}

	/**
	 * Decides without blocking, as {@link #decide}; cancelling the stage refunds the
	 * permits.
	 */
	public CompletionStage<RateLimitDecision> decideAsync(List<Match> matches) {
		List<PermitRequest> requests = requests(matches);
		return requests.isEmpty() ? CompletableFuture.completedStage(NOT_LIMITED)
				: this.limiter.get().decideAsync(requests);
	}

	private List<PermitRequest> requests(List<Match> matches) {
		Map<RedisLimitKey, PermitRequest> requests = new LinkedHashMap<>();
		for (Match match : matches) {
			List<String> key = match.parts();
			if (key == null) {
				continue;
			}
			for (PermitRequest request : this.limiter.get()
				.engine()
				.requests(match.rule().limits(), key, match.rule().settings().cost())) {
				requests.merge(request.key(), request, (first, next) -> (next.cost() > first.cost()) ? next : first);
			}
		}
		return List.copyOf(requests.values());
	}

	/**
	 * A rule that applies to a request.
	 *
	 * @param rule the rule
	 * @param key whom or what it limits: text, a number, or a list of those; ignored if
	 * the rule has no key
	 */
	public record Match(RateLimitRule rule, @Nullable Object key) {

		private @Nullable List<String> parts() {
			RateLimitProperties.Rule settings = this.rule.settings();
			if (settings.key() == null) {
				return List.of();
			}
			if (KeyText.isEmpty(this.key) && settings.onEmptyKey() != OnEmptyKey.ERROR) {
				return (settings.onEmptyKey() == OnEmptyKey.SHARED) ? List.of() : null;
			}
			return KeyText.of(this.key, "The key of " + this.rule.place());
		}

	}

	/**
	 * Makes rules ready for one kind of requests.
	 */
	@FunctionalInterface
	public interface Adapter {

		/**
		 * Reads rules.
		 * @param properties the other properties, read with them
		 * @return takes them over, which must not fail
		 * @throws GuardConfigurationException if one of them cannot work
		 */
		Runnable read(List<RateLimitRule> rules, RateLimitProperties properties);

	}

}
