/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * The frame of guards: how annotated methods are guarded, in every calling style.
 */
@NullMarked
package io.ge.redis.core.guard;

import org.jspecify.annotations.NullMarked;
