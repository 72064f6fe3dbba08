// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.stream;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.consume.Doorbells;
import io.ge.redis.core.invocation.NotConfiguredException;
import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.key.RedisKey;
import io.ge.redis.core.outage.GuardedRedis;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptCall;
import io.ge.redis.core.script.ScriptReply;
import io.ge.redis.stream.StreamProperties.Definition;
import io.ge.redis.stream.StreamProperties.Overflow;
import org.jspecify.annotations.Nullable;

import org.springframework.util.function.SingletonSupplier;
import org.springframework.util.unit.DataSize;

/**
 * Streams in Redis: definitions, keys and scripts. A definition names the key {@code K}
 * of a stream. Beside it are {@code prefix:stream:{K}:d:<hash>} for its dedup keys,
 * {@code :b:<id>} for bodies and {@code :dead} for dead letters. In a family or with
 * partitions, the id of a dead letter has the position of its stream behind a dot.
 */
public final class RedisStreams implements DeadLetters {

	private static final LuaScript PUBLISH = load("publish.lua");

	private static final LuaScript SETTLE = load("settle.lua");

	private static final LuaScript TAKE = LuaScript.functions(StreamPublisher.class, "take.lua").around(SETTLE);

	/** Sent as a command only, as is ACKNOWLEDGE. */
	private static final LuaScript READ = LuaScript.command(StreamPublisher.class, "read", "XREADGROUP");

	private static final LuaScript ACKNOWLEDGE = LuaScript.command(StreamPublisher.class, "acknowledge", "XACK");

	private static final LuaScript REAP = load("reap.lua");

	private static final LuaScript VIEW = load("view.lua");

	private static final LuaScript PARTITIONS = load("partitions.lua");

	private static final LuaScript LETTERS = load("letters.lua");

	private static final LuaScript REPLAY = LuaScript.functions(StreamPublisher.class, "replay.lua").around(PUBLISH);

	private static final String BODY = ":b:";

	/** The messages of a stream ring no more often than this. */
	private static final long BELL_NANOS = Duration.ofMillis(5).toNanos();

	private static final DataSize MOST_LISTED = DataSize.ofMegabytes(4);

	private final RedisBackend backend;

	private final GuardedRedis redis;

	/** On the connection of consumers, which is made with the first listener. */
	private final Supplier<GuardedRedis> consuming;

	private final KeySpace keys;

	private final Map<String, StreamDefinition> definitions = new LinkedHashMap<>();

	private final Map<String, Long> rung = new ConcurrentHashMap<>();

	RedisStreams(RedisBackend backend, StreamProperties properties) {
		this.backend = backend;
		this.redis = backend.redis("stream");
		this.consuming = SingletonSupplier.of(() -> backend.forConsumers().redis("stream"));
		this.keys = backend.keys("stream");
		properties.definitions()
			.forEach((name, definition) -> this.definitions.put(name, new StreamDefinition(name, definition, this)));
		Map<String, String> owners = new HashMap<>();
		definitions().forEach((each) -> each.streams()
			.forEach((keys) -> own(owners, each, keys.stream(), "key", "'%s' is a stream of '%s' too.",
					"Give each stream a key of its own.")));
		definitions().forEach((each) -> each.streams()
			.forEach((keys) -> own(owners, each, keys.dead(), "dead-letter.key",
					"'%s' is used by a stream of '%s' already, and each needs dead letters of its own.",
					each.deadLetterRemedy())));
	}

	private static void own(Map<String, String> owners, StreamDefinition definition, String key, String property,
			String problem, String remedy) {
		String owner = owners.put(key, definition.name());
		if (owner != null) {
			throw definition.problem(property, problem.formatted(key, owner), remedy);
		}
	}

	Collection<StreamDefinition> definitions() {
		return this.definitions.values();
	}

	StreamDefinition definition(String name) {
		StreamDefinition definition = this.definitions.get(name);
		if (definition == null) {
			throw new NotConfiguredException("stream", name, "Define it with ge.redis.stream.definitions." + name
					+ ".key, .max-length and .groups, or correct the name.");
		}
		return definition;
	}

	private static LuaScript load(String file) {
		return LuaScript.load(StreamPublisher.class, file);
	}

	/**
	 * Returns whether streams are on different servers, so that one call cannot touch
	 * several.
	 */
	boolean isClustered() {
		return this.redis.isClustered();
	}

	/**
	 * Returns the keys of a stream, or {@code null} if it cannot be the hash tag of the
	 * other keys.
	 */
	@Nullable StreamKeys keys(String stream, @Nullable String dead) {
		KeyPart[] parts = Arrays.stream(stream.split(":", -1)).map(KeyPart::of).toArray(KeyPart[]::new);
		String root = this.keys.entity(parts).toString();
		return root.endsWith("{" + stream + "}") ? new StreamKeys(stream, (dead != null) ? dead : root + ":dead", root)
				: null;
	}

	String channel() {
		return this.backend.bus().notificationChannel();
	}

	private CompletableFuture<ScriptReply> run(LuaScript script, Stream<String> keys, List<?> arguments) {
		return run(this.redis, script, keys, arguments);
	}

	private static CompletableFuture<ScriptReply> run(GuardedRedis redis, LuaScript script, Stream<String> keys,
			List<?> arguments) {
		List<RedisKey> names = keys.map(KeySpace::shared).toList();
		return redis.run(ScriptCall.of(script, names, arguments.toArray()), redis.newBudget());
	}

	static <T extends @Nullable Object> CompletableFuture<List<T>> all(Stream<CompletableFuture<T>> calls) {
		List<CompletableFuture<T>> sent = calls.toList();
		return CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new))
			.thenApply((done) -> sent.stream().map(CompletableFuture::join).toList());
	}

	/**
	 * Publishes messages to one stream. Each then has its result.
	 */
	CompletableFuture<List<Outgoing>> publish(StreamDefinition definition, StreamKeys keys, List<Outgoing> messages) {
		List<String> names = new ArrayList<>(List.of(keys.stream()));
		List<Object> arguments = arguments(definition, keys);
		for (Outgoing message : messages) {
			StreamFormat.Written written = message.written;
			names.add((message.dedupKey != null) ? keys.root() + ":d:" + KeyPart.secret(message.dedupKey)
					: keys.stream());
			names.add(written.bodyId().isEmpty() ? keys.stream() : keys.root() + BODY + written.bodyId());
			arguments.addAll(List.of(message.depth, message.trigger, written.body(), written.fields().size()));
			arguments.addAll(written.fields());
		}
		return run(PUBLISH, names.stream(), arguments).thenApply((reply) -> {
			for (int i = 0; i < messages.size(); i++) {
				messages.get(i).read(reply, 3 * i);
			}
			return messages;
		});
	}

	private List<Object> arguments(StreamDefinition definition, StreamKeys keys) {
		Definition properties = definition.properties();
		boolean rings = this.backend.connection().isClustered() && isTimeToRing(keys.stream());
		Duration dedup = properties.dedupWindow();
		Integer deepest = properties.maxChainDepth();
		List<Object> arguments = new ArrayList<>(List.of(definition.maxLength(),
				(properties.overflow() == Overflow.DROP_OLDEST) ? "drop-oldest" : "reject",
				(dedup != null) ? dedup.toMillis() : 0L, properties.claimCheck().ttl().toMillis(),
				(deepest != null) ? deepest : -1, rings ? channel() : "",
				rings ? Doorbells.TOPIC + " " + keys.stream() : "", properties.groups().size()));
		properties.groups().forEach((name, group) -> arguments.addAll(List.of(name, group.minIdle().toMillis())));
		return arguments;
	}

	private boolean isTimeToRing(String stream) {
		long now = System.nanoTime();
		Long last = this.rung.get(stream);
		boolean due = last == null || now - last >= BELL_NANOS;
		if (due) {
			this.rung.put(stream, now);
		}
		return due;
	}

	CompletableFuture<ScriptReply> take(List<StreamKeys> streams, List<Object> arguments) {
		return run(this.consuming.get(), TAKE, all(streams), arguments);
	}

	/**
	 * Reads new entries, none if the group does not exist. The reply is the key of the
	 * stream and the number of entries. For each entry follow 2, its id, and the number
	 * of its fields and values with these.
	 */
	CompletableFuture<ScriptReply> read(StreamKeys stream, String group, String consumer, long most) {
		return run(this.consuming.get(), READ, Stream.of(stream.stream()),
				List.of("GROUP", group, consumer, "COUNT", most, "STREAMS", ">"));
	}

	/**
	 * Acknowledges entries and returns how many were pending, of any consumer.
	 */
	CompletableFuture<Long> acknowledge(StreamKeys stream, String group, List<String> ids) {
		List<Object> arguments = new ArrayList<>(List.of(group));
		arguments.addAll(ids);
		return run(this.consuming.get(), ACKNOWLEDGE, Stream.of(stream.stream()), arguments)
			.thenApply((reply) -> reply.has(0) ? reply.number(0) : 0);
	}

	CompletableFuture<ScriptReply> settle(List<StreamKeys> streams, List<Object> arguments) {
		return run(this.consuming.get(), SETTLE, all(streams), arguments);
	}

	private static Stream<String> all(List<StreamKeys> streams) {
		return streams.stream().flatMap((keys) -> Stream.of(keys.stream(), keys.dead(), keys.root() + BODY));
	}

	/**
	 * Removes one consumer, or with an empty name all that were silent, and counts them.
	 * Consumers that have messages stay.
	 */
	CompletableFuture<Long> reap(List<StreamKeys> streams, String group, String leaving, Duration silence,
			boolean rings) {
		List<List<StreamKeys>> calls = isClustered() ? streams.stream().map(List::of).toList() : List.of(streams);
		return all(calls.stream()
			.map((part) -> run(this.consuming.get(), REAP, part.stream().map(StreamKeys::stream),
					List.of(group, leaving, silence.toMillis(), rings ? channel() : ""))))
			.thenApply((replies) -> replies.stream().mapToLong((reply) -> reply.number(0)).sum());
	}

	@Override
	public CompletableFuture<List<DeadLetter>> listAsync(String stream, int most) {
		StreamDefinition definition = definition(stream);
		long bytes = MOST_LISTED.toBytes() / definition.streams().size();
		return all(IntStream.range(0, definition.streams().size())
			.mapToObj((i) -> runOnLetters(definition.streams().get(i), "list", most, bytes)
				.thenApply((reply) -> letters(definition, i, reply))))
			.thenApply((lists) -> lists.stream()
				.flatMap(List::stream)
				.sorted(Comparator.comparingLong(RedisStreams::time).reversed())
				.limit(most)
				.toList());
	}

	private CompletableFuture<ScriptReply> runOnLetters(StreamKeys keys, Object... arguments) {
		return run(LETTERS, Stream.of(keys.dead()), List.of(arguments));
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
					reply.text(next) + ((stream > 0) ? "." + stream : ""), fields(reply, next + 2, number)));
			next += 2 + number;
		}
		return letters;
	}

	@Override
	public CompletableFuture<Boolean> deleteAsync(String stream, String id) {
		StreamKeys keys = keysOfLetter(definition(stream), id);
		return (keys == null) ? CompletableFuture.completedFuture(false)
				: runOnLetters(keys, "delete", entry(id)).thenApply((reply) -> reply.number(0) == 1);
	}

	@Override
	public CompletableFuture<Boolean> replayAsync(String stream, String id) {
		StreamDefinition definition = definition(stream);
		StreamKeys keys = keysOfLetter(definition, id);
		if (keys == null) {
			return CompletableFuture.completedFuture(false);
		}
		List<Object> arguments = arguments(definition, keys);
		arguments.addAll(0, List.of(entry(id), (definition.properties().groups().size() > 1) ? "1" : "0"));
		return run(REPLAY, Stream.of(keys.dead(), keys.stream(), keys.stream(), keys.stream()), arguments)
			.thenApply((reply) -> {
				if (reply.text(0).equals("full")) {
					throw new StreamFullException(stream, Duration.ofMillis(reply.number(1)));
				}
				return reply.text(0).equals("ok");
			});
	}

	private static @Nullable StreamKeys keysOfLetter(StreamDefinition definition, String id) {
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

	CompletableFuture<List<long[]>> view(StreamDefinition definition) {
		return all(definition.streams().stream().map((keys) -> view(definition, keys)));
	}

	private CompletableFuture<long[]> view(StreamDefinition definition, StreamKeys keys) {
		List<Object> arguments = new ArrayList<>(List.of(definition.maxLength()));
		arguments.addAll(definition.properties().groups().keySet());
		return run(VIEW, Stream.of(keys.stream(), keys.dead()), arguments)
			.thenApply((reply) -> IntStream.range(0, reply.size()).mapToLong(reply::number).toArray());
	}

	/**
	 * Checks that no group needs anything of the partitions that a definition has no
	 * longer. Redis: one script call, and one for each of those.
	 * @return completes exceptionally with a {@code GuardConfigurationException} if a
	 * group does
	 */
	CompletableFuture<List<StreamKeys>> verifyPartitions(StreamDefinition definition) {
		RedisKey most = this.keys.entity(KeyPart.of(definition.name())).with(KeyPart.of("partitions"));
		Set<String> used = definitions().stream()
			.flatMap((each) -> each.streams().stream())
			.map(StreamKeys::stream)
			.collect(Collectors.toSet());
		return run(PARTITIONS, Stream.of(most.toString()), List.of(definition.partitions()))
			.thenCompose((reply) -> all(definition.former((int) reply.number(0))
				.filter((keys) -> !used.contains(keys.stream()))
				.map((keys) -> view(definition, keys).thenApply((figures) -> {
					definition.requireFinished(keys.stream(), figures, reply.number(0));
					return keys;
				}))));
	}

	static StreamFields fields(ScriptReply reply, int from, int number) {
		byte[][] parts = new byte[number][];
		for (int i = 0; i < number; i++) {
			parts[i] = Objects.requireNonNull(reply.bytes(from + i));
		}
		return new StreamFields(parts);
	}

	/**
	 * A message on its way to Redis, and what becomes of it.
	 */
	static final class Outgoing {

		final StreamFormat.Written written;

		final String trigger;

		final int depth;

		private final @Nullable String dedupKey;

		Published published;

		Duration wait = Duration.ofSeconds(1);

		/** The number of unread messages that it has displaced. */
		long dropped;

		Outgoing(StreamFormat.Written written, String trigger, int depth, @Nullable String dedupKey) {
			this.written = written;
			this.trigger = trigger;
			this.depth = depth;
			this.dedupKey = dedupKey;
			this.published = new Published(Published.Outcome.FULL, "", trigger);
		}

		private void read(ScriptReply reply, int from) {
			this.published = switch (reply.text(from)) {
				case "ok" -> {
					this.dropped = reply.number(from + 2);
					yield new Published(Published.Outcome.PUBLISHED, reply.text(from + 1), this.trigger);
				}
				case "duplicate" -> {
					// Ours, if the reply to a first attempt was lost
					boolean ours = reply.text(from + 2).equals(this.trigger);
					yield new Published(ours ? Published.Outcome.PUBLISHED : Published.Outcome.DUPLICATE,
							reply.text(from + 1), reply.text(from + 2));
				}
				case "depth" -> new Published(Published.Outcome.TOO_DEEP, "", this.trigger);
				default -> {
					this.wait = Duration.ofMillis(reply.number(from + 1));
					yield new Published(Published.Outcome.FULL, "", this.trigger);
				}
			};
		}

	}

}
