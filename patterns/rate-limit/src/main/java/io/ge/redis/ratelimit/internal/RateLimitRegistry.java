// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;

import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitProperties;
import io.ge.redis.ratelimit.RateLimitRule;
import org.jspecify.annotations.Nullable;

/**
 * The limits of the application by name: merged from properties, annotations and
 * defaults, in that order. Also the place where limits that come as they are, from code,
 * are held to the same rules.
 */
final class RateLimitRegistry {

	private final Supplier<RateLimitProperties> properties;

	private final List<RateLimitDefinitions.Use> uses = new ArrayList<>();

	private final List<Function<RateLimitDefinitions, Runnable>> refreshActions = new CopyOnWriteArrayList<>();

	private final Lock lock = new ReentrantLock();

	private volatile @Nullable RateLimitDefinitions current;

	public RateLimitRegistry(Supplier<RateLimitProperties> properties) {
		this.properties = properties;
	}

	/**
	 * Merges what an annotation says with the properties, and registers the result.
	 */
	public List<RateLimitMerge.Merged> define(RateLimitDefinitions.Use use) {
		current();
		this.lock.lock();
		try {
			List<RateLimitMerge.Merged> merged = current().add(use);
			this.uses.add(use);
			return merged;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Adds something to do when other properties are read.
	 * @param action looks at them, and fails if they cannot work; what it returns is done
	 * once they are in effect
	 */
	public void onRefresh(Function<RateLimitDefinitions, Runnable> action) {
		this.refreshActions.add(action);
	}

	public List<RateLimitRule> rules() {
		current();
		this.lock.lock();
		try {
			return current().rules();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Reads other properties from now on, rules included. If one of them cannot work,
	 * nothing changes.
	 */
	public void refresh(RateLimitProperties changed) {
		this.lock.lock();
		try {
			RateLimitDefinitions next = new RateLimitDefinitions(changed);
			this.uses.forEach(next::add);
			next.rules();
			next.verify();
			List<Runnable> ready = new ArrayList<>();
			this.refreshActions.forEach((action) -> ready.add(action.apply(next)));
			this.current = next;
			ready.forEach(Runnable::run);
		}
		finally {
			this.lock.unlock();
		}
	}

	public RateLimitProperties properties() {
		return current().properties();
	}

	/**
	 * Returns the limits that a name stands for: one, or several where the properties
	 * list bands, each of which can also be had by its own name.
	 * @throws IllegalArgumentException if there is no such limit
	 */
	public List<RateLimit> get(String name) {
		List<RateLimit> limits = current().get(name);
		if (limits.isEmpty()) {
			throw new IllegalArgumentException("There is no rate limit '" + name + "': set "
					+ RateLimitProperties.path(name) + ".limit, or use the name of an annotated limit");
		}
		return limits;
	}

	/**
	 * Takes a limit that code has put together.
	 */
	public RateLimit admit(RateLimit limit) {
		RateLimitProperties properties = properties();
		new RateLimitChecks((attribute) -> "The " + attribute + " of rate limit '" + limit.name() + "'").exact(limit,
				properties.largestExactLimit());
		return (properties.shadow() && !limit.shadow()) ? limit.withShadow(true) : limit;
	}

	public RateLimitDefinitions current() {
		RateLimitDefinitions existing = this.current;
		return (existing != null) ? existing : first();
	}

	private RateLimitDefinitions first() {
		// A bean: asked for without the lock, since making it may need locks of Spring
		RateLimitProperties read = this.properties.get();
		this.lock.lock();
		try {
			RateLimitDefinitions existing = this.current;
			if (existing == null) {
				existing = new RateLimitDefinitions(read);
				this.current = existing;
			}
			return existing;
		}
		finally {
			this.lock.unlock();
		}
	}

}
