// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.stream;

import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * A message that was given up.
 *
 * @param stream the name of the definition
 * @param key the key of the stream in which it was
 * @param id its id in the list of dead letters, by which it can be replayed
 * @param messageId its id in the stream
 * @param group the group that gave it up
 * @param deliveries how often it was delivered to that group
 * @param reason why: {@code attempts}, {@code rejected}, {@code lease-expired} if the
 * last instance that had it died, {@code unreadable} or {@code body-expired}
 * @param exception the class of the last failure, or {@code null}
 * @param failure the message of the last failure, or {@code null}
 * @param workItem the item of work, or {@code null}
 * @param fields all its fields and headers
 */
public record DeadLetter(String stream, String key, String id, String messageId, String group, int deliveries,
		String reason, @Nullable String exception, @Nullable String failure, @Nullable String workItem,
		Map<String, String> fields) {
}
