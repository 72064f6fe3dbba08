// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.breaker.internal;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

import io.ge.redis.breaker.BreakerProperties;
import io.ge.redis.core.invocation.Settings;
import io.ge.redis.core.invocation.SettingsRegistry;

/**
 * Settings of breakers by name.
 */
final class BreakerRegistry extends SettingsRegistry<BreakerProperties.Breaker, BreakerSettings> {

	private static final BreakerProperties.Breaker UNSET = new BreakerProperties.Breaker(null, null, null, null, null,
			null, null, null, null, null, null, null);

	private static final Duration TEN_SECONDS = Duration.ofSeconds(10);

	private static final Duration LONGEST = Duration.ofMinutes(2);

	private final Supplier<BreakerProperties> properties;

	BreakerRegistry(Supplier<BreakerProperties> properties) {
		super("circuit breaker", "ge.redis.breaker.breakers", () -> properties.get().breakers().keySet(), UNSET);
		this.properties = properties;
	}

	/** Returns the names that annotations and properties have. */
	Set<String> names() {
		Set<String> names = new TreeSet<>(this.properties.get().breakers().keySet());
		annotated().forEach((settings) -> names.add(settings.name()));
		return names;
	}

	@Override
	protected BreakerSettings merge(String name, BreakerProperties.Breaker given, Settings origins) {
		BreakerProperties.Breaker set = this.properties.get().breakers().getOrDefault(name, UNSET);
		Duration slowAfter = origins.pickOptional("slowAfter", set.slowAfter(), given.slowAfter());
		Duration openFor = origins.pick("openFor", set.openFor(), given.openFor(), TEN_SECONDS);
		Duration longest = (openFor.compareTo(LONGEST) > 0) ? openFor : LONGEST;
		return new BreakerSettings(name, origins.pick("failureRate", set.failureRate(), given.failureRate(), 50),
				origins.pick("slowCallRate", set.slowCallRate(), given.slowCallRate(), 0), slowAfter,
				origins.pick("window", set.window(), given.window(), TEN_SECONDS),
				origins.pick("minimumCalls", set.minimumCalls(), given.minimumCalls(), 20), openFor,
				origins.pick("maxOpenFor", set.maxOpenFor(), null, longest),
				origins.pick("probes", set.probes(), given.probes(), 3),
				origins.pick("probeLease", set.probeLease(), null, (slowAfter != null) ? slowAfter : TEN_SECONDS),
				new FailureRule(origins.pick("record", set.record(), given.record(), List.of()),
						origins.pick("ignore", set.ignore(), given.ignore(), List.of())),
				origins.pick("shadow", set.shadow(), given.shadow(), false));
	}

}
