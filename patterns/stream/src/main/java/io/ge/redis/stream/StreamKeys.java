// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.stream;

/**
 * The keys of one stream, which share its slot: the stream as the definition names it,
 * its dead letters, and the begin of all others.
 */
record StreamKeys(String stream, String dead, String root) {
}
