// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.time.Duration;
import java.util.function.Supplier;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.core.invocation.Settings;
import io.ge.redis.core.invocation.SettingsRegistry;
import io.ge.redis.lock.LockMode;
import io.ge.redis.lock.LockOptions;
import io.ge.redis.lock.LockProperties;
import org.jspecify.annotations.Nullable;

/**
 * The locks of the application by name.
 */
final class LockRegistry extends SettingsRegistry<LockRegistry.Attributes, LockSettings> {

	private static final LockProperties.Lock UNSET = new LockProperties.Lock(null, null, null, null, null, null, null,
			null, null, null);

	private final Supplier<LockProperties> properties;

	LockRegistry(Supplier<LockProperties> properties) {
		super("lock", "ge.redis.lock.locks", () -> properties.get().locks().keySet(),
				new Attributes(UNSET, LockMode.EXCLUSIVE));
		this.properties = properties;
	}

	LockSettings get(String name, LockOptions options) {
		LockSettings known = annotated(name);
		LockSettings lock = checked(name, () -> (known != null && hasOnlyMode(options)) ? known.in(modeOf(options))
				: merge(name, attributes(known, options), new Settings()));
		if (known != null && !(lock.isOfOneKindWith(known) && lock.permits() == known.permits())) {
			throw new GuardConfigurationException("The lock '" + name + "'",
					"it is taken " + lock.manner() + " here, and " + known.manner() + " on a method.",
					"Say so by LockOptions.mode or LockOptions.permits, or use another name.");
		}
		return lock;
	}

	private static Attributes attributes(@Nullable LockSettings known, LockOptions options) {
		Integer permits = (options.permits() == null && known != null) ? Integer.valueOf(known.permits())
				: options.permits();
		return new Attributes(new LockProperties.Lock(options.waitTime(), options.leaseTime(), options.renew(), null,
				options.maxHold(), options.atLeastFor(), options.onLost(), options.replicas(), options.syncTimeout(),
				permits), modeOf(options));
	}

	private static boolean hasOnlyMode(LockOptions options) {
		LockOptions defaults = LockOptions.defaults();
		return options.equals((options.mode() != null) ? defaults.mode(options.mode()) : defaults);
	}

	private static LockMode modeOf(LockOptions options) {
		return (options.mode() != null) ? options.mode() : LockMode.EXCLUSIVE;
	}

	// Readers and writers of one lock differ in nothing else
	@Override
	protected LockSettings common(LockSettings lock) {
		return lock.isReadWrite() ? lock.in(LockMode.READ) : lock;
	}

	@Override
	protected LockSettings merge(String name, Attributes attributes, Settings origins) {
		LockProperties all = this.properties.get();
		LockProperties.Lock property = all.locks().getOrDefault(name, UNSET);
		LockProperties.Lock set = attributes.lock();
		LockMode mode = attributes.mode();
		return new LockSettings(name, origins.pick("waitTime", property.waitTime(), set.waitTime(), all.waitTime()),
				origins.pick("leaseTime", property.leaseTime(), set.leaseTime(), all.leaseTime()),
				origins.pick("renew", property.renew(), set.renew(), true),
				origins.pick("onOutage", property.onOutage(), set.onOutage(), all.onOutage()),
				origins.pickOptional("maxHold", property.maxHold(), set.maxHold()),
				origins.pick("atLeastFor", property.atLeastFor(), set.atLeastFor(), Duration.ZERO),
				origins.pick("onLost", property.onLost(), set.onLost(), all.onLost()),
				origins.pick("replicas", property.replicas(), set.replicas(), all.replicas()),
				origins.pick("syncTimeout", property.syncTimeout(), set.syncTimeout(), all.syncTimeout()),
				origins.pick("mode", null, (mode != LockMode.EXCLUSIVE) ? mode : null, LockMode.EXCLUSIVE),
				origins.pick("permits", property.permits(), set.permits(), 1));
	}

	/**
	 * Returns whether replicas are waited for, as far as is known without calls.
	 */
	boolean wantReplicas() {
		LockProperties all = this.properties.get();
		return all.replicas() > 0 || all.locks().values().stream().anyMatch(LockRegistry::wantsReplicas)
				|| annotated().stream().anyMatch((lock) -> lock.replicas() > 0);
	}

	private static boolean wantsReplicas(LockProperties.Lock lock) {
		return lock.replicas() != null && lock.replicas() > 0;
	}

	record Attributes(LockProperties.Lock lock, LockMode mode) {
	}

}
