// SPDX-License-Identifier: Apache-2.0

@NullMarked
package io.ge.redis.breaker.internal;

import org.jspecify.annotations.NullMarked;
