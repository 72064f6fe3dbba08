// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.state;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.ge.redis.core.consume.ConsumerThreads;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.json.FieldJson;
import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.key.RedisKey;
import io.ge.redis.core.structure.Arguments;
import io.ge.redis.core.structure.StructureCalls;
import io.ge.redis.state.StateProperties.Storage;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.util.Assert;

/**
 * Workspaces in Redis: {@code {session:101}:workspace} and its siblings;
 * {@code change.lua} says what each is.
 *
 * @param redis the Redis of workspaces
 * @param threads call listeners and the functions of updates
 * @param json writes and reads the fields
 * @param events notified of changes
 */
public record RedisWorkspaces(StateProperties properties, StructureCalls redis, Supplier<ConsumerThreads> threads,
		FieldJson json, GuardEvents events) implements Workspaces {

	/** Servers read some more. */
	private static final int MAX_DEPTH = 100;

	/** Creates workspaces whose JSON is made by the mapper of the application. */
	public RedisWorkspaces(StateProperties properties, StructureCalls redis, Supplier<ConsumerThreads> threads,
			JsonMapper mapper, GuardEvents events) {
		this(properties, redis, threads, new FieldJson(mapper), events);
	}

	@Override
	public Workspace open(String kind, String id) {
		String root = "{" + Arguments.name("kind", kind) + ":" + Arguments.name("id", id) + "}:";
		List<RedisKey> keys = Stream
			.of("workspace", "workspace:meta", "workspace:changes", "workspace:operations", "directory:agents")
			.map((name) -> KeySpace.shared(root + name))
			.toList();
		return new RedisWorkspace(this, kind, root, keys, "", null);
	}

	/** Checks the name of a field. */
	String field(String field) {
		Arguments.name("field", field);
		Assert.isTrue(!inDocuments() || (field.indexOf('"') < 0 && field.indexOf('\\') < 0),
				"field must have neither quotes nor backslashes while ge.redis.state.storage is json");
		return field;
	}

	/** Writes a value as JSON, unless Redis would not keep it as it is. */
	byte[] write(String field, @Nullable Object value) {
		byte[] json = this.json.write("The value for field '" + field + "'", value);
		Assert.isTrue(json.length <= this.properties.maxValueSize().toBytes(),
				() -> "Field '" + field + "' has " + json.length + " bytes as JSON, more than"
						+ " ge.redis.state.max-value-size, which is " + this.properties.maxValueSize()
						+ ". Split it into fields or list entries");
		Assert.isTrue(!inDocuments() || fits(tree(new String(json, StandardCharsets.UTF_8)), MAX_DEPTH),
				() -> "The value for field '" + field + "' does not fit into a JSON document of Redis: it has a number"
						+ " beyond 64 bits, or is nested more than " + MAX_DEPTH
						+ " deep. Write the number as text, or set ge.redis.state.storage=hash");
		return json;
	}

	private boolean inDocuments() {
		return this.properties.storage() == Storage.JSON;
	}

	/** Reads JSON with decimals as they were written. */
	JsonNode tree(String json) {
		return this.json.mapper().reader().with(JsonNodeFeature.USE_BIG_DECIMAL_FOR_FLOATS).readTree(json);
	}

	private static boolean fits(JsonNode value, int depth) {
		if (value.isIntegralNumber()) {
			return value.canConvertToLong();
		}
		if (value.isNumber()) {
			double nearest = value.decimalValue().doubleValue();
			return Double.isFinite(nearest) && BigDecimal.valueOf(nearest).compareTo(value.decimalValue()) == 0;
		}
		return !value.isContainer() || (depth > 0 && value.valueStream().allMatch((each) -> fits(each, depth - 1)));
	}

}
