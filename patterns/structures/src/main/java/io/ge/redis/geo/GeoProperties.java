// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.geo;

import java.time.Duration;
import java.util.Map;

import io.ge.redis.core.structure.Definition;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Geo indexes in the environment. All instances must agree.
 *
 * @param enabled whether geo indexes are available
 * @param connectionFactory name of the connection factory bean to use, if not the
 * application's only or primary one
 * @param indexes geo indexes by name
 */
@ConfigurationProperties("ge.redis.geo")
public record GeoProperties(@DefaultValue("true") boolean enabled, @Nullable String connectionFactory,
		@DefaultValue Map<String, Index> indexes) {

	private static final String INDEXES = "ge.redis.geo.indexes";

	public GeoProperties {
		Definition.check(INDEXES, indexes);
	}

	Index index(String name) {
		return Definition.find(this.indexes, INDEXES, "geo index", name);
	}

	/**
	 * One geo index.
	 *
	 * @param ttl time for which a member is kept after it was last put
	 * @param permanent whether members are kept until they are removed
	 */
	public record Index(@Nullable Duration ttl, @DefaultValue("false") boolean permanent) implements Definition {
	}

}
