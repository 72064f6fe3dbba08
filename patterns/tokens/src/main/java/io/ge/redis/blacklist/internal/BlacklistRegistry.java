// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist.internal;

import java.util.function.Supplier;

import io.ge.redis.blacklist.BlacklistProperties;
import io.ge.redis.core.invocation.Settings;
import io.ge.redis.core.invocation.SettingsRegistry;

/**
 * The lists of the application by name.
 */
final class BlacklistRegistry extends SettingsRegistry<BlacklistProperties.NamedList, BlacklistSettings> {

	private final Supplier<BlacklistProperties> properties;

	BlacklistRegistry(Supplier<BlacklistProperties> properties) {
		super("list", "ge.redis.blacklist.lists", () -> properties.get().lists().keySet(),
				BlacklistProperties.NamedList.UNSET);
		this.properties = properties;
	}

	@Override
	protected BlacklistSettings merge(String name, BlacklistProperties.NamedList attributes, Settings origins) {
		BlacklistProperties all = this.properties.get();
		return new BlacklistSettings(name,
				origins.pick("onOutage", all.list(name).onOutage(), attributes.onOutage(), all.onOutage()));
	}

}
