// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.event;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ApplicationEvents}.
 */
class ApplicationEventsTests {

	@Test
	void listenersGetWhatTheyWouldGetOfThePublisherItself() {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(Listeners.class)) {
			Listeners listeners = context.getBean(Listeners.class);
			List<PayloadApplicationEvent<?>> wrapped = new ArrayList<>();
			context.addApplicationListener((PayloadApplicationEvent<First> event) -> wrapped.add(event));
			context.publishEvent(new First("a"));
			context.publishEvent(new Second("b"));
			List<Object> expected = List.copyOf(listeners.events);
			assertThat(expected).containsExactlyInAnyOrder("first a", "guard a", "generic a", "guard b", "generic b");
			listeners.events.clear();
			GuardListener events = new ApplicationEvents(context);
			for (int i = 0; i < 2; i++) {
				events.onEvent(new First("a"));
				events.onEvent(new Second("b"));
				assertThat(listeners.events).isEqualTo(expected);
				listeners.events.clear();
			}
			assertThat(wrapped).extracting(PayloadApplicationEvent::getSource).containsOnly(context);
		}
	}

	@Test
	void eventsThatAreNoneOfTheApplicationAreKeptFromIt() {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(Listeners.class)) {
			new ApplicationEvents(context).onEvent(new Frequent("a"));
			assertThat(context.getBean(Listeners.class).events).isEmpty();
		}
	}

	static class Listeners {

		private final List<Object> events = new ArrayList<>();

		@EventListener
		void onFirst(First event) {
			this.events.add("first " + event.name());
		}

		@EventListener
		void onAny(GuardEvent event) {
			this.events.add("guard " + event.name());
		}

		@EventListener
		void onGeneric(PayloadApplicationEvent<? extends GuardEvent> event) {
			this.events.add("generic " + event.getPayload().name());
		}

	}

	record First(String name) implements GuardEvent {

		@Override
		public String pattern() {
			return "first";
		}

		@Override
		public String result() {
			return "done";
		}

	}

	record Frequent(String name) implements GuardEvent {

		@Override
		public String pattern() {
			return "frequent";
		}

		@Override
		public String result() {
			return "done";
		}

		@Override
		public boolean isApplicationEvent() {
			return false;
		}

	}

	record Second(String name) implements GuardEvent {

		@Override
		public String pattern() {
			return "second";
		}

		@Override
		public String result() {
			return "done";
		}

	}

}
