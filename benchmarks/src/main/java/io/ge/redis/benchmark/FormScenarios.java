// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark;

import java.util.List;

/**
 * The same call for a plain result, a future and a publisher.
 */
final class FormScenarios {

	private static final String NOTE = "On threads that wait for each result, so that the forms can be compared: a plain "
			+ "result wakes its caller at once, a future and a Mono go on on a thread of the application, which wakes it.";

	private final Instance instance;

	FormScenarios(Instance instance) {
		this.instance = instance;
	}

	List<Scenario> all() {
		Guarded plain = this.instance.guarded();
		GuardedLater later = this.instance.get(GuardedLater.class);
		return List.of(
				scenario("ratelimit", "Rate limit, allowed", Keys.MANY, plain::admit,
						(key) -> later.admitFuture(key).get(), (key) -> later.admitMono(key).block(), Scenario.NOTHING),
				scenario("lock", "Lock, taken and released, uncontended", Keys.OWN, (key) -> plain.locked(key, 0),
						(key) -> later.lockedFuture(key, 0).get(), (key) -> later.lockedMono(key, 0).block(),
						Scenario.NOTHING),
				scenario("cache", "Cache, hit", Keys.MANY, plain::read, (key) -> later.readFuture(key).get(),
						(key) -> later.readMono(key).block(), (count) -> Scenarios.forAll(count, plain::read)),
				scenario("idempotency", "Idempotency, first call", Keys.FRESH, plain::once,
						(key) -> later.onceFuture(key).get(), (key) -> later.onceMono(key).block(), Scenario.NOTHING));
	}

	private Scenario scenario(String pattern, String title, Keys keys, Contender.Action plain, Contender.Action future,
			Contender.Action mono, Scenario.Preparation preparation) {
		String reference = "plain";
		return new Scenario(pattern, "forms-" + pattern, title + ": plain results, futures and publishers", NOTE,
				List.of(keys),
				List.of(Contender.ping(this.instance.raw(), reference), Contender.of(reference, reference, plain),
						Contender.of("CompletableFuture", reference, future), Contender.of("Mono", reference, mono)),
				preparation);
	}

}
