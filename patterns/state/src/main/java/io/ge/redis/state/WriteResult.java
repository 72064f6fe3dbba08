// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.state;

/**
 * The outcome of a change that depends on what is there.
 *
 * @param applied whether the field was changed
 * @param version the version that the field has now: from this change, or from the one
 * that prevented it
 */
public record WriteResult(boolean applied, long version) {
}
