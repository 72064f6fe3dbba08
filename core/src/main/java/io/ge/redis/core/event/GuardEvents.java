// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.event;

import java.util.List;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.BeanCreationNotAllowedException;
import org.springframework.util.function.SingletonSupplier;

/**
 * Passes events to the listeners and shields the guards from exceptions of listeners.
 */
public final class GuardEvents {

	private static final Log logger = LogFactory.getLog(GuardEvents.class);

	private static final GuardListener[] NONE = {};

	private final Supplier<GuardListener[]> listeners;

	/**
	 * Creates the fan-out.
	 * @param listeners asked once, at the first event, so that listeners may depend on
	 * beans that do not exist yet when the guards are made
	 */
	public GuardEvents(Supplier<List<GuardListener>> listeners) {
		this.listeners = SingletonSupplier.of(() -> listeners.get().toArray(GuardListener[]::new));
	}

	public void publish(GuardEvent event) {
		for (GuardListener listener : listeners()) {
			try {
				listener.onEvent(event);
			}
			catch (RuntimeException ex) {
				logger.warn("A listener failed on " + event.getClass().getSimpleName() + " of '" + event.name() + "'",
						ex);
			}
		}
	}

	private GuardListener[] listeners() {
		try {
			return this.listeners.get();
		}
		catch (BeanCreationNotAllowedException ex) {
			// The application closes and has had no event before
			return NONE;
		}
	}

}
