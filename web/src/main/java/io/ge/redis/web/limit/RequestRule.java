// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.limit;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.ratelimit.RateLimitProperties.Phase;
import io.ge.redis.ratelimit.RateLimitRule;

import org.springframework.http.HttpMethod;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;
import org.springframework.web.util.pattern.PatternParseException;

/**
 * A rule as it is asked for each request.
 */
record RequestRule(RateLimitRule rule, Phase phase, List<PathPattern> patterns, Set<String> methods,
		RequestKeys.RequestKey key) {

	static RequestRule of(RateLimitRule rule, PathPatternParser parser, RequestKeys keys) {
		return new RequestRule(rule, phase(rule), patterns(rule, parser), methods(rule),
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
