// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.broadcast;

/**
 * A message as a listener receives it.
 *
 * @param channel the name of the channel
 * @param number its number in the channel, which counts from 1; 0 in an ephemeral one
 * @param payload the payload
 * @param <T> the payload's type
 */
public record BroadcastMessage<T>(String channel, long number, T payload) {
}
