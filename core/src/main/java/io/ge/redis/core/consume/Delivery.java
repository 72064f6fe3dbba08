// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.consume;

import java.util.Objects;

/**
 * A message that was taken by this instance and is leased to it.
 *
 * @param id the id within its origin, unique among the deliveries in flight
 * @param origin where it was taken from: the key of a stream, the name of a queue
 * @param attempt how often it was delivered, this time included, counted by Redis also
 * when a process died
 * @param lease identifies this delivery among all deliveries of the message; empty where
 * id and holder are enough. An acknowledgement is refused if the message was delivered
 * anew meanwhile
 * @param message the message
 * @param <T> the messages of the source
 */
public record Delivery<T>(String id, String origin, int attempt, String lease, T message) {

	// A message may be large, and need not be comparable
	@Override
	public boolean equals(Object other) {
		return other instanceof Delivery<?> delivery && this.id.equals(delivery.id)
				&& this.origin.equals(delivery.origin) && this.attempt == delivery.attempt
				&& this.lease.equals(delivery.lease);
	}

	@Override
	public int hashCode() {
		return Objects.hash(this.id, this.origin, this.attempt);
	}

	@Override
	public String toString() {
		return "delivery " + this.attempt + " of " + this.id + " from '" + this.origin + "'";
	}

}
