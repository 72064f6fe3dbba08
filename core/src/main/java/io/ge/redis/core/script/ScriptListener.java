// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.script;

import org.jspecify.annotations.Nullable;

/**
 * Notified of every execution of a script.
 */
@FunctionalInterface
public interface ScriptListener {

	/**
	 * Called when the reply of a script has arrived or its execution has failed.
	 * @param nanos the time since it was handed to the driver, in nanoseconds
	 */
	void onExecuted(LuaScript script, long nanos, @Nullable Throwable failure);

}
