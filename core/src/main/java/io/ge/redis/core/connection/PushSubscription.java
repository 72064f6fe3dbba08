/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.connection;

/**
 * A standing subscription.
 */
public interface PushSubscription extends AutoCloseable {

	@Override
	void close();

}
