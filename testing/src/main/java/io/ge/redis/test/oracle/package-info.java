// SPDX-License-Identifier: Apache-2.0

/**
 * What happened, written down outside Redis and judged afterwards.
 */
@NullMarked
package io.ge.redis.test.oracle;

import org.jspecify.annotations.NullMarked;
