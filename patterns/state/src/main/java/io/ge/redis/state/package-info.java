// SPDX-License-Identifier: Apache-2.0

/**
 * Shared state: workspaces that many agents change at the same time, by field, each
 * change with a version.
 */
@NullMarked
package io.ge.redis.state;

import org.jspecify.annotations.NullMarked;
