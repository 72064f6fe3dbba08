/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * What the guards tell about their decisions, to meters, to the application and to tests.
 */
@NullMarked
package io.ge.redis.core.event;

import org.jspecify.annotations.NullMarked;
