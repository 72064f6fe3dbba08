// SPDX-License-Identifier: Apache-2.0

/**
 * The frame of structures: handles on shared data that an application injects. Each
 * operation is one script, asynchronous with a blocking twin.
 */
@NullMarked
package io.ge.redis.core.structure;

import org.jspecify.annotations.NullMarked;
