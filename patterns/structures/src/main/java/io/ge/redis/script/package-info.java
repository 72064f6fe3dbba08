// SPDX-License-Identifier: Apache-2.0

/**
 * Entity scripts: Lua of the application on the keys of one entity, all or nothing.
 */
@NullMarked
package io.ge.redis.script;

import org.jspecify.annotations.NullMarked;
