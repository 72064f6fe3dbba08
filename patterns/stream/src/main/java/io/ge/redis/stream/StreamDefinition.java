// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.stream;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.core.invocation.KeyText;
import io.ge.redis.core.invocation.NotConfiguredException;
import io.ge.redis.stream.StreamProperties.Definition;
import org.jspecify.annotations.Nullable;

/**
 * A definition with the keys of its streams: one, or one for each combination of the
 * variables, each times the partitions.
 *
 * @param members the partitions of each combination
 * @param streams all of them
 * @param dedup the parts of its dedup key
 */
record StreamDefinition(String name, Definition properties, RedisStreams redis,
		Map<Map<String, String>, List<StreamKeys>> members, List<StreamKeys> streams, List<String> dedup) {

	private static final Pattern VARIABLE = Pattern.compile("\\{([^{}]*)}");

	private static final int MOST_STREAMS = 10_000;

	StreamDefinition(String name, Definition properties, RedisStreams redis) {
		this(name, properties, redis, new LinkedHashMap<>(), new ArrayList<>(),
				variables((properties.dedupKey() != null) ? properties.dedupKey() : ""));
		checkVariables();
		addMembers(List.copyOf(properties.variables().entrySet()), new TreeMap<>());
	}

	private void checkVariables() {
		for (String variable : variables(pattern())) {
			if (!this.properties.variables().containsKey(variable)) {
				throw problem("key", "'{" + variable + "}' has no values.",
						"Write them to " + place("variables." + variable) + ", or take the braces out of the key.");
			}
		}
		this.properties.variables().keySet().forEach((variable) -> {
			if (!pattern().contains("{" + variable + "}")) {
				throw problem("variables." + variable, "the key does not have '{" + variable + "}'.",
						"Write it into " + place("key") + ", or remove the variable.");
			}
		});
		for (String part : this.dedup) {
			if (!part.matches("workItem|triggeredBy|reason|context\\..+")
					&& !this.properties.variables().containsKey(part)) {
				throw problem("dedup-key", "'{" + part + "}' is not known.",
						"Write {workItem}, {triggeredBy}, {reason}, {context.<name>} or a variable of the family.");
			}
		}
	}

	private static List<String> variables(String text) {
		return VARIABLE.matcher(text).results().map((found) -> found.group(1)).toList();
	}

	private void addMembers(List<Map.Entry<String, List<String>>> open, TreeMap<String, String> chosen) {
		if (!open.isEmpty()) {
			for (String value : open.get(0).getValue()) {
				chosen.put(open.get(0).getKey(), value);
				addMembers(open.subList(1, open.size()), chosen);
			}
			return;
		}
		List<StreamKeys> partitions = isOrdered()
				? IntStream.range(0, partitions()).mapToObj((i) -> keys(chosen, "." + i)).toList()
				: List.of(keys(chosen, ""));
		this.members.put(Map.copyOf(chosen), partitions);
		this.streams.addAll(partitions);
		if (this.members.size() > MOST_STREAMS) {
			throw problem("variables", "they give more than " + MOST_STREAMS + " streams.", "List fewer values.");
		}
	}

	// The tag of the keys beside a stream is its whole key, so all of them share its slot
	private StreamKeys keys(Map<String, String> variables, String partition) {
		String key = fill(pattern(), variables) + partition;
		String dead = this.properties.deadLetter().key();
		StreamKeys keys = this.redis.keys(key, (dead != null) ? fill(dead, variables) + partition : null);
		if (keys == null) {
			throw problem("key", "'" + key + "' cannot be the hash tag of the keys beside it.",
					"Write a key of at most 200 bytes without braces, '%' and empty parts between colons.");
		}
		if (this.redis.isClustered() && !keys.dead().contains("{" + key + "}")) {
			throw problem("dead-letter.key", "it is in another slot of the Cluster than the stream.",
					partition.isEmpty() ? deadLetterRemedy() : "Leave it out.");
		}
		return keys;
	}

	String deadLetterRemedy() {
		return "Write '{" + pattern() + "}:dead', or leave it out.";
	}

	private static String fill(String text, Map<String, String> values) {
		return VARIABLE.matcher(text)
			.replaceAll((found) -> Matcher.quoteReplacement(values.getOrDefault(found.group(1), found.group())));
	}

	private String pattern() {
		return String.valueOf(this.properties.key());
	}

	GuardConfigurationException problem(String property, String problem, String remedy) {
		return new GuardConfigurationException(place(property), problem, remedy);
	}

	String place(String property) {
		return "ge.redis.stream.definitions." + this.name + "." + property;
	}

	boolean isOrdered() {
		return this.properties.partitions() != null;
	}

	/** Returns the number of partitions, 0 for none. */
	int partitions() {
		return Objects.requireNonNullElse(this.properties.partitions(), 0);
	}

	/**
	 * Returns the streams that it has had and has no longer.
	 * @param most the most partitions that it has had
	 */
	Stream<StreamKeys> former(int most) {
		return this.members.keySet()
			.stream()
			.flatMap((variables) -> Stream
				.concat(isOrdered() ? Stream.of("") : Stream.of(),
						IntStream.range(partitions(), most).mapToObj((i) -> "." + i))
				.map((partition) -> keys(variables, partition)));
	}

	void requireFinished(String former, long[] figures, long most) {
		for (StreamView.GroupView group : StreamControl.view(this, former, List.of(figures), List.of()).groups()) {
			if (group.pending() > 0 || group.oldestUnread() != null) {
				throw problem("partitions",
						"'" + former + "' is none of them any more, and has " + group.pending() + " pending and "
								+ (group.lagKnown() ? group.lag() : "more") + " unread messages of group '"
								+ group.name() + "'.",
						(most > partitions() ? "Set it to " + most : "Leave it out")
								+ " until they are handled, or delete that stream.");
			}
		}
	}

	public int maxLength() {
		// Checked where it is set
		return Objects.requireNonNullElse(this.properties.maxLength(), 1);
	}

	StreamKeys stream(Map<String, String> variables, StreamMessage message) {
		List<StreamKeys> partitions = this.members.get(variables);
		if (partitions == null) {
			throw new NotConfiguredException("member of stream", this.name,
					"Write these values of " + variables.keySet() + " to " + place("variables") + ".");
		}
		if (message.orderKey() != null && !isOrdered()) {
			throw new IllegalArgumentException("A message to stream '" + this.name
					+ "' has an order key, which counts only with " + place("partitions") + ", such as 8");
		}
		CRC32 hash = new CRC32();
		hash.update(String.valueOf(message.orderKey()).getBytes(StandardCharsets.UTF_8));
		return partitions.get((int) (hash.getValue() % partitions.size()));
	}

	// Null if nothing shows whether it was published before
	@Nullable String dedupKey(StreamMessage message, Map<String, String> variables) {
		boolean remembers = this.properties.dedupWindow() != null;
		if (!remembers && message.dedupKey() != null) {
			throw new IllegalArgumentException("A message to stream '" + this.name
					+ "' has a dedup key, which counts only with " + place("dedup-window") + ", such as 5m");
		}
		if (!remembers || message.dedupKey() != null) {
			return remembers ? "k" + message.dedupKey() : null;
		}
		StringBuilder key = new StringBuilder("d");
		boolean known = false;
		for (String part : this.dedup) {
			Object value = value(part, message, variables);
			known |= value != null;
			String text = (value instanceof String plain) ? plain : (value != null)
					? KeyText.ofIncomplete(List.of(value), "The dedup key of stream '" + this.name + "'").get(0) : "";
			// With its length, so that no two lists of values give the same key
			key.append(text.length()).append(':').append(text);
		}
		return known ? key.toString() : (message.triggerId() != null) ? "t" + message.triggerId() : null;
	}

	private static @Nullable Object value(String part, StreamMessage message, Map<String, String> variables) {
		return switch (part) {
			case "workItem" -> message.workItem();
			case "triggeredBy" -> message.triggeredBy();
			case "reason" -> message.reason();
			default -> part.startsWith("context.") ? message.context().get(part.substring("context.".length()))
					: variables.get(part);
		};
	}

}
