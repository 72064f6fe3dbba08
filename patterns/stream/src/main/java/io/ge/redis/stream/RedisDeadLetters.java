/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.stream;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptReply;
import org.jspecify.annotations.Nullable;

/**
 * Dead letters in Redis. In a family or with partitions, the id of a letter has the
 * position of its stream behind a dot.
 */
record RedisDeadLetters(RedisStreams redis) implements DeadLetters {

	private static final LuaScript LETTERS = RedisStreams.load("letters.lua");

	private static final LuaScript REPLAY = LuaScript.functions(StreamPublisher.class, "replay.lua")
		.around(RedisStreams.PUBLISH);

	@Override
	public CompletableFuture<List<DeadLetter>> listAsync(String stream, int most) {
		StreamDefinition definition = this.redis.definition(stream);
		return RedisStreams
			.all(IntStream.range(0, definition.streams().size())
				.mapToObj((i) -> run(LETTERS, definition.streams().get(i), "list", most)
					.thenApply((reply) -> letters(definition, i, reply))))
			.thenApply((lists) -> lists.stream()
				.flatMap(List::stream)
				.sorted(Comparator.comparingLong(RedisDeadLetters::time).reversed())
				.limit(most)
				.toList());
	}

	private CompletableFuture<ScriptReply> run(LuaScript script, StreamKeys keys, Object... arguments) {
		return this.redis.run(script, Stream.of(keys.dead()), List.of(arguments));
	}

	private static long time(DeadLetter letter) {
		return Long.parseLong(letter.id().substring(0, letter.id().indexOf('-')));
	}

	private static List<DeadLetter> letters(StreamDefinition definition, int stream, ScriptReply reply) {
		List<DeadLetter> letters = new ArrayList<>();
		int next = 0;
		while (next < reply.size()) {
			int number = (int) reply.number(next + 1);
			letters.add(StreamFormat.deadLetter(definition, definition.streams().get(stream).stream(),
					reply.text(next) + ((stream > 0) ? "." + stream : ""),
					RedisStreams.fields(reply, next + 2, number)));
			next += 2 + number;
		}
		return letters;
	}

	@Override
	public CompletableFuture<Boolean> deleteAsync(String stream, String id) {
		StreamKeys keys = keys(this.redis.definition(stream), id);
		return (keys == null) ? CompletableFuture.completedFuture(false)
				: run(LETTERS, keys, "delete", entry(id)).thenApply((reply) -> reply.number(0) == 1);
	}

	@Override
	public CompletableFuture<Boolean> replayAsync(String stream, String id) {
		StreamDefinition definition = this.redis.definition(stream);
		StreamKeys keys = keys(definition, id);
		if (keys == null) {
			return CompletableFuture.completedFuture(false);
		}
		List<Object> arguments = this.redis.arguments(definition, keys);
		arguments.addAll(0, List.of(entry(id), (definition.properties().groups().size() > 1) ? "1" : "0"));
		return this.redis.run(REPLAY, Stream.of(keys.dead(), keys.stream(), keys.stream(), keys.stream()), arguments)
			.thenApply((reply) -> {
				if (reply.text(0).equals("full")) {
					throw new StreamFullException(stream, Duration.ofMillis(reply.number(1)));
				}
				return reply.text(0).equals("ok");
			});
	}

	private static @Nullable StreamKeys keys(StreamDefinition definition, String id) {
		if (!id.matches("\\d{1,19}-\\d{1,19}(\\.\\d{1,5})?")) {
			return null;
		}
		int dot = id.indexOf('.');
		int stream = (dot > 0) ? Integer.parseInt(id.substring(dot + 1)) : 0;
		return (stream < definition.streams().size()) ? definition.streams().get(stream) : null;
	}

	private static String entry(String id) {
		return id.split("\\.")[0];
	}

}
