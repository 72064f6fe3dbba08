// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.limit;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
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

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.env.Environment;
import org.springframework.http.HttpMethod;
import org.springframework.http.server.PathContainer;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;
import org.springframework.web.util.pattern.PatternParseException;

/**
 * The rules of {@code ge.redis.rate-limit.rules} for requests, and their keys for
 * annotated handlers. A mistake in them fails the start, and changes nothing when the
 * environment is refreshed.
 */
public final class RequestRules implements RequestKeySource, SmartInitializingSingleton {

	private static final Log logger = LogFactory.getLog(RequestRules.class);

	private static final String STRATEGY = "server.forward-headers-strategy";

	private final RateLimitRules limits;

	private final Supplier<PathPatternParser> parser;

	private final Supplier<List<PrincipalProvider>> principals;

	private final Supplier<? extends @Nullable LimitedRequest> current;

	/** Strategy by which the web server finds addresses behind proxies, in lower case. */
	private final String forwardStrategy;

	private final AtomicBoolean warned = new AtomicBoolean();

	private volatile @Nullable Known known;

	private RequestRules(RateLimitRules limits, Supplier<PathPatternParser> parser,
			ObjectProvider<PrincipalProvider> principals, Supplier<? extends @Nullable LimitedRequest> current,
			Environment environment) {
		this.limits = limits;
		this.forwardStrategy = environment.getProperty(STRATEGY, "none").toLowerCase(Locale.ROOT);
		this.parser = parser;
		this.principals = SingletonSupplier.of(() -> principals.orderedStream().toList());
		this.current = current;
		limits.onRefresh(this::read);
	}

	public static RequestRules onServlets(RateLimitRules limits, Supplier<PathPatternParser> parser,
			ObjectProvider<PrincipalProvider> principals, Environment environment) {
		return new RequestRules(limits, parser, principals, LimitedRequest::ofThread, environment);
	}

	public static RequestRules onWebFlux(RateLimitRules limits, Supplier<PathPatternParser> parser,
			ObjectProvider<PrincipalProvider> principals, Environment environment) {
		return new RequestRules(limits, parser, principals, LimitedRequest::ofSubscriber, environment);
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
		RequestKeys keys = new RequestKeys(hops, this.principals);
		PathPatternParser parser = this.parser.get();
		List<Rule> read = limits.stream().map((rule) -> Rule.of(rule, parser, keys)).toList();
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
		for (Rule rule : known().rules()) {
			if (rule.phase() == phase) {
				return true;
			}
		}
		return false;
	}

	List<RateLimitRules.Match> matches(Phase phase, LimitedRequest request, PathContainer path) {
		List<RateLimitRules.Match> matches = new ArrayList<>();
		for (Rule rule : known().rules()) {
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

	private record Known(List<Rule> rules, RequestKeys keys) {
	}

	/** A rule as it is asked for each request. */
	private record Rule(RateLimitRule rule, Phase phase, List<PathPattern> patterns, Set<String> methods,
			RequestKeys.RequestKey key) {

		static Rule of(RateLimitRule rule, PathPatternParser parser, RequestKeys keys) {
			return new Rule(rule, phase(rule), patterns(rule, parser), methods(rule),
					keys.parse(rule.settings().key(), rule.place() + ".key"));
		}

		private static Phase phase(RateLimitRule rule) {
			Phase phase = rule.settings().phase();
			if (!RequestKeys.PRINCIPAL.equals(rule.settings().key())) {
				return (phase != null) ? phase : Phase.BEFORE_AUTHENTICATION;
			}
			if (phase == Phase.BEFORE_AUTHENTICATION) {
				throw new GuardConfigurationException(rule.place() + ".phase",
						"the principal is not known before authentication.",
						"Remove it, or use another key such as client-address.");
			}
			return Phase.AFTER_AUTHENTICATION;
		}

		private static List<PathPattern> patterns(RateLimitRule rule, PathPatternParser parser) {
			List<PathPattern> patterns = new ArrayList<>();
			List<String> paths = rule.settings().path();
			for (int i = 0; i < paths.size(); i++) {
				try {
					patterns.add(parser.parse(parser.initFullPathPattern(paths.get(i))));
				}
				catch (PatternParseException ex) {
					throw new GuardConfigurationException(rule.place() + ".path[" + i + "]",
							"\"" + paths.get(i) + "\" does not parse: " + ex.getMessage() + ".",
							"Write a path pattern such as /api/** or /orders/{id}.", ex);
				}
			}
			return patterns;
		}

		private static Set<String> methods(RateLimitRule rule) {
			Set<String> methods = new HashSet<>();
			List<String> names = rule.settings().methods();
			for (int i = 0; i < names.size(); i++) {
				String name = names.get(i).toUpperCase(Locale.ROOT);
				if (!Arrays.asList(HttpMethod.values()).contains(HttpMethod.valueOf(name))) {
					throw new GuardConfigurationException(rule.place() + ".methods[" + i + "]",
							"\"" + names.get(i) + "\" is no HTTP method.",
							"Write one of " + Arrays.toString(HttpMethod.values()) + ".");
				}
				methods.add(name);
			}
			// Handlers for GET answer HEAD too, at the same cost
			if (methods.contains("GET")) {
				methods.add("HEAD");
			}
			return methods;
		}

		boolean matches(LimitedRequest request, PathContainer path) {
			if (!this.methods.isEmpty() && !this.methods.contains(request.method())) {
				return false;
			}
			for (PathPattern pattern : this.patterns) {
				if (pattern.matches(path)) {
					return true;
				}
			}
			return false;
		}

	}

}
