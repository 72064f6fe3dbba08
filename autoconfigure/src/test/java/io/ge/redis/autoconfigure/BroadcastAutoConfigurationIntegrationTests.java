// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.util.List;
import java.util.Map;

import io.ge.redis.actuate.Actuate;
import io.ge.redis.broadcast.BroadcastPattern;
import io.ge.redis.broadcast.Broadcaster;
import io.ge.redis.broadcast.RedisBroadcastListener;
import io.ge.redis.core.consume.Consumers;
import io.ge.redis.core.endpoint.GuardRequest;
import io.ge.redis.core.endpoint.GuardResource;
import io.ge.redis.test.SharedRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Broadcasts in applications, from annotation and property to Redis and endpoint.
 */
class BroadcastAutoConfigurationIntegrationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, GeRedisAutoConfiguration.class,
				ConsumerAutoConfiguration.class, BroadcastAutoConfiguration.class))
		.withBean(Switch.class)
		.withPropertyValues(SharedRedis.properties())
		.withPropertyValues("ge.redis.broadcast.channels.[system.halt].retention=10",
				"ge.redis.broadcast.channels.[system.halt].sticky=true",
				"ge.redis.broadcast.channels.hints.mode=ephemeral");

	@BeforeEach
	void emptyRedis() {
		SharedRedis.standalone().flushAll();
	}

	@AfterEach
	void leaveNothingPermanent() {
		SharedRedis.standalone().flushAll();
	}

	@Test
	void haltsEveryInstanceAlsoThoseThatStartLater() {
		this.runner.run((one) -> this.runner.run((two) -> {
			one.getBean(Broadcaster.class).publish("system.halt", true);
			Awaitility.await().until(() -> halted(one.getBean(Switch.class)) && halted(two.getBean(Switch.class)));
			this.runner.run((late) -> Awaitility.await().until(() -> halted(late.getBean(Switch.class))));
			two.getBean(Broadcaster.class).publish("system.halt", false);
			Awaitility.await().until(() -> !halted(one.getBean(Switch.class)) && !halted(two.getBean(Switch.class)));
		}));
	}

	@Test
	void goesOnAfterAStopAndAStart() {
		this.runner.run((context) -> {
			Consumers consumers = context.getBean(Consumers.class);
			consumers.stop();
			context.getBean(Broadcaster.class).publish("system.halt", true);
			consumers.start();
			Awaitility.await().until(() -> halted(context.getBean(Switch.class)));
			Awaitility.await().until(() -> {
				context.getBean(Broadcaster.class).publish("hints", "now");
				return "now".equals(context.getBean(Switch.class).hint);
			});
		});
	}

	@Test
	void showsChannels() {
		this.runner.run((context) -> {
			context.getBean(Broadcaster.class).publish("system.halt", true);
			GuardResource resource = Actuate.broadcasts(() -> context.getBean(BroadcastPattern.class));
			assertThat(resource.read(new GuardRequest(List.of(), Map.of()))).asString()
				.contains("hints=ChannelReport[published=0", "system.halt=ChannelReport[published=1");
		});
	}

	private static boolean halted(Switch halt) {
		return halt.halted;
	}

	static class Switch {

		volatile boolean halted;

		volatile String hint;

		@RedisBroadcastListener(channel = "system.halt", onGap = "missed")
		void halt(boolean halted) {
			this.halted = halted;
		}

		void missed(long messages) {
			throw new IllegalStateException("Nothing is missed here, but " + messages);
		}

		@RedisBroadcastListener(channel = "hints")
		void hint(String hint) {
			this.hint = hint;
		}

	}

}
