// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.call;

import java.util.concurrent.CancellationException;

/**
 * Signals that a call was abandoned and its work ended. A {@link CancellationException}
 * of the method itself is none: the method has failed.
 */
public final class AbandonedException extends CancellationException {

	public AbandonedException() {
		super("The call was abandoned");
	}

}
