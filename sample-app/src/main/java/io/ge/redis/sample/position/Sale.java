// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.position;

import java.util.UUID;

/**
 * A sale that has happened.
 *
 * @param saleId the id of the sale
 * @param positionId what was sold
 * @param quantity how much of it, a decimal number
 */
record Sale(UUID saleId, String positionId, String quantity) {

}
