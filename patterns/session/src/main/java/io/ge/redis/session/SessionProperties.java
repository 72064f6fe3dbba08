// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.session;

import java.time.Duration;
import java.util.List;

import io.ge.redis.core.invocation.PropertyChecks;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Sessions in the environment. All instances should agree.
 *
 * @param enabled whether sessions are in Redis; if not set, they are where the
 * application injects Sessions
 * @param connectionFactory name of the connection factory bean to use, if not the
 * application's only or primary one
 * @param timeout time for which a session lives without a request; if not set,
 * spring.session.timeout or the timeout of the server
 * @param maxLifetime time after which a session ends although it is used; none if not set
 * @param maxPerPrincipal largest number of sessions of a principal; any number if not set
 * @param onTooMany reaction to a login beyond max-per-principal
 * @param onOutage reaction to a request with a session while Redis is unavailable
 * @param codec format of attributes, unless there is a bean named
 * springSessionDefaultRedisSerializer
 * @param allowedTypes classes that attributes may contain in JSON, besides those of the
 * JDK and of Spring Security: names of classes, or of packages with .* at the end
 * @param detectChanges whether an attribute that was read and changed in place is saved
 * without being set
 * @param followBlacklist whether a logout of all tokens of a subject ends its sessions,
 * and the other way round, if the application uses the blacklist
 */
@ConfigurationProperties("ge.redis.session")
public record SessionProperties(@Nullable Boolean enabled, @Nullable String connectionFactory,
		@Nullable Duration timeout, @Nullable Duration maxLifetime, @Nullable Integer maxPerPrincipal,
		@DefaultValue("end-oldest") OnTooMany onTooMany, @DefaultValue("deny") OnOutage onOutage,
		@DefaultValue("json") Codec codec, @DefaultValue List<String> allowedTypes,
		@DefaultValue("true") boolean detectChanges, @DefaultValue("true") boolean followBlacklist) {

	public SessionProperties {
		PropertyChecks.atLeastMillis("ge.redis.session.timeout", 1000, timeout);
		PropertyChecks.atLeastMillis("ge.redis.session.max-lifetime", 1000, maxLifetime);
		PropertyChecks.atLeast("ge.redis.session.max-per-principal", 1, maxPerPrincipal);
		for (String type : allowedTypes) {
			PropertyChecks.require(type.matches("([\\p{L}_$][\\p{L}\\p{N}_$]*\\.)+([\\p{L}_$][\\p{L}\\p{N}_$]*|\\*)"),
					"ge.redis.session.allowed-types",
					"a class such as com.example.Cart or a package such as com.example.*", type);
		}
	}

	/** Reactions to a login beyond the largest number of sessions. */
	public enum OnTooMany {

		/** The session ends whose entry in the index ends first. */
		END_OLDEST,

		/** The login fails with {@link TooManySessionsException}. */
		REFUSE

	}

	/** Reactions to an outage of Redis. */
	public enum OnOutage {

		/** The request is refused, over HTTP with a 503. */
		DENY,

		/**
		 * The request proceeds without a session, unless it creates, changes or ends one.
		 * Not in a reactive application.
		 */
		ANONYMOUS

	}

	/** Formats of attributes. */
	public enum Codec {

		/** JSON with the names of allowed classes. */
		JSON,

		/** The serialization of the JDK. */
		JDK

	}

}
