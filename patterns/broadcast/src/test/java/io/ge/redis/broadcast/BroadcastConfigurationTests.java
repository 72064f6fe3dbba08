// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.broadcast;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.core.consume.ConsumerFrame;
import io.ge.redis.core.consume.ConsumerProperties;
import io.ge.redis.core.consume.JsonPayloads;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.GuardedMethod;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.util.unit.DataSize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Mistakes in properties and annotations are refused, and the messages say what to write.
 */
class BroadcastConfigurationTests {

	@Test
	void refusesPropertiesThatCannotWork() {
		refuses("news.retention must be set to at least 1", "news.sticky", "true");
		refuses("an ephemeral channel keeps nothing", "news.mode", "ephemeral", "news.retention", "5");
		refuses("max-attempts must be at least 1", "news.retention", "5", "news.max-attempts", "0");
		refuses("neither braces, colons nor slashes", "[a:b].retention", "1");
	}

	private static void refuses(String problem, String... properties) {
		assertThatExceptionOfType(BindException.class).isThrownBy(() -> BroadcastInstance.properties(properties))
			.havingRootCause()
			.withMessageContaining(problem);
	}

	@Test
	void refusesListenersThatCannotWork() {
		refusesListener("unknown", "channel 'old' is not configured", "ge.redis.broadcast.channels.old.retention=1000");
		refusesListener("nothing", "no parameter takes the message");
		refusesListener("noGap", "there is no method missed(long) for onGap");
	}

	private static void refusesListener(String name, String... parts) {
		BroadcastProperties properties = BroadcastInstance.properties("news.retention", "10");
		ConsumerFrame frame = new ConsumerFrame(() -> {
			throw new IllegalStateException("not reached");
		}, () -> new ConsumerProperties(null, Duration.ofSeconds(1), Duration.ofHours(1), null,
				DataSize.ofMegabytes(4)), new AttributeReader((text) -> text), new JsonPayloads(JsonMapper::shared),
				new GuardEvents(List::of));
		BroadcastPattern pattern = new BroadcastPattern(() -> properties, () -> {
			throw new IllegalStateException("not reached");
		}, frame);
		Method method = Arrays.stream(Listeners.class.getDeclaredMethods())
			.filter((each) -> each.getName().equals(name))
			.findFirst()
			.orElseThrow();
		assertThatExceptionOfType(GuardConfigurationException.class).isThrownBy(() -> pattern.listen(new Listeners(),
				new GuardedMethod(method, Listeners.class, RedisBroadcastListener.class),
				method.getAnnotation(RedisBroadcastListener.class)))
			.withMessageContainingAll(parts);
	}

	@Test
	void reachesNobodyWhereBroadcastsAreSwitchedOff() {
		assertThat(Broadcaster.unguarded().publish("any", "message")).isZero();
	}

	static class Listeners {

		@RedisBroadcastListener(channel = "old")
		void unknown(String message) {
		}

		@RedisBroadcastListener(channel = "news")
		void nothing() {
		}

		@RedisBroadcastListener(channel = "news", onGap = "missed")
		void noGap(String message) {
		}

	}

}
