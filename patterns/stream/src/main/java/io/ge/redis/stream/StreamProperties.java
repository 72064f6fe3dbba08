// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.stream;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.ge.redis.core.consume.Backoff;
import io.ge.redis.core.invocation.PropertyChecks;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;
import org.springframework.util.unit.DataSize;

/**
 * Streams in the environment. What is not defined here can neither be published to nor
 * listened on.
 *
 * @param enabled whether messages are published and listened for
 * @param connectionFactory name of the connection factory bean to use, if not the
 * application's only or primary one
 * @param definitions streams and families of streams by name
 */
@ConfigurationProperties("ge.redis.stream")
public record StreamProperties(@DefaultValue("true") boolean enabled, @Nullable String connectionFactory,
		@DefaultValue Map<String, Definition> definitions) {

	public StreamProperties {
		PropertyChecks.each("ge.redis.stream.definitions", definitions, Definition::validate);
	}

	/**
	 * One stream, or a family of streams.
	 *
	 * @param key key of the stream, which other programs may use too; with variables in
	 * braces it is the pattern of a family
	 * @param variables values of each variable of a family; each combination is a stream
	 * @param maxLength largest number of entries of a stream
	 * @param overflow what happens to a message when the stream is full and a group still
	 * needs all its entries: reject, block or drop-oldest
	 * @param blockTimeout longest time that a publisher waits for room, with
	 * overflow=block
	 * @param dedupWindow time within which a message with the same dedup key is a
	 * duplicate
	 * @param dedupKey dedup key of messages that have none of their own; may contain
	 * {workItem}, {triggeredBy}, {reason}, {context.NAME} and the variables of a family
	 * @param claimCheck which payloads are kept apart from their messages
	 * @param maxPayloadSize largest size as JSON of a payload and context that are not
	 * kept apart; a larger message is refused
	 * @param maxChainDepth longest chain of messages that cause messages; no limit if not
	 * set
	 * @param partitions number of streams over which messages are spread by their order
	 * key; each stream is processed one message at a time; no order if not set
	 * @param foreign what happens to messages of other programs, which have no format
	 * version: fields or refuse
	 * @param groups groups of consumers by name
	 * @param deadLetter where messages go that are given up
	 */
	public record Definition(@Nullable String key, @DefaultValue Map<String, List<String>> variables,
			@Nullable Integer maxLength, @DefaultValue("reject") Overflow overflow,
			@DefaultValue("5s") Duration blockTimeout, @Nullable Duration dedupWindow, @Nullable String dedupKey,
			@DefaultValue ClaimCheck claimCheck, @DefaultValue("1MB") DataSize maxPayloadSize,
			@Nullable Integer maxChainDepth, @Nullable Integer partitions, @DefaultValue("fields") Foreign foreign,
			@DefaultValue Map<String, Group> groups, @DefaultValue DeadLetters deadLetter) {

		private void validate(String place) {
			Assert.isTrue(this.key != null && !this.key.isBlank(),
					() -> place + ".key must be set, such as to 'work.completed'");
			Assert.isTrue(this.maxLength != null && this.maxLength >= 1, () -> place
					+ ".max-length must be set to at least 1, such as 1000: a stream without a bound fills the memory");
			Assert.isTrue(!this.groups.isEmpty(),
					() -> place + ".groups must have at least one group, such as groups.worker.concurrency=1");
			PropertyChecks.atLeastMillis(place + ".dedup-window", 1, this.dedupWindow);
			Assert.isTrue(this.dedupKey == null || this.dedupWindow != null,
					() -> place + ".dedup-window must be set where dedup-key is, such as to 5m");
			PropertyChecks.atLeastMillis(place + ".block-timeout", 0, this.blockTimeout);
			PropertyChecks.atLeast(place + ".max-payload-size", 1, this.maxPayloadSize.toBytes());
			PropertyChecks.atLeast(place + ".max-chain-depth", 0, this.maxChainDepth);
			PropertyChecks.atLeast(place + ".partitions", 1, this.partitions);
			PropertyChecks.atLeastMillis(place + ".claim-check.ttl", 1, this.claimCheck.ttl());
			PropertyChecks.atLeast(place + ".dead-letter.max-length", 1, this.deadLetter.maxLength());
			PropertyChecks.atLeastMillis(place + ".dead-letter.ttl", 1, this.deadLetter.ttl());
			PropertyChecks.each(place + ".variables", this.variables, (values, variable) -> {
				Assert.notEmpty(values, () -> variable + " must have at least one value");
				values.forEach((value) -> PropertyChecks.requireName(variable + ": " + value, value));
			});
			PropertyChecks.each(place + ".groups", this.groups, Group::validate);
		}

	}

	/**
	 * Payloads that are kept in a key of their own, and loaded before the listener is
	 * called.
	 *
	 * @param threshold size from which a payload is stored in a key of its own; never if
	 * not set
	 * @param ttl time to live of such a key; a message that is read after it becomes a
	 * dead letter
	 */
	public record ClaimCheck(@Nullable DataSize threshold, @DefaultValue("1d") Duration ttl) {
	}

	/**
	 * A group of consumers, each message of a stream being handled by one of them.
	 *
	 * @param concurrency number of calls of a listener that run at the same time on an
	 * instance
	 * @param batchSize largest number of messages in one call of a listener of batches
	 * @param minIdle time without a heartbeat after which the messages of an instance are
	 * given to another one; at least 100 ms
	 * @param maxDeliveries number of deliveries of a message before it becomes a dead
	 * letter
	 * @param backoff delay before a failed message is delivered again
	 * @param autoStartup whether its listener starts with the application; as the
	 * annotation says if not set
	 * @param start where it begins while it does not exist: earliest with all messages
	 * that are kept, or latest with new ones; as the annotation says if not set
	 */
	public record Group(@DefaultValue("1") int concurrency, @DefaultValue("1") int batchSize,
			@DefaultValue("30s") Duration minIdle, @DefaultValue("5") int maxDeliveries, @DefaultValue Backoff backoff,
			@Nullable Boolean autoStartup, RedisStreamListener.@Nullable Start start) {

		private void validate(String place) {
			PropertyChecks.atLeast(place + ".concurrency", 1, this.concurrency);
			PropertyChecks.atLeast(place + ".batch-size", 1, this.batchSize);
			PropertyChecks.atLeast(place + ".max-deliveries", 1, this.maxDeliveries);
			PropertyChecks.atLeastMillis(place + ".min-idle", 100, this.minIdle);
		}

	}

	/**
	 * Messages that are given up.
	 *
	 * @param key key of the stream of dead letters, for other programs to read; next to
	 * the stream if not set. It needs the variables of a family; partitions append their
	 * numbers
	 * @param maxLength approximate number of dead letters that are kept
	 * @param ttl time for which dead letters are kept after the last one was added
	 */
	public record DeadLetters(@Nullable String key, @DefaultValue("10000") int maxLength,
			@DefaultValue("30d") Duration ttl) {
	}

	/**
	 * The fate of a message for which there is no room.
	 */
	public enum Overflow {

		/** An exception that says how long to wait. */
		REJECT,

		/** The publisher waits for room, for a bounded time. */
		BLOCK,

		/** The oldest message goes, and is counted. */
		DROP_OLDEST

	}

	/**
	 * The fate of a message that was not published by this library.
	 */
	public enum Foreign {

		/** Its field {@code payload}, else all its fields as an object, are read. */
		FIELDS,

		/** It becomes a dead letter. */
		REFUSE

	}

}
