// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.broadcast;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.ge.redis.broadcast.BroadcastEvent.Outcome;
import io.ge.redis.test.RedisNode;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.TcpProxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What reaches an instance whose network was cut while another one published.
 */
class BroadcastOutageIntegrationTests {

	private static final String[] CHANNELS = { "news.retention", "100", "short.retention", "2", "halt.retention", "1",
			"halt.sticky", "true", "flash.mode", "ephemeral" };

	private final Listener listener = new Listener();

	private StandaloneRedis redis;

	private TcpProxy network;

	/** Reaches Redis directly. */
	private BroadcastInstance near;

	/** Reaches Redis through the network, and listens. */
	private BroadcastInstance far;

	@BeforeEach
	void start() {
		this.redis = RedisServers.standalone();
		this.network = new TcpProxy(this.redis.primary());
		LettuceConnectionFactory factory = new LettuceConnectionFactory(this.network.host(), this.network.port());
		factory.afterPropertiesSet();
		factory.start();
		this.near = new BroadcastInstance(this.redis, CHANNELS);
		this.far = new BroadcastInstance(factory, CHANNELS).listen(this.listener);
		await().until(() -> this.far.scripts("read") >= 3);
	}

	@AfterEach
	void stop() {
		this.far.close();
		this.near.close();
		this.network.close();
		this.redis.close();
	}

	private void publishInAnOutage(String channel, Object... messages) {
		this.near.broadcaster().publish(channel, messages[0]);
		await().until(() -> this.listener.seen.size() == 1);
		this.network.cut();
		for (int i = 1; i < messages.length; i++) {
			this.near.broadcaster().publish(channel, messages[i]);
		}
		this.network.resume();
	}

	@Test
	void replaysWhatWasPublishedWhileTheNetworkWasCut() {
		publishInAnOutage("news", "a", "b", "c", "d");
		await().untilAsserted(() -> assertThat(this.listener.seen).containsExactly("a", "b", "c", "d"));
		this.near.broadcaster().publish("news", "e");
		await().untilAsserted(() -> assertThat(this.listener.seen).containsExactly("a", "b", "c", "d", "e"));
		assertThat(this.far.events(Outcome.GAP)).isZero();
	}

	@Test
	void tellsHowManyMessagesWereMissedWhileTheNetworkWasCut() {
		publishInAnOutage("short", "a", "b", "c", "d", "e", "f");
		await().untilAsserted(() -> assertThat(this.listener.seen).containsExactly("a", "gap 3", "e", "f"));
		assertThat(this.far.events(Outcome.GAP)).isEqualTo(3);
	}

	@Test
	void givesTheLastStateToWhoWasCutOffAndToWhoStartsLater() {
		publishInAnOutage("halt", "true", "false", "true", "false");
		await().untilAsserted(() -> assertThat(this.listener.seen).containsExactly("true", "gap 2", "false"));
		Listener late = new Listener();
		this.near.listen(late);
		await().untilAsserted(() -> assertThat(late.seen).containsExactly("false"));
	}

	@Test
	void tellsOfAGapAndGivesTheLastStateIfRedisHasLostItsDataMeanwhile() {
		this.near.broadcaster().publish("halt", "true");
		await().until(() -> this.listener.seen.size() == 1);
		this.network.cut();
		this.redis.flushAll();
		this.near.broadcaster().publish("halt", "false");
		this.network.resume();
		await().untilAsserted(() -> assertThat(this.listener.seen).containsExactly("true", "gap -1", "false"));
	}

	@Test
	void tellsOfAGapThoughAsManyMessagesAsBeforeFollowALossOfData() {
		for (int i = 1; i <= 5; i++) {
			String message = "m" + i;
			this.near.broadcaster().publish("halt", message);
			await().until(() -> this.listener.seen.contains(message));
		}
		this.network.cut();
		this.redis.flushAll();
		for (int i = 1; i <= 6; i++) {
			this.near.broadcaster().publish("halt", "n" + i);
		}
		this.network.resume();
		await().untilAsserted(() -> assertThat(this.listener.seen).endsWith("m5", "gap -1", "n6"));
	}

	@Test
	void tellsOfAGapIfAFailoverHasLostTheLastMessage() {
		this.near.broadcaster().publish("news", "a");
		this.near.broadcaster().publish("news", "lost");
		await().until(() -> this.listener.seen.contains("lost"));
		this.network.cut();
		RedisNode node = this.redis.primary();
		node.command("EVAL", "redis.call('XDEL', KEYS[1], redis.call('XREVRANGE', KEYS[1], '+', '-')[1][1])", "1",
				"ge:broadcast:{news}");
		this.near.broadcaster().publish("news", "b");
		this.near.broadcaster().publish("news", "c");
		this.network.resume();
		await().untilAsserted(() -> assertThat(this.listener.seen).containsExactly("a", "lost", "gap -1", "b", "c"));
	}

	@Test
	void ephemeralMessagesComeAsSoonAsTheConsumersHaveStarted() {
		this.far.consumers().stop();
		this.network.latency(Duration.ofMillis(50));
		this.far.consumers().start();
		this.near.broadcaster().publish("flash", "at once");
		await().untilAsserted(() -> assertThat(this.listener.seen).containsExactly("at once"));
	}

	@Test
	void ephemeralMessagesOfAnOutageNeverComeAndLaterOnesDo() {
		await().until(() -> {
			this.near.broadcaster().publish("flash", "a");
			return !this.listener.seen.isEmpty();
		});
		this.network.cut();
		this.near.broadcaster().publish("flash", "lost");
		this.network.resume();
		await().until(() -> {
			this.near.broadcaster().publish("flash", "b");
			return this.listener.seen.contains("b");
		});
		assertThat(this.listener.seen).doesNotContain("lost");
		assertThat(this.far.events(Outcome.RECONNECTED)).isEqualTo(1);
	}

	static class Listener {

		final List<String> seen = new CopyOnWriteArrayList<>();

		@RedisBroadcastListener(channel = "news", onGap = "missed")
		void news(String message) {
			this.seen.add(message);
		}

		@RedisBroadcastListener(channel = "short", onGap = "missed")
		void shortened(String message) {
			this.seen.add(message);
		}

		@RedisBroadcastListener(channel = "halt", onGap = "missed")
		void halt(String message) {
			this.seen.add(message);
		}

		@RedisBroadcastListener(channel = "flash")
		void flash(String message) {
			this.seen.add(message);
		}

		void missed(long messages) {
			this.seen.add("gap " + messages);
		}

	}

}
