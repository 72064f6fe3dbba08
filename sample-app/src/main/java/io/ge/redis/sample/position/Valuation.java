// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.position;

/**
 * What a position was last valued at.
 *
 * @param positionId the position
 * @param price the price of a piece
 * @param fence the fencing token under which it was written, rising
 */
record Valuation(String positionId, String price, long fence) {

}
