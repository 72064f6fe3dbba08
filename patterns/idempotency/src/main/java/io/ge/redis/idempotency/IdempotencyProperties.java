/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import java.net.URI;
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
 * @param waitTimeout for how long repetitions that wait for the first call do so, at most
 * @param maxResultSize size above which a result, or the body of a response, is not
 * stored
 * @param onOversizedResponse what repetitions get of a response over HTTP that is larger:
 * lost or minimal
 * @param maxUnreadBodySize how much of the body of a request is kept in memory to be
 * compared, if the handler has not read it when the key is claimed
 * @param documentation address of a page about the idempotency of the application's API,
 * to which refusals over HTTP link
 * @param onOutage what happens while Redis is away: allow or deny
 * @param witness whether calls leave a row in the table ge_idempotency, in the
 * transaction of their effect: auto, required or off
 * @param transactionManager name of the transaction manager bean with whose DataSource
 * the row is written, if not the application's only or primary one
 * @param witnessPurgeInterval how often rows that have expired are removed
 * @param operations operations by name, which win over the annotations
 */
@ConfigurationProperties("ge.redis.idempotency")
public record IdempotencyProperties(@DefaultValue("true") boolean enabled, @Nullable String connectionFactory,
		@DefaultValue("Idempotency-Key") String header, @DefaultValue List<String> replayedHeaders,
		@DefaultValue("24h") Duration ttl, @DefaultValue("30s") Duration lease,
		@DefaultValue("5s") Duration waitTimeout, @DefaultValue("256KB") DataSize maxResultSize,
		@DefaultValue("lost") OversizedResponse onOversizedResponse, @DefaultValue("1MB") DataSize maxUnreadBodySize,
		@Nullable URI documentation, @DefaultValue("deny") OutagePolicy onOutage,
		@DefaultValue("auto") WitnessMode witness, @Nullable String transactionManager,
		@DefaultValue("5m") Duration witnessPurgeInterval, @DefaultValue Map<String, Operation> operations) {

	public IdempotencyProperties {
		Assert.isTrue(StringUtils.hasText(header), "ge.redis.idempotency.header must not be blank");
		Assert.isTrue(maxResultSize.toBytes() > 0,
				() -> "ge.redis.idempotency.max-result-size must be above zero, was " + maxResultSize);
		Assert.isTrue(!maxUnreadBodySize.isNegative(),
				() -> "ge.redis.idempotency.max-unread-body-size must not be negative, was " + maxUnreadBodySize);
		Assert.isTrue(witnessPurgeInterval.toMillis() > 0,
				() -> "ge.redis.idempotency.witness-purge-interval must be above zero, was " + witnessPurgeInterval);
		replayedHeaders = List.copyOf(replayedHeaders);
		operations = Map.copyOf(operations);
	}

	public Operation operation(String name) {
		return this.operations.getOrDefault(name, Operation.UNSET);
	}

	/**
	 * One operation. What is not set is taken from the annotation.
	 *
	 * @param ttl how long a result is kept, counted from the end of the call
	 * @param lease how long a claim outlives the process that made it
	 * @param scope who shares the keys: principal or global
	 * @param required whether a call without a key is refused
	 * @param onDuplicate what a repetition does while the first call runs: conflict or
	 * wait
	 * @param onFailureWithoutTransaction what a failed call leaves behind if no
	 * transaction was begun in it: unknown or release
	 * @param onUnknownOutcome what becomes of the key if nobody knows what a failed call
	 * has changed: block or retry
	 * @param onOutage what happens while Redis is away: allow or deny
	 */
	public record Operation(@Nullable Duration ttl, @Nullable Duration lease, @Nullable IdempotencyScope scope,
			@Nullable Boolean required, @Nullable OnDuplicate onDuplicate,
			@Nullable FailureWithoutTransaction onFailureWithoutTransaction, @Nullable UnknownOutcome onUnknownOutcome,
			@Nullable OutagePolicy onOutage) {

		/** Nothing is set. */
		public static final Operation UNSET = new Operation(null, null, null, null, null, null, null, null);

	}

}
