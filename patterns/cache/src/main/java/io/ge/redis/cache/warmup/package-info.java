/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * Filling caches when the application has started.
 */
@NullMarked
package io.ge.redis.cache.warmup;

import org.jspecify.annotations.NullMarked;
