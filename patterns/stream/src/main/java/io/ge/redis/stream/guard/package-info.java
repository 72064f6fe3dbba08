/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * The assembly of streams: listeners, publisher, and what operators see and do.
 */
@NullMarked
package io.ge.redis.stream.guard;

import org.jspecify.annotations.NullMarked;
