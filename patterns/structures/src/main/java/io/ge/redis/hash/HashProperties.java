// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.hash;

import java.time.Duration;
import java.util.Map;

import io.ge.redis.core.invocation.PropertyChecks;
import io.ge.redis.core.structure.Definition;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Hash stores in the environment. All instances should agree.
 *
 * @param enabled whether hash stores are available
 * @param connectionFactory name of the connection factory bean to use, if not the
 * application's only or primary one
 * @param stores hash stores by name
 */
@ConfigurationProperties("ge.redis.hash")
public record HashProperties(@DefaultValue("true") boolean enabled, @Nullable String connectionFactory,
		@DefaultValue Map<String, Store> stores) {

	static final String STORES = "ge.redis.hash.stores";

	public HashProperties {
		Definition.check(STORES, stores);
	}

	Store store(String name) {
		return Definition.find(this.stores, STORES, "hash store", name);
	}

	/**
	 * One hash store.
	 *
	 * @param maxValueSize largest size of a field as JSON
	 * @param ttl time for which an object is kept after its last write
	 * @param permanent whether objects are kept until they are removed
	 */
	public record Store(@DefaultValue("64KB") DataSize maxValueSize, @Nullable Duration ttl,
			@DefaultValue("false") boolean permanent) implements Definition {

		@Override
		public void validate(String place) {
			PropertyChecks.require(this.maxValueSize.toBytes() >= 1, place + ".max-value-size", "at least 1B",
					this.maxValueSize);
		}

	}

}
