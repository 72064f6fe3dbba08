// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.script;

/**
 * The reply of a script, and the number of replicas that have its writes.
 *
 * @param acknowledged how many replicas have acknowledged it in time; negative if that is
 * not known, but too few
 * @param connected how many replicas the server has at all; negative if not known
 */
public record ReplicatedReply(ScriptReply reply, int acknowledged, int connected) {
}
