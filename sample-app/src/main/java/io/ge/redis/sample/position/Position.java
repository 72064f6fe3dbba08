// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.position;

/**
 * What the desk holds of something.
 *
 * @param id the id
 * @param quantity what is left of it, a decimal number
 * @param sales how often some of it was sold
 */
record Position(String id, String quantity, long sales) {

}
