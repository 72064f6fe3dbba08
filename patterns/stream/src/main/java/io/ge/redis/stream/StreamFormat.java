// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.stream;

import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import io.ge.redis.NotRetryableException;
import io.ge.redis.core.consume.Delivery;
import io.ge.redis.core.consume.JsonPayloads;
import io.ge.redis.core.consume.MessageReader;
import io.ge.redis.stream.StreamEvent.Kind;
import io.ge.redis.stream.StreamProperties.Foreign;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/**
 * Messages as fields of an entry: text, with context and payload as JSON by their
 * declared types.
 */
record StreamFormat(JsonPayloads payloads) {

	private static final TypeReference<Map<String, Object>> CONTEXT = new TypeReference<>() {
	};

	/**
	 * Writes a message, and keeps its payload apart from that many bytes on.
	 * @throws IllegalArgumentException if Jackson cannot write it
	 */
	Written write(StreamMessage message, String trigger, int depth, @Nullable String traceparent, long threshold) {
		List<Object> fields = new ArrayList<>(
				List.of(StreamFields.MARK, StreamFields.FORMAT, StreamEntry.TRIGGER, trigger));
		put(fields, StreamEntry.DEPTH, (depth > 0) ? String.valueOf(depth) : null);
		put(fields, StreamEntry.WORK_ITEM, message.workItem());
		put(fields, StreamEntry.CONTEXT, message.context().isEmpty() ? null : json(message.context()));
		put(fields, StreamEntry.TRIGGERED_BY, message.triggeredBy());
		put(fields, StreamEntry.REASON, message.reason());
		put(fields, StreamEntry.TRACEPARENT, traceparent);
		byte[] payload = (message.payload() != null) ? json(message.payload()) : null;
		if (payload == null || payload.length < threshold) {
			put(fields, StreamEntry.PAYLOAD, payload);
			return new Written(fields, "", new byte[0]);
		}
		String body = UUID.randomUUID().toString();
		put(fields, StreamEntry.BODY, body);
		return new Written(fields, body, payload);
	}

	private static void put(List<Object> fields, String name, @Nullable Object value) {
		if (value != null) {
			fields.add(name);
			fields.add(value);
		}
	}

	private byte[] json(Object value) {
		return this.payloads.write(value, "a stream");
	}

	MessageReader<StreamEntry> reader(StreamDefinition definition, boolean deadLetters) {
		return new MessageReader<>(
				(delivery, type) -> deadLetters ? deadLetter(definition, delivery.message())
						: payload(delivery.message(), type, definition.properties().foreign()),
				(delivery, payload) -> envelope(definition.name(), delivery, payload), StreamFormat::headers);
	}

	private static DeadLetter deadLetter(StreamDefinition definition, StreamEntry entry) {
		return deadLetter(definition, entry.keys().stream(), entry.id(), entry.fields());
	}

	private @Nullable Object payload(StreamEntry entry, Type type, Foreign ifForeign) {
		String version = entry.fields().format();
		boolean foreign = version == null;
		if (foreign && ifForeign == Foreign.REFUSE) {
			throw new UnreadableMessageException(Kind.UNREADABLE, entry,
					"does not begin with the field '" + StreamFields.MARK + "'", null);
		}
		if (!foreign && !StreamFields.FORMAT.equals(version)) {
			throw new UnreadableMessageException(Kind.UNREADABLE, entry, "has the format version '" + version
					+ "', and this instance reads " + StreamFields.FORMAT + ". Start the newer version, and replay it",
					null);
		}
		boolean apart = !entry.bodyId().isEmpty();
		if (apart && entry.body() == null) {
			throw new UnreadableMessageException(Kind.BODY_EXPIRED, entry,
					"has lost its body. Raise claim-check.ttl, or look at why it was taken so late", null);
		}
		byte[] payload = apart ? entry.body() : entry.fields().bytes(StreamEntry.PAYLOAD);
		JsonMapper json = this.payloads.mapper().get();
		try {
			if (payload == null && foreign) {
				return json.convertValue(entry.fields(), json.constructType(type));
			}
			return (payload != null) ? json.readValue(payload, json.constructType(type)) : null;
		}
		catch (JacksonException | IllegalArgumentException ex) {
			// The message of the exception may quote the payload
			throw new UnreadableMessageException(Kind.UNREADABLE, entry,
					"has no JSON of a " + type.getTypeName() + " as its payload: " + ex.getClass().getName(), ex);
		}
	}

	private StreamEnvelope<?> envelope(String name, Delivery<StreamEntry> delivery, @Nullable Object payload) {
		StreamEntry entry = delivery.message();
		StreamFields fields = entry.fields();
		return new StreamEnvelope<@Nullable Object>(name, entry.keys().stream(), entry.id(), entry.trigger(),
				entry.depth(), entry.time(), delivery.attempt(), fields.own(StreamEntry.WORK_ITEM), context(entry),
				fields.own(StreamEntry.TRIGGERED_BY), fields.own(StreamEntry.REASON), entry.traceparent(), payload);
	}

	private Map<String, Object> context(StreamEntry entry) {
		String context = entry.fields().own(StreamEntry.CONTEXT);
		try {
			return (context != null) ? this.payloads.mapper().get().readValue(context, CONTEXT) : Map.of();
		}
		catch (JacksonException ex) {
			throw new UnreadableMessageException(Kind.UNREADABLE, entry, "has no JSON object as its context", ex);
		}
	}

	private static Map<String, String> headers(Delivery<StreamEntry> delivery) {
		Map<String, String> headers = new LinkedHashMap<>(delivery.message().fields());
		headers.remove(StreamEntry.PAYLOAD);
		return headers;
	}

	static DeadLetter deadLetter(StreamDefinition definition, String key, String id, StreamFields letter) {
		StreamFields headers = letter.headers();
		StreamFields original = letter.original();
		Map<String, String> all = new LinkedHashMap<>(headers);
		original.forEach(all::putIfAbsent);
		String deliveries = headers.getOrDefault("kafka_deliveryAttempt", "");
		return new DeadLetter(definition.name(), headers.getOrDefault("kafka_dlt-original-topic", key), id,
				headers.getOrDefault("kafka_dlt-original-offset", ""),
				headers.getOrDefault("kafka_dlt-original-consumer-group", ""),
				deliveries.matches("\\d{1,9}") ? Integer.parseInt(deliveries) : 0,
				headers.getOrDefault("ge_dlt-reason", ""), headers.get("kafka_dlt-exception-fqcn"),
				headers.get("kafka_dlt-exception-message"), original.own(StreamEntry.WORK_ITEM), all);
	}

	/**
	 * Returns why a listener gave a message up.
	 */
	static Kind reason(@Nullable Throwable failure) {
		return (failure instanceof UnreadableMessageException unreadable) ? unreadable.reason : Kind.REJECTED;
	}

	/**
	 * A message as alternating names and values, with a body that is kept apart and its
	 * id.
	 */
	record Written(List<Object> fields, String bodyId, byte[] body) {

		/**
		 * Returns the size of context and payload, without a body kept apart, in bytes;
		 * or of all text, in characters, if that is more.
		 */
		long size() {
			long json = this.fields.stream().mapToLong((each) -> (each instanceof byte[] one) ? one.length : 0).sum();
			long text = this.fields.stream().mapToLong((each) -> (each instanceof String one) ? one.length() : 0).sum();
			return Math.max(json, text);
		}

	}

	private static final class UnreadableMessageException extends NotRetryableException {

		private final Kind reason;

		UnreadableMessageException(Kind reason, StreamEntry entry, String problem, @Nullable Throwable cause) {
			super("Message " + entry.id() + " of '" + entry.keys().stream() + "' " + problem, cause);
			this.reason = reason;
		}

	}

}
