/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.ge.redis.core.outage.OutagePolicy;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;
import org.springframework.util.StringUtils;
import org.springframework.util.unit.DataSize;

/**
 * Idempotent operations in the environment.
 *
 * @param enabled whether methods with {@code @Idempotent} are guarded
 * @param connectionFactory name of the connection factory bean to use, if not the
 * application's only or primary one
 * @param header name of the request header that carries the key
 * @param replayedHeaders names of response headers to store and replay besides the
 * standard ones that describe the content
 * @param ttl how long a result is kept, counted from the end of the call
 * @param lease how long a claim outlives the process that made it
 * @param maxResultSize size above which a result is not stored: repetitions are refused
 * then, since the effect has happened
 * @param onOutage what happens while Redis is away: allow or deny
 * @param operations operations by name, which win over the annotations
 */
@ConfigurationProperties("ge.redis.idempotency")
public record IdempotencyProperties(@DefaultValue("true") boolean enabled, @Nullable String connectionFactory,
		@DefaultValue("Idempotency-Key") String header, @DefaultValue List<String> replayedHeaders,
		@DefaultValue("24h") Duration ttl, @DefaultValue("30s") Duration lease,
		@DefaultValue("256KB") DataSize maxResultSize, @DefaultValue("deny") OutagePolicy onOutage,
		@DefaultValue Map<String, Operation> operations) {

	public IdempotencyProperties {
		Assert.isTrue(StringUtils.hasText(header), "ge.redis.idempotency.header must not be blank");
		Assert.isTrue(maxResultSize.toBytes() > 0,
				() -> "ge.redis.idempotency.max-result-size must be above zero, was " + maxResultSize);
		replayedHeaders = List.copyOf(replayedHeaders);
		operations = Map.copyOf(operations);
	}

	Operation operation(String name) {
		return this.operations.getOrDefault(name, Operation.UNSET);
	}

	/**
	 * One operation. What is not set is taken from the annotation.
	 *
	 * @param ttl how long a result is kept, counted from the end of the call
	 * @param lease how long a claim outlives the process that made it
	 * @param scope who shares the keys: principal or global
	 * @param required whether a call without a key is refused
	 * @param onFailureWithoutTransaction what a failed call leaves behind if no
	 * transaction was begun in it: unknown or release
	 * @param onOutage what happens while Redis is away: allow or deny
	 */
	public record Operation(@Nullable Duration ttl, @Nullable Duration lease, @Nullable IdempotencyScope scope,
			@Nullable Boolean required, @Nullable FailureWithoutTransaction onFailureWithoutTransaction,
			@Nullable OutagePolicy onOutage) {

		static final Operation UNSET = new Operation(null, null, null, null, null, null);

	}

}
