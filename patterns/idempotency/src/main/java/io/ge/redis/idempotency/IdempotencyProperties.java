// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.ge.redis.core.invocation.PropertyChecks;
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
 * @param enabled whether methods with `@Idempotent` are guarded
 * @param connectionFactory name of the connection factory bean to use, if not the
 * application's only or primary one
 * @param header name of the request header that carries the key
 * @param replayedHeaders names of response headers to store and replay, besides the
 * standard ones that describe the content
 * @param ttl time for which a result is kept after the end of the call
 * @param lease time after which a claim ends if the process that made it has died
 * @param waitTimeout longest time that a repetition waits for the first call, where it
 * waits
 * @param maxResultSize size above which a result, or the body of a response, is not
 * stored
 * @param onOversizedResponse what repetitions get of an HTTP response that is too large
 * to be stored: lost or minimal
 * @param maxUnreadBodySize size up to which a request body is kept in memory and
 * compared, if the handler has not read it when the key is claimed
 * @param documentation address of a page about idempotency in the application's API, to
 * which HTTP refusals link
 * @param onOutage what happens while Redis is unavailable: allow or deny
 * @param witness whether calls write a transactional record to the table ge_idempotency,
 * in the transaction of their effect: auto, required or off
 * @param transactionManager name of the transaction manager bean whose DataSource has the
 * table ge_idempotency, if not the only or primary one
 * @param witnessPurgeInterval time between two removals of expired transactional records
 * @param operations operations by name; their settings take precedence over the
 * annotations
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
		PropertyChecks.atLeast("ge.redis.idempotency.max-result-size", 1, maxResultSize.toBytes());
		PropertyChecks.atLeast("ge.redis.idempotency.max-unread-body-size", 0, maxUnreadBodySize.toBytes());
		PropertyChecks.atLeastMillis("ge.redis.idempotency.witness-purge-interval", 1, witnessPurgeInterval);
		replayedHeaders = List.copyOf(replayedHeaders);
		operations = Map.copyOf(operations);
	}

	public Operation operation(String name) {
		return this.operations.getOrDefault(name, Operation.UNSET);
	}

	/**
	 * One operation. Settings that are not set come from the annotation.
	 *
	 * @param ttl time for which a result is kept after the end of the call
	 * @param lease time after which a claim ends if the process that made it has died
	 * @param scope callers who share the keys: principal or global
	 * @param required whether a call without a key is refused
	 * @param onDuplicate what a repetition does while the first call runs: conflict or
	 * wait
	 * @param onFailureWithoutTransaction outcome of a call that failed without having
	 * begun a transaction: unknown or release
	 * @param onUnknownOutcome what happens to the key of a failed call whose effect is
	 * unknown: block or retry
	 * @param onOutage what happens while Redis is unavailable: allow or deny
	 */
	public record Operation(@Nullable Duration ttl, @Nullable Duration lease, @Nullable IdempotencyScope scope,
			@Nullable Boolean required, @Nullable OnDuplicate onDuplicate,
			@Nullable FailureWithoutTransaction onFailureWithoutTransaction, @Nullable UnknownOutcome onUnknownOutcome,
			@Nullable OutagePolicy onOutage) {

		/** Nothing is set. */
		public static final Operation UNSET = new Operation(null, null, null, null, null, null, null, null);

	}

}
