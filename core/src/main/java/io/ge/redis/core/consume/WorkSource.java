// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.consume;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.ge.redis.core.key.RedisKey;
import org.jspecify.annotations.Nullable;

/**
 * A source of work: streams, queues, a channel, or the changes of a cache. The
 * {@link ConsumerContainer} asks; a source knows keys and scripts.
 * <p>
 * No method blocks, and none is called again before its last stage has completed. A stage
 * that fails with {@link io.ge.redis.RedisUnavailableException} means an outage: the
 * container pauses and asks again. Each call is one script per slot.
 *
 * @param <T> the messages
 */
public interface WorkSource<T> {

	/**
	 * Returns the name of the source, for logs, events and views.
	 * @return the name of the definition and, if it has groups, of the group
	 */
	String name();

	/**
	 * Takes work and leases it to this instance. Retries and messages of a dead instance
	 * come first. A message that was delivered too often becomes a dead letter instead of
	 * being returned.
	 * @param most how many deliveries at most, at least 1
	 * @param reclaim whether to look for messages left by others and for due retries,
	 * too. The container does so every third of the lease, and when a retry is due
	 * @param inFlight the deliveries of the container, which must not be returned again
	 * @return completes with the taken deliveries, which may be none
	 */
	CompletionStage<TakenWork<T>> take(int most, boolean reclaim, Collection<Delivery<T>> inFlight);

	/**
	 * Extends the leases of everything in flight. The number of deliveries stays as it
	 * is.
	 * @return completes with those that are leased to another instance by now, or gone
	 */
	CompletionStage<Collection<Delivery<T>>> heartbeat(Collection<Delivery<T>> inFlight);

	/**
	 * Settles deliveries, of mixed outcomes. Each is checked to be still leased to this
	 * instance, in the same script. May be repeated with the same ones.
	 * @return completes with those that were not settled, because they are leased to
	 * another instance by now, or gone. The result of a repetition is ignored, since its
	 * first attempt may have settled them
	 */
	CompletionStage<Collection<Delivery<T>>> settle(List<Settlement<T>> settlements);

	/**
	 * Returns the streams whose new entries ring for this source. Called when nothing was
	 * left to take.
	 * @return the streams, each with the last entry that is known; empty if only a timer
	 * or a message on the bus wakes it
	 */
	default List<Doorbell> doorbells() {
		return List.of();
	}

	/**
	 * Called when there may be something to take from a stream.
	 * @return whether it is one of this source
	 */
	default boolean rung(String stream) {
		return doorbells().stream().anyMatch((bell) -> bell.key().toString().equals(stream));
	}

	/**
	 * Called when a stream has an entry behind the known one.
	 */
	default void rung(Doorbell bell) {
		rung(bell.key().toString());
	}

	/**
	 * Returns whether settling a message may make the next one available, so that another
	 * take is worthwhile then.
	 */
	default boolean isOrdered() {
		return false;
	}

	/**
	 * Returns whether there is work that is not done: it waits, or is leased to an
	 * instance. Asked every third of the lease while the container takes nothing by
	 * decision; a source that does not know says that there is none.
	 */
	default CompletionStage<Boolean> hasWork() {
		return CompletableFuture.completedFuture(false);
	}

	/**
	 * Returns a stage that completes when messages that are pushed reach this source. The
	 * start of the application waits for it up to 2 s.
	 */
	default CompletionStage<?> ready() {
		return CompletableFuture.completedFuture(null);
	}

	/**
	 * Removes traces of this instance, such as its consumer of a group without messages.
	 * The last call at a stop. Other instances remove the rest later.
	 */
	default CompletionStage<?> leave() {
		return CompletableFuture.completedFuture(null);
	}

	/**
	 * Called when a handler begins, for events. Like the following methods it must not
	 * block.
	 */
	default void onBegun(Delivery<T> delivery) {
	}

	/**
	 * Called when Redis has taken a settlement.
	 * @param handling how long the handler took, zero if it was not called
	 */
	default void onSettled(Settlement<T> settlement, Duration handling) {
	}

	/**
	 * Called for a delivery that this instance has lost: another instance has it now.
	 */
	default void onLost(Delivery<T> delivery) {
	}

	/**
	 * Called when settlements were sent together.
	 */
	default void onBatch(int size) {
	}

	/**
	 * A stream whose next entry wakes a container.
	 *
	 * @param after the id of the last entry that is known, {@code 0-0} for none
	 */
	record Doorbell(RedisKey key, String after) {
	}

	/**
	 * The answer of a source to a take.
	 *
	 * @param deliveries the taken deliveries, at most as many as requested
	 * @param more whether there may be more to take at once
	 * @param due the time until the next retry, or {@code null} if none is known
	 */
	record TakenWork<T>(List<Delivery<T>> deliveries, boolean more, @Nullable Duration due) {

		public static <T> TakenWork<T> none() {
			return new TakenWork<>(List.of(), false, null);
		}

	}

}
