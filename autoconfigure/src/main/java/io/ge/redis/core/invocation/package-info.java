/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * From an annotation to a guarded call: operations resolved once per method, expressions
 * parsed once, one interceptor and advisor shape, and the checks at startup.
 */
@NullMarked
package io.ge.redis.core.invocation;

import org.jspecify.annotations.NullMarked;
