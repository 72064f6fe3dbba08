// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.event;

import java.util.function.ToDoubleFunction;

import org.jspecify.annotations.Nullable;

/**
 * A figure that is looked at.
 *
 * @param beside the meter for each of whose names there is a figure, or {@code null} if
 * there is one figure
 * @param value gives the figure for a name, which is empty if there is one figure
 */
public record EventGauge(String name, String description, @Nullable EventMeter beside, ToDoubleFunction<String> value) {
}
