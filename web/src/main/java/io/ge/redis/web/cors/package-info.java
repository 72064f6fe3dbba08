/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * CORS for answers that are given in front of the application's own handling of it.
 */
@NullMarked
package io.ge.redis.web.cors;

import org.jspecify.annotations.NullMarked;
