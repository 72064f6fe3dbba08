// SPDX-License-Identifier: Apache-2.0

/**
 * Rate limits of requests: rules by path, and the fields of responses.
 */
@NullMarked
package io.ge.redis.web.limit;

import org.jspecify.annotations.NullMarked;
