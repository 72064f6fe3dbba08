// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.wallet;

/**
 * How much of a token a wallet holds. This record is also what stands in Redis, as JSON.
 *
 * @param wallet the wallet
 * @param token the token
 * @param balance how much, a decimal number
 * @param version how often it has changed
 */
record Balance(String wallet, String token, String balance, long version) {

}
