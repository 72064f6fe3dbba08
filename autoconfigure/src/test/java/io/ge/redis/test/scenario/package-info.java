/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * Applications under faults: what is done to them, what they must answer, and who judges.
 * A scenario knows an application by the names of its operations alone.
 */
@NullMarked
package io.ge.redis.test.scenario;

import org.jspecify.annotations.NullMarked;
