// SPDX-License-Identifier: Apache-2.0

/**
 * What an IETF draft asks of a server, as tests that know nothing of it but its address.
 */
@NullMarked
package io.ge.redis.test.draft;

import org.jspecify.annotations.NullMarked;
