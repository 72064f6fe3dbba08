// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.limit;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.PrincipalProvider;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.RequestKeySource;
import io.ge.redis.ratelimit.RateLimitDecision;
import io.ge.redis.ratelimit.RateLimitProperties;
import io.ge.redis.ratelimit.RateLimitProperties.Phase;
import io.ge.redis.ratelimit.RateLimitRule;
import io.ge.redis.ratelimit.internal.RateLimitRules;
import io.ge.redis.web.exchange.WebHandlers;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.env.Environment;
import org.springframework.http.server.PathContainer;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * The rules of {@code ge.redis.rate-limit.rules} for requests, and their keys for
 * annotated handlers. A mistake in them fails the start, and changes nothing when the
 * environment is refreshed.
 */
public class RequestRules implements RequestKeySource, SmartInitializingSingleton {

	private static final Log logger = LogFactory.getLog(RequestRules.class);

	private static final String STRATEGY = "server.forward-headers-strategy";

	private final RateLimitRules limits;

	private final Supplier<PathPatternParser> parser;

	private final Supplier<List<PrincipalProvider>> principals;

	private final String example;

	private final Supplier<? extends @Nullable LimitedRequest> current;

	/** Strategy by which the web server finds addresses behind proxies, in lower case. */
	private final String forwardStrategy;

	private final AtomicBoolean warned = new AtomicBoolean();

	private volatile @Nullable Known known;

	private RequestRules(RateLimitRules limits, Supplier<PathPatternParser> parser,
			Supplier<List<PrincipalProvider>> principals, String example,
			Supplier<? extends @Nullable LimitedRequest> current, Environment environment) {
		this.limits = limits;
		this.forwardStrategy = environment.getProperty(STRATEGY, "none").toLowerCase(Locale.ROOT);
		this.parser = parser;
		this.principals = SingletonSupplier.of(principals);
		this.example = example;
		this.current = current;
		limits.onRefresh(this::read);
	}

	public static RequestRules onServlets(RateLimitRules limits, Supplier<PathPatternParser> parser,
			Supplier<List<PrincipalProvider>> principals, Environment environment) {
		return new RequestRules(limits, parser, principals, "#request.serverName", LimitedRequest::ofThread,
				environment);
	}

	public static RequestRules onWebFlux(RateLimitRules limits, Supplier<PathPatternParser> parser,
			Supplier<List<PrincipalProvider>> principals, Environment environment) {
		return new RequestRules(limits, parser, principals, "#request.headers.getFirst('X-Tenant')",
				LimitedRequest::ofSubscriber, environment);
	}

	@Override
	public Supplier<@Nullable Object> bind(GuardedMethod method, String attribute, String name) {
		if (!WebHandlers.isHandler(method)) {
			throw method.problem(
					attribute + " = \"" + name + "\" is a value of the request, and the method is no web handler.",
					"Write an expression over its parameters, such as \"#id\".");
		}
		warnIfForgeable(name);
		return () -> {
			LimitedRequest request = this.current.get();
			return (request != null) ? known().keys().parse(name, attribute).of(request) : null;
		};
	}

	private Runnable read(List<RateLimitRule> limits, RateLimitProperties properties) {
		int hops = properties.trustedHops();
		if (hops > 0 && !this.forwardStrategy.equals("none")) {
			throw new GuardConfigurationException(
					"ge.redis.rate-limit.trusted-hops", "it is " + hops + ", and " + STRATEGY + " is "
							+ this.forwardStrategy + ", so both would read the forwarded headers.",
					"Remove one of them.");
		}
		limits.forEach((limit) -> warnIfForgeable(limit.settings().key()));
		RequestKeys keys = new RequestKeys(hops, this.principals, this.example);
		PathPatternParser parser = this.parser.get();
		List<RequestRule> read = limits.stream().map((rule) -> RequestRule.of(rule, parser, keys)).toList();
		return () -> this.known = new Known(read, keys);
	}

	private void warnIfForgeable(@Nullable String key) {
		if (RequestKeys.CLIENT_ADDRESS.equals(key) && this.forwardStrategy.equals("framework")
				&& this.warned.compareAndSet(false, true)) {
			logger.warn("With " + STRATEGY + "=framework, limits by client-address count what clients write into "
					+ "forwarded headers. Set it to native, or to none with ge.redis.rate-limit.trusted-hops.");
		}
	}

	private Known known() {
		Known known = this.known;
		if (known == null) {
			this.limits.read(this::read);
			known = Objects.requireNonNull(this.known);
		}
		return known;
	}

	@Override
	public void afterSingletonsInstantiated() {
		known();
	}

	boolean knowPrincipals() {
		return !this.principals.get().isEmpty();
	}

	boolean existFor(Phase phase) {
		for (RequestRule rule : known().rules()) {
			if (rule.phase() == phase) {
				return true;
			}
		}
		return false;
	}

	List<RateLimitRules.Match> matches(Phase phase, LimitedRequest request, PathContainer path) {
		List<RateLimitRules.Match> matches = new ArrayList<>();
		for (RequestRule rule : known().rules()) {
			if (rule.phase() == phase && rule.matches(request, path)) {
				matches.add(new RateLimitRules.Match(rule.rule(), rule.key().of(request)));
			}
		}
		return matches;
	}

	RateLimitDecision decide(List<RateLimitRules.Match> matches) {
		return this.limits.decide(matches);
	}

	CompletionStage<RateLimitDecision> decideAsync(List<RateLimitRules.Match> matches) {
		return this.limits.decideAsync(matches);
	}

	private record Known(List<RequestRule> rules, RequestKeys keys) {
	}

}
