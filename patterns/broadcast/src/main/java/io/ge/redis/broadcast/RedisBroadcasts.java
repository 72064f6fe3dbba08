// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.broadcast;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.connection.PushSubscriber;
import io.ge.redis.core.connection.PushSubscription;
import io.ge.redis.core.consume.JsonPayloads;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.RedisKey;
import io.ge.redis.core.outage.GuardedRedis;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptCall;
import io.ge.redis.core.script.ScriptReply;

/**
 * Channels in Redis. A reliable one is a stream {@code prefix:broadcast:{name}}. An
 * ephemeral one is a channel of that name, followed by {@code :database} unless that is
 * 0.
 */
record RedisBroadcasts(BroadcastProperties properties, RedisBackend backend, GuardedRedis redis, JsonPayloads payloads,
		GuardEvents events) implements Broadcaster {

	private static final LuaScript PUBLISH = LuaScript.load(RedisBroadcasts.class, "publish.lua");

	private static final LuaScript READ = LuaScript.load(RedisBroadcasts.class, "read.lua");

	RedisKey stream(String channel) {
		return this.backend.keys("broadcast").entity(KeyPart.of(channel));
	}

	private CompletableFuture<ScriptReply> run(LuaScript script, String channel, Object... arguments) {
		return this.redis.run(ScriptCall.of(script, List.of(stream(channel)), arguments), this.redis.newBudget());
	}

	void publish(String channel, BroadcastEvent.Outcome outcome, long amount) {
		this.events.publish(new BroadcastEvent(channel, outcome, amount));
	}

	@Override
	public CompletableFuture<Long> publishAsync(String channel, Object message) {
		BroadcastProperties.Channel settings = this.properties.channel(channel);
		String bell = this.backend.connection().isClustered() ? this.backend.bus().notificationChannel() : "";
		return run(PUBLISH, channel, settings.retention(), settings.isReliable() ? bell : pushChannel(channel),
				this.payloads.write(message, "channel '" + channel + "'", settings.maxPayloadSize(),
						"ge.redis.broadcast.channels." + channel + ".max-payload-size"))
			.thenApply((reply) -> {
				publish(channel, BroadcastEvent.Outcome.PUBLISHED, 1);
				return reply.number(0);
			});
	}

	private String pushChannel(String channel) {
		int database = this.backend.connection().database();
		return stream(channel) + ((database != 0) ? ":" + database : "");
	}

	PushSubscription subscribe(String channel, PushSubscriber subscriber) {
		return this.backend.connection()
			.subscribe(subscriber, List.of(pushChannel(channel).getBytes(StandardCharsets.UTF_8)));
	}

	/**
	 * Reads a reliable channel from a position, or begins if that is empty.
	 */
	CompletableFuture<ScriptReply> read(String channel, String position, int most, long bytes) {
		return run(READ, channel, position, this.properties.channel(channel).sticky() ? 1 : 0, most, bytes);
	}

	CompletableFuture<Long> lastNumber(String channel) {
		return read(channel, "", 1, 0)
			.thenApply((reply) -> Long.valueOf(reply.text(1).substring(reply.text(1).lastIndexOf('-') + 1)));
	}

}
