/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * Job queues: {@code @RedisJob} on methods, {@code JobQueue} in code.
 */
@NullMarked
package io.ge.redis.queue;

import org.jspecify.annotations.NullMarked;
