// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.event;

import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.core.ResolvableType;

/**
 * Hands events to the listeners of the application, as
 * {@link ApplicationEventPublisher#publishEvent(Object)} does. That works out the generic
 * type of each event anew, which costs more than the rest of a decision; here it is
 * worked out once per kind of event.
 */
public final class ApplicationEvents implements GuardListener {

	private static final ClassValue<Types> TYPES = new ClassValue<>() {

		@Override
		protected Types computeValue(Class<?> type) {
			return new Types(ResolvableType.forClassWithGenerics(PayloadApplicationEvent.class, type),
					ResolvableType.forClass(type));
		}

	};

	private final ApplicationEventPublisher publisher;

	public ApplicationEvents(ApplicationEventPublisher publisher) {
		this.publisher = publisher;
	}

	@Override
	public void onEvent(GuardEvent event) {
		if (!event.isApplicationEvent()) {
			return;
		}
		this.publisher.publishEvent(new Published(this.publisher, event, TYPES.get(event.getClass())));
	}

	private record Types(ResolvableType published, ResolvableType event) {
	}

	private static final class Published extends PayloadApplicationEvent<GuardEvent> {

		private static final long serialVersionUID = 1L;

		private final transient ResolvableType type;

		Published(Object source, GuardEvent event, Types types) {
			// Given, since it would be worked out otherwise
			super(source, event, types.event());
			this.type = types.published();
		}

		@Override
		public ResolvableType getResolvableType() {
			return this.type;
		}

	}

}
