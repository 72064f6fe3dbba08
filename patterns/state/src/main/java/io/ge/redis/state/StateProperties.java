// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.state;

import java.time.Duration;

import io.ge.redis.core.invocation.PropertyChecks;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Shared state in the environment. All instances should agree.
 *
 * @param enabled whether workspaces are available
 * @param connectionFactory name of the connection factory bean to use, if not the
 * application's only or primary one
 * @param ttl time to live of a workspace after its last change
 * @param maxValueSize largest size of a field or an entry of a list as JSON
 * @param maxListLength largest number of entries of a list; beyond it the oldest ones are
 * removed
 * @param changesKept number of changes of a workspace that can be read again at least,
 * and number of further ones of which a repeated change is recognised
 * @param updateAttempts number of attempts of an update that meets concurrent changes
 * @param memberTtl time after its last heartbeat for which an agent is a member; at most
 * ttl
 * @param storage how a new workspace keeps its fields: in a hash, or in a JSON document
 * if the server has such
 */
@ConfigurationProperties("ge.redis.state")
public record StateProperties(@DefaultValue("true") boolean enabled, @Nullable String connectionFactory,
		@DefaultValue("1d") Duration ttl, @DefaultValue("1MB") DataSize maxValueSize,
		@DefaultValue("10000") int maxListLength, @DefaultValue("10000") int changesKept,
		@DefaultValue("50") int updateAttempts, @DefaultValue("1m") Duration memberTtl,
		@DefaultValue("hash") Storage storage) {

	/** The structure that holds the fields of a workspace. */
	public enum Storage {

		/** A hash, on every server. It keeps JSON byte for byte. */
		HASH,

		/** A JSON document where the server supports them, else a hash. */
		JSON

	}

	public StateProperties {
		require(ttl.toMillis() >= 1000, "ttl", "at least 1s", ttl);
		require(maxValueSize.toBytes() >= 1 && maxValueSize.compareTo(DataSize.ofMegabytes(512)) <= 0, "max-value-size",
				"from 1B to 512MB", maxValueSize);
		require(maxListLength >= 1, "max-list-length", "at least 1", maxListLength);
		require(changesKept >= 1, "changes-kept", "at least 1", changesKept);
		require(updateAttempts >= 1, "update-attempts", "at least 1", updateAttempts);
		require(memberTtl.toMillis() >= 1 && memberTtl.compareTo(ttl) <= 0, "member-ttl", "from 1ms to ttl", memberTtl);
	}

	private static void require(boolean valid, String property, String rule, Object value) {
		PropertyChecks.require(valid, "ge.redis.state." + property, rule, value);
	}

}
