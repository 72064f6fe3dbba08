// SPDX-License-Identifier: Apache-2.0

/**
 * Parts of the application that patterns use: its connections, transactions, thread
 * context, cache meters and changed properties.
 */
@NullMarked
package io.ge.redis.autoconfigure.application;

import org.jspecify.annotations.NullMarked;
