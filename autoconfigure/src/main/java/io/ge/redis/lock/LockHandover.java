/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import org.jspecify.annotations.Nullable;

/**
 * The state of a lock after its release.
 *
 * @param mine whether the handle still held it
 * @param elsewhere whether another has it now
 * @param tokens the tokens with which this instance has it again, if it does
 */
record LockHandover(boolean mine, boolean elsewhere, @Nullable TokenRange tokens) {
}
