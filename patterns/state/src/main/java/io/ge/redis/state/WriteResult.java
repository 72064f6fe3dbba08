// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.state;

/**
 * The outcome of a change that depends on what is there.
 *
 * @param applied whether the field was changed
 * @param version the version that the field has now: that of the change, or that which
 * stood in its way
 */
public record WriteResult(boolean applied, long version) {
}
