// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.consume;

import java.lang.reflect.Type;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

import io.ge.redis.NotRetryableException;
import io.ge.redis.core.json.RoundTrips;
import io.ge.redis.core.json.TypedJson;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.util.function.SingletonSupplier;
import org.springframework.util.unit.DataSize;

/**
 * Payloads as JSON, read by the declared type of a listener. Their publisher does not
 * know that type, so {@link TypedJson} writes them.
 *
 * @param mapper reads them
 * @param writer writes them
 */
public record JsonPayloads(Supplier<JsonMapper> mapper, Supplier<JsonMapper> writer) {

	public JsonPayloads(Supplier<JsonMapper> application) {
		this(SingletonSupplier.of(application), SingletonSupplier.of(() -> TypedJson.mapper(application.get())));
	}

	/**
	 * Writes a payload.
	 * @param place where it goes, for messages, such as {@code queue 'mail'}
	 * @throws IllegalArgumentException if it cannot be written
	 */
	public byte[] write(Object payload, String place) {
		try {
			return this.writer.get().writeValueAsBytes(payload);
		}
		catch (JacksonException ex) {
			throw new IllegalArgumentException("A " + payload.getClass().getName() + " for " + place
					+ " cannot be written as JSON. Make it a type that Jackson writes and reads, such as a record", ex);
		}
	}

	/**
	 * Writes a payload that may not be larger than {@code max-payload-size}.
	 * @param property where that is set, such as
	 * {@code ge.redis.queue.queues.mail.max-payload-size}
	 * @throws IllegalArgumentException also if it is larger; says what to write
	 */
	public byte[] write(Object payload, String place, DataSize most, String property) {
		byte[] json = write(payload, place);
		if (json.length > most.toBytes()) {
			throw tooLarge(json.length, place, most, property, "");
		}
		return json;
	}

	/**
	 * Returns the refusal of a payload that is too large.
	 * @param remedy a further one, with a comma at its end, or empty
	 */
	public static IllegalArgumentException tooLarge(long bytes, String place, DataSize most, String property,
			String remedy) {
		return new IllegalArgumentException(
				"The payload for " + place + " has " + bytes + " bytes as JSON, more than " + most.toBytes()
						+ ". Send a reference to what is stored elsewhere, " + remedy + "or raise " + property);
	}

	/**
	 * Checks that payloads of the declared type can be read.
	 * @throws io.ge.redis.GuardConfigurationException if they cannot
	 */
	public void verify(ListenerMethod listener) {
		String obstacle = new RoundTrips(this.mapper, () -> 0)
			.obstacle(this.mapper.get().constructType(listener.payloadType()));
		if (obstacle != null) {
			throw listener.method()
				.problem("its payload cannot be read from JSON: " + obstacle + ".",
						"Use a type that Jackson writes and reads, such as a record.");
		}
	}

	/**
	 * Returns the reader of a pattern whose messages have no headers.
	 * @param json the payload of a message
	 * @param envelope the message around a payload that was read
	 */
	public <T> MessageReader<T> reader(Function<T, byte[]> json,
			BiFunction<Delivery<T>, @Nullable Object, Object> envelope) {
		return new MessageReader<>((delivery, type) -> read(json.apply(delivery.message()), type), envelope,
				(delivery) -> Map.of());
	}

	private @Nullable Object read(byte[] json, Type type) {
		JsonMapper mapper = this.mapper.get();
		try {
			return mapper.readerFor(mapper.constructType(type)).readValue(json);
		}
		catch (JacksonException ex) {
			throw new NotRetryableException("The payload cannot be read as " + type.getTypeName(), ex);
		}
	}

}
