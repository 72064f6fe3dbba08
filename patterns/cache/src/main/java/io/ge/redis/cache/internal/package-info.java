// SPDX-License-Identifier: Apache-2.0

/**
 * The guard on cached methods, the calls of readers and writers, transactions and
 * scripts. Also the same caches in code and for Spring, warm-up, and the assembly.
 */
@NullMarked
package io.ge.redis.cache.internal;

import org.jspecify.annotations.NullMarked;
