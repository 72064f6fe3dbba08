// SPDX-License-Identifier: Apache-2.0

/**
 * Sessions that many agents write at the same time.
 */
@NullMarked
package io.ge.redis.sample.session;

import org.jspecify.annotations.NullMarked;
