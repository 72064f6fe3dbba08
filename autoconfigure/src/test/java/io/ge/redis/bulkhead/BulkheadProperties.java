// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.bulkhead;

import java.time.Duration;
import java.util.Map;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of bulkheads.
 *
 * @param limits concurrent calls by name
 * @param lease time after which a call counts no more whose instance has died
 */
@ConfigurationProperties("ge.redis.bulkhead")
public record BulkheadProperties(@DefaultValue Map<String, Long> limits, @DefaultValue("1m") Duration lease) {
}
