/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * Definitions of streams, their messages as fields, and the scripts.
 */
@NullMarked
package io.ge.redis.stream.engine;

import org.jspecify.annotations.NullMarked;
