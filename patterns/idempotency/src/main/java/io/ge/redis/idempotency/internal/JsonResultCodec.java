// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.ge.redis.core.json.RoundTrips;
import io.ge.redis.idempotency.spi.Recording;
import io.ge.redis.idempotency.spi.ResultCodec;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.core.ResolvableType;
import org.springframework.util.function.SingletonSupplier;

/**
 * Stores a value as JSON by the declared type: no class names, no polymorphic typing but
 * what the types themselves declare. A result that {@linkplain RoundTrips would come
 * back} as something else than the first call got is lost. For results that only clients
 * get, the application's JSON has to be the same.
 */
final class JsonResultCodec implements ResultCodec {

	private static final Log logger = LogFactory.getLog(JsonResultCodec.class);

	private static final byte[] NOTHING = {};

	private final String name;

	private final RoundTrips roundTrips;

	private final Supplier<JavaType> type;

	private final Supplier<ObjectWriter> writer;

	private final Supplier<ObjectReader> reader;

	private final boolean answered;

	private final boolean isVoid;

	private final long maxBytes;

	private final Set<String> warned = ConcurrentHashMap.newKeySet();

	JsonResultCodec(String name, Supplier<JsonMapper> mapper, RoundTrips roundTrips, ResolvableType type,
			boolean answered, long maxBytes) {
		this.name = name;
		this.roundTrips = roundTrips;
		this.type = SingletonSupplier.of(() -> mapper.get().constructType(type.getType()));
		this.writer = SingletonSupplier.of(() -> mapper.get().writerFor(this.type.get()));
		this.reader = SingletonSupplier.of(() -> mapper.get().readerFor(this.type.get()));
		this.answered = answered;
		Class<?> raw = type.resolve(Object.class);
		this.isVoid = raw == void.class || raw == Void.class;
		this.maxBytes = maxBytes;
	}

	/**
	 * Returns the mapper for results that only clients get.
	 */
	static JsonMapper answersMapper(JsonMapper application) {
		return application.rebuild()
			.deactivateDefaultTyping()
			.disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
			.enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
			.disable(DateTimeFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE)
			.build();
	}

	@Override
	public Recording record(@Nullable Object result) {
		if (this.isVoid) {
			return new Recording.Stored(NOTHING);
		}
		try {
			byte[] bytes = this.writer.get().writeValueAsBytes(result);
			if (bytes.length > this.maxBytes) {
				return lost("is larger than ge.redis.idempotency.max-result-size");
			}
			if (this.answered) {
				boolean same = Arrays.equals(bytes, this.writer.get().writeValueAsBytes(replay(bytes)));
				return same ? new Recording.Stored(bytes) : lost("would be answered with other JSON");
			}
			String loss = this.roundTrips.loss(this.type.get(), result, () -> replay(bytes));
			return (loss == null) ? new Recording.Stored(bytes) : lost("would come back changed, since " + loss);
		}
		catch (JacksonException ex) {
			return lost("cannot be written as JSON: " + RoundTrips.reason(ex));
		}
	}

	private Recording lost(String why) {
		if (this.warned.add(why)) {
			logger.warn("A result of @Idempotent '" + this.name
					+ "' is not kept, and repetitions of the call are refused unless its response is: it " + why);
		}
		return new Recording.Lost();
	}

	@Override
	public @Nullable String obstacle() {
		return this.isVoid ? null : this.roundTrips.obstacle(this.type.get());
	}

	@Override
	public @Nullable Object replay(byte[] bytes) {
		return this.isVoid ? null : this.reader.get().readValue(bytes);
	}

}
