// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.event;

import java.util.function.ToDoubleFunction;

import org.jspecify.annotations.Nullable;

/**
 * A gauge.
 *
 * @param beside the meter whose names have a gauge each, or {@code null} for a single
 * gauge
 * @param value returns the value for a name, which is empty for a single gauge
 */
public record EventGauge(String name, String description, @Nullable EventMeter beside, ToDoubleFunction<String> value) {
}
