// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.bus;

import java.lang.management.ManagementFactory;
import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;

import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;

/**
 * The reports of all instances on one subject, exchanged over the bus as JSON. Each
 * instance gives its own; a pattern merges them into one view.
 * <p>
 * A report has at most 32,000 characters. If it is longer, the last elements of its
 * longest lists are left out. A report that cannot be read is ignored, since an instance
 * of another release may have another format.
 *
 * @param <R> the type of the report: a record without {@code null}, whose lists begin
 * with what matters most
 */
public final class Reports<R> {

	/** In characters that are all ASCII. */
	static final int LONGEST = 32_000;

	private static final JsonMapper JSON = JsonMapper.builder()
		.enable(JsonWriteFeature.ESCAPE_NON_ASCII)
		.enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
		.build();

	private final InstanceBus bus;

	private final String topic;

	private final Class<R> type;

	public Reports(InstanceBus bus, String topic, Class<R> type) {
		this.bus = bus;
		this.topic = topic;
		this.type = type;
	}

	/**
	 * Makes this instance give its report to all that collect it.
	 * @param report makes the report, on a thread that may work for a moment but not wait
	 */
	public void give(Function<Filter, R> report) {
		this.bus.onQuestion(this.topic,
				(question) -> write(JSON.valueToTree(report.apply(JSON.readValue(question, Filter.class)))));
	}

	private static String write(JsonNode report) {
		String text = JSON.writeValueAsString(report);
		while (text.length() > LONGEST) {
			ArrayNode longest = report.valueStream()
				.filter((value) -> value.isArray() && !value.isEmpty())
				.max(Comparator.comparing(JsonNode::size))
				.map(ArrayNode.class::cast)
				.orElseThrow();
			long kept = (long) longest.size() * LONGEST / text.length();
			while (longest.size() > kept) {
				longest.remove(longest.size() - 1);
			}
			text = JSON.writeValueAsString(report);
		}
		return text;
	}

	/**
	 * Collects the reports: one message, and one from each instance. Waits for all that
	 * receive the message, on a Cluster for all that are known. Waits for 500 ms at most,
	 * and not at all while no message would reach this instance.
	 * @return the reports; this instance's own is always included if it gives one
	 */
	public Collected<R> collect(Filter filter) {
		Questions.Answers answers = Waiting.await(this.bus.ask(this.topic, JSON.writeValueAsString(filter)));
		Map<String, R> reports = new TreeMap<>();
		answers.texts().forEach((instance, text) -> {
			R report = read(text);
			if (report != null) {
				reports.put(instance, report);
			}
		});
		return new Collected<>(this.bus.instanceId(), reports, answers.silent());
	}

	private @Nullable R read(String text) {
		try {
			return text.isEmpty() ? null : JSON.readValue(text, this.type);
		}
		catch (JacksonException ex) {
			return null;
		}
	}

	/**
	 * Returns the name of this process for reports.
	 */
	public static String process() {
		return ManagementFactory.getRuntimeMXBean().getName();
	}

	/**
	 * The entries that a report is to have.
	 *
	 * @param name the name of the entry, empty for all
	 */
	public record Filter(String name, String hash) {

		/** All entries. */
		public static final Filter ALL = new Filter("", "");

		/**
		 * Returns whether an entry is asked for.
		 * @param hash makes the hash of its key, if that matters
		 */
		public boolean includes(String name, Supplier<String> hash) {
			return equals(ALL) || (this.name.equals(name) && this.hash.equals(hash.get()));
		}

	}

	/**
	 * The reports that were collected.
	 *
	 * @param instance the id of the instance that has collected them
	 * @param silent the ids of instances that are known and have not answered in time
	 */
	public record Collected<R>(String instance, Map<String, R> reports, Set<String> silent) {
	}

}
