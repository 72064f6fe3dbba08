// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.event;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
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

	private final AtomicBoolean lookupFailed = new AtomicBoolean();

	/**
	 * Creates the fan-out.
	 * @param listeners asked once, at the first event, so that listeners may depend on
	 * beans that do not exist yet when the guards are made; after a failure asked again
	 * at the next event
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
		catch (RuntimeException ex) {
			if (this.lookupFailed.compareAndSet(false, true)) {
				logger.error("Events reach no listener until all beans of type GuardListener can be created", ex);
			}
			return NONE;
		}
	}

}
