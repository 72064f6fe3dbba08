// SPDX-License-Identifier: Apache-2.0

/**
 * Lua scripts: loaded from resources, run by their SHA, one round trip each.
 */
@NullMarked
package io.ge.redis.core.script;

import org.jspecify.annotations.NullMarked;
