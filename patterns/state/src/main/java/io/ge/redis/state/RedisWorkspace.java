// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.state;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import io.ge.redis.core.hash.Sha256;
import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.key.RedisKey;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptCall;
import io.ge.redis.core.script.ScriptReply;
import io.ge.redis.core.structure.Arguments;
import io.ge.redis.core.structure.StructureMismatchException;
import io.ge.redis.state.StateEvent.Outcome;
import io.ge.redis.state.WorkspaceSnapshot.Field;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

import org.springframework.util.Assert;

/**
 * One workspace in Redis, as one agent or an anonymous caller uses it.
 *
 * @param kind the name in meters
 * @param root the beginning of all keys
 * @param keys those that {@code change.lua} states, without the memory
 * @param agent the author of changes, or empty
 * @param operation the id of the change, or {@code null} for a new one each time
 */
record RedisWorkspace(RedisWorkspaces all, String kind, String root, List<RedisKey> keys, String agent,
		@Nullable String operation) implements Workspace {

	private static final LuaScript FIELDS = LuaScript.functions(RedisWorkspace.class, "fields.lua");

	private static final LuaScript CHANGE = LuaScript.load(RedisWorkspace.class, "change.lua", FIELDS);

	private static final LuaScript SNAPSHOT = LuaScript.load(RedisWorkspace.class, "snapshot.lua", FIELDS);

	private static final LuaScript CHANGES = LuaScript.load(RedisWorkspace.class, "changes.lua");

	private static final LuaScript AGENTS = LuaScript.load(RedisWorkspace.class, "agents.lua");

	private static final int HASH_BYTES = 16;

	/** No value, the field of versions, or the author of anonymous changes. */
	private static final String NOTHING = "";

	@Override
	public RedisWorkspace by(String agent) {
		return new RedisWorkspace(this.all, this.kind, this.root, this.keys, Arguments.name("agent", agent),
				this.operation);
	}

	// The same id is the same operation, whichever instance sends it
	@Override
	public RedisWorkspace withOperation(String id) {
		return new RedisWorkspace(this.all, this.kind, this.root, this.keys, this.agent,
				"k-" + HexFormat.of().formatHex(Sha256.of(Arguments.text("operation id", id)), 0, HASH_BYTES));
	}

	@Override
	public CompletableFuture<Long> putAsync(String field, @Nullable Object value) {
		return change(one("put", field, NOTHING, write(field, value))).thenApply((reply) -> reply.number(1));
	}

	@Override
	public CompletableFuture<Long> appendAsync(String field, @Nullable Object entry) {
		return change(one("append", field, NOTHING, write(field, entry))).thenApply((reply) -> reply.number(1));
	}

	@Override
	public CompletableFuture<Long> incrementAsync(String field, long by) {
		return change(one("increment", field, NOTHING, by)).thenApply((reply) -> reply.number(2));
	}

	@Override
	public CompletableFuture<WriteResult> putIfAbsentAsync(String field, @Nullable Object value) {
		return change(one("add", field, NOTHING, write(field, value))).thenApply(RedisWorkspace::result);
	}

	@Override
	public CompletableFuture<WriteResult> compareAndSetAsync(String field, long expected, @Nullable Object value) {
		return change(one("put", field, expected, write(field, value))).thenApply(RedisWorkspace::result);
	}

	@Override
	public CompletableFuture<Boolean> removeAsync(String field) {
		return change(one("remove", field, NOTHING, NOTHING)).thenApply((reply) -> result(reply).applied());
	}

	@Override
	public CompletableFuture<WriteResult> moveAsync(String agent, String field) {
		return by(agent).change(one("move", field, NOTHING, NOTHING)).thenApply(RedisWorkspace::result);
	}

	private byte[] write(String field, @Nullable Object value) {
		return this.all.write(this.all.field(field), value);
	}

	private List<Object> one(String kind, String field, Object expected, Object value) {
		return List.of(kind, this.all.field(field), expected, value);
	}

	private static WriteResult result(ScriptReply reply) {
		return new WriteResult(reply.text(0).equals("ok"), reply.number(1));
	}

	/**
	 * Runs changes, all or none of them.
	 * @param changes kind, field, expected version and value of each, in turn
	 * @return completes with a reply that is ok, same, conflict or absent
	 */
	private CompletableFuture<ScriptReply> change(List<Object> changes) {
		StateProperties settings = this.all.properties();
		String id = (this.operation != null) ? this.operation : UUID.randomUUID().toString();
		List<Object> arguments = new ArrayList<>(
				List.of(id, 0, settings.ttl().toMillis(), settings.memberTtl().toMillis(), settings.changesKept(),
						settings.maxListLength(), this.agent, settings.storage().name().toLowerCase(Locale.ROOT)));
		arguments.addAll(changes);
		List<RedisKey> keys = keys(this.agent);
		return RedisAttempts.run(this.all.redis(), true, (ageMillis) -> {
			arguments.set(1, ageMillis);
			return ScriptCall.of(CHANGE, keys, arguments.toArray());
		}).thenApply((reply) -> {
			if (reply.text(0).equals("type")) {
				throw new StructureMismatchException("Field '" + reply.text(1) + "' of " + this.root + "workspace is "
						+ reply.text(2) + ". Append to lists, increment whole numbers, and put the rest");
			}
			return reply;
		})
			.whenComplete(
					(reply, failure) -> this.all.events().publish(new StateEvent(this.kind, outcome(reply, failure))));
	}

	private List<RedisKey> keys(String agent) {
		if (agent.isEmpty()) {
			return this.keys;
		}
		List<RedisKey> keys = new ArrayList<>(this.keys);
		keys.add(KeySpace.shared(this.root + "agent:" + agent + ":memory"));
		return keys;
	}

	private static Outcome outcome(@Nullable ScriptReply reply, @Nullable Throwable failure) {
		if (reply == null) {
			return (failure != null && Waiting.cause(failure) instanceof StructureMismatchException) ? Outcome.REFUSED
					: Outcome.ERROR;
		}
		return switch (reply.text(0)) {
			case "ok" -> Outcome.APPLIED;
			case "conflict" -> Outcome.CONFLICT;
			default -> Outcome.UNCHANGED;
		};
	}

	@Override
	public <T> CompletableFuture<@Nullable T> updateAsync(String field, Class<T> type,
			UnaryOperator<@Nullable T> function) {
		AtomicReference<@Nullable T> written = new AtomicReference<>();
		return updated(List.of(this.all.field(field)), (read) -> {
			T value = function.apply(read.get(field, type));
			written.set(value);
			return (value != null) ? one("put", field, read.version(field), write(field, value))
					: one("remove", field, read.version(field), NOTHING);
		}, 0).<@Nullable T>thenApply((reply) -> written.get());
	}

	/**
	 * Reads fields and changes them, again after concurrent changes.
	 * @param attempts how many there were
	 */
	private CompletableFuture<ScriptReply> updated(List<String> fields,
			Function<WorkspaceSnapshot, List<Object>> changes, int attempts) {
		// The function of the user may take long, and must not block a thread of the
		// driver
		return snapshotAsync(fields.toArray(String[]::new))
			.thenApplyAsync((read) -> change(changes.apply(read)), this.all.threads().get().handlers())
			.thenCompose(Function.identity())
			.thenCompose((reply) -> {
				if (!reply.text(0).equals("conflict")) {
					return CompletableFuture.completedFuture(reply);
				}
				int tried = attempts + 1;
				if (tried >= this.all.properties().updateAttempts()) {
					return CompletableFuture
						.failedFuture(new UpdateConflictException(this.root + "workspace", fields.get(0), tried));
				}
				return RedisAttempts.later(RedisAttempts.pause(attempts), () -> updated(fields, changes, tried));
			});
	}

	@Override
	public CompletableFuture<Long> mergePatchAsync(Object patch) {
		JsonNode members = this.all.json().properties("patch", patch);
		Assert.isTrue(members.size() <= Arguments.MAX_COUNT, () -> "patch must be an object in JSON of at most "
				+ Arguments.MAX_COUNT + " members, was of " + members.size());
		List<String> nested = members.properties()
			.stream()
			.filter((member) -> member.getValue().isObject())
			.map((member) -> this.all.field(member.getKey()))
			.toList();
		CompletableFuture<ScriptReply> changed = nested.isEmpty() ? change(patched(members, null))
				: updated(nested, (read) -> patched(members, read), 0);
		return changed.thenApply((reply) -> reply.number(1));
	}

	private List<Object> patched(JsonNode members, @Nullable WorkspaceSnapshot read) {
		List<Object> changes = new ArrayList<>();
		members.properties().forEach((member) -> {
			String field = member.getKey();
			JsonNode value = member.getValue();
			if (value.isNull()) {
				changes.addAll(one("remove", field, NOTHING, NOTHING));
			}
			else if (read != null && value.isObject()) {
				String json = read.json(field);
				JsonNode merged = merged((json != null) ? this.all.tree(json) : null, value);
				changes.addAll(one("put", field, read.version(field), write(field, merged)));
			}
			else {
				changes.addAll(one("put", field, NOTHING, write(field, value)));
			}
		});
		return changes;
	}

	private static JsonNode merged(@Nullable JsonNode target, JsonNode patch) {
		if (!patch.isObject()) {
			return patch;
		}
		ObjectNode merged = (target instanceof ObjectNode object) ? object : JsonNodeFactory.instance.objectNode();
		patch.properties().forEach((member) -> {
			if (member.getValue().isNull()) {
				merged.remove(member.getKey());
			}
			else {
				merged.set(member.getKey(), merged(merged.get(member.getKey()), member.getValue()));
			}
		});
		return merged;
	}

	@Override
	public CompletableFuture<WorkspaceSnapshot> snapshotAsync(String... fields) {
		for (String field : fields) {
			this.all.field(field);
		}
		return run(SNAPSHOT, this.keys, (Object[]) fields).thenApply(this::snapshot);
	}

	private CompletableFuture<ScriptReply> run(LuaScript script, List<RedisKey> keys, Object... arguments) {
		ScriptCall call = ScriptCall.of(script, keys, arguments);
		return RedisAttempts.run(this.all.redis(), false, (ageMillis) -> call);
	}

	private WorkspaceSnapshot snapshot(ScriptReply reply) {
		int split = 2 + (int) reply.number(1);
		Map<String, String> values = pairs(reply, split, reply.size());
		String document = values.remove(NOTHING);
		if (document != null) {
			this.all.tree(document).forEachEntry((name, json) -> values.put(name, json.toString()));
		}
		Map<String, Field> fields = new HashMap<>();
		pairs(reply, 2, split).forEach((key, state) -> {
			if (key.startsWith("f:")) {
				String name = key.substring(2);
				String[] parts = state.split(" ");
				String json = (parts.length > 1) ? list(values, name, parts) : values.get(name);
				if (json != null) {
					fields.put(name, new Field(Long.parseLong(parts[0]), json));
				}
			}
		});
		// Fields that other programs have written have no version
		values.forEach((name, json) -> {
			if (name.indexOf('\0') < 0) {
				fields.putIfAbsent(name, new Field(0, json));
			}
		});
		return new WorkspaceSnapshot(reply.number(0), fields, this.all.json().mapper());
	}

	private static Map<String, String> pairs(ScriptReply reply, int from, int to) {
		Map<String, String> pairs = new HashMap<>();
		for (int i = from; i < to; i += 2) {
			pairs.put(reply.text(i), reply.text(i + 1));
		}
		return pairs;
	}

	private static @Nullable String list(Map<String, String> values, String name, String[] state) {
		String entries = LongStream.range(Long.parseLong(state[1]), Long.parseLong(state[2]))
			.mapToObj((index) -> values.get(name + '\0' + index))
			.filter(Objects::nonNull)
			.collect(Collectors.joining(","));
		return entries.isEmpty() ? null : "[" + entries + "]";
	}

	@Override
	public CompletableFuture<StateChanges> changesAsync(long since) {
		Assert.isTrue(since >= 0, () -> "since must be at least 0, was " + since);
		return run(CHANGES, this.keys, since, Arguments.MAX_COUNT).thenApply((reply) -> changes(since, reply));
	}

	private static StateChanges changes(long since, ScriptReply reply) {
		List<ScriptReply> parts = reply.parts();
		long version = parts.get(0).number(0);
		List<StateChange> changes = parts.stream().skip(1).map(RedisWorkspace::changed).toList();
		boolean gap = changes.isEmpty() ? version != since : changes.get(0).version() != since + 1;
		return new StateChanges(changes, version, parts.get(0).number(1), gap);
	}

	private static StateChange changed(ScriptReply entry) {
		String agent = entry.text(6);
		Map<String, StateChange.Kind> fields = new HashMap<>();
		for (int i = 7; i < entry.size(); i += 2) {
			fields.put(entry.text(i + 1), StateChange.Kind.valueOf(entry.text(i).toUpperCase(Locale.ROOT)));
		}
		return new StateChange(entry.number(0), entry.text(2), agent.isEmpty() ? null : agent,
				Instant.ofEpochMilli(entry.number(4)), fields);
	}

	@Override
	public ChangeSubscription listen(long since, ChangeListener listener) {
		RedisChangeFeed feed = new RedisChangeFeed(this, since, listener);
		feed.read();
		return feed;
	}

	@Override
	public CompletableFuture<List<String>> joinAsync(String agent) {
		return agents("join", Arguments.name("agent", agent), NOTHING, NOTHING).thenApply(RedisWorkspace::members);
	}

	@Override
	public CompletableFuture<List<String>> membersAsync() {
		return agents("list", NOTHING, NOTHING, NOTHING).thenApply(RedisWorkspace::members);
	}

	@Override
	public CompletableFuture<Boolean> rememberAsync(String agent, String field, @Nullable Object value) {
		byte[] json = write(field, value);
		return agents("remember", Arguments.name("agent", agent), field, (value != null) ? json : NOTHING)
			.thenApply((reply) -> reply.number(0) > 0);
	}

	@Override
	public CompletableFuture<WorkspaceSnapshot> memoryAsync(String agent) {
		return agents("recall", Arguments.name("agent", agent), NOTHING, NOTHING).thenApply((reply) -> {
			Map<String, Field> fields = new HashMap<>();
			pairs(reply, 0, reply.size()).forEach((name, json) -> fields.put(name, new Field(0, json)));
			return new WorkspaceSnapshot(0, fields, this.all.json().mapper());
		});
	}

	private CompletableFuture<ScriptReply> agents(String action, String agent, String field, Object value) {
		StateProperties settings = this.all.properties();
		return run(AGENTS, keys(agent), action, agent, settings.ttl().toMillis(), settings.memberTtl().toMillis(),
				field, value);
	}

	private static List<String> members(ScriptReply reply) {
		return IntStream.range(0, reply.size()).mapToObj(reply::text).toList();
	}

}
