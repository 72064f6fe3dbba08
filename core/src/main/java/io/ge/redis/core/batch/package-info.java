// SPDX-License-Identifier: Apache-2.0

/**
 * Batches: requests of several callers that arrive together and are sent as one call.
 */
@NullMarked
package io.ge.redis.core.batch;

import org.jspecify.annotations.NullMarked;
