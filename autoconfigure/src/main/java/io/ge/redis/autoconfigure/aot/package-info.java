/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * What a native image has to be told at build time: resources, proxies, and what is
 * reached by reflection.
 */
@NullMarked
package io.ge.redis.autoconfigure.aot;

import org.jspecify.annotations.NullMarked;
