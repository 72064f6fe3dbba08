// SPDX-License-Identifier: Apache-2.0

/**
 * Settings of limits: annotations and properties merged, checked and looked up by name.
 */
@NullMarked
package io.ge.redis.ratelimit.settings;

import org.jspecify.annotations.NullMarked;
