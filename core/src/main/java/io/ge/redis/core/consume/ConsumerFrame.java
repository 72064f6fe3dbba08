// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.consume;

import java.util.function.Supplier;

import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.invocation.AttributeReader;

/**
 * The parts of an application that all patterns with consumers share.
 *
 * @param consumers runs the listeners
 * @param properties the settings of this instance, whatever the pattern
 * @param attributes reads the annotations of listeners
 * @param payloads writes and reads messages
 * @param events receives their events
 */
public record ConsumerFrame(Supplier<Consumers> consumers, Supplier<ConsumerProperties> properties,
		AttributeReader attributes, JsonPayloads payloads, GuardEvents events) {
}
