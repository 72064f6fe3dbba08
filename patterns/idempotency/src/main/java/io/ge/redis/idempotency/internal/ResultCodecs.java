// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.io.InputStream;
import java.io.OutputStream;
import java.io.Reader;
import java.io.Writer;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.BaseStream;

import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.json.RoundTrips;
import io.ge.redis.core.json.StoredJson;
import io.ge.redis.idempotency.spi.ResultCodec;
import io.ge.redis.idempotency.spi.ResultCodecFactory;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ResolvableType;
import org.springframework.core.io.InputStreamSource;
import org.springframework.util.function.SingletonSupplier;

/**
 * Chooses the codec of a method and refuses return types whose results cannot be kept.
 */
final class ResultCodecs {

	private static final List<Class<?>> STREAMING = List.of(InputStream.class, OutputStream.class, Reader.class,
			Writer.class, BaseStream.class, Iterator.class, InputStreamSource.class, Callable.class);

	private final Supplier<JsonMapper> mapper;

	private final Supplier<JsonMapper> answers;

	private final Supplier<List<ResultCodecFactory>> factories;

	private final LongSupplier maxBytes;

	private final RoundTrips roundTrips;

	private final Map<List<Object>, ResultCodec> values = new ConcurrentHashMap<>();

	public ResultCodecs(Supplier<JsonMapper> mapper, DoubleSupplier verified,
			Supplier<List<ResultCodecFactory>> factories, LongSupplier maxBytes) {
		this.mapper = SingletonSupplier.of(() -> StoredJson.mapper(mapper.get()));
		this.answers = SingletonSupplier.of(() -> JsonResultCodec.answersMapper(mapper.get()));
		this.roundTrips = new RoundTrips(this.mapper, verified);
		this.factories = factories;
		this.maxBytes = maxBytes;
	}

	public ResultCodec forMethod(String name, GuardedMethod method, ResultForm form) {
		ResolvableType type = ResolvableType.forMethodReturnType(method.method(), method.targetClass());
		if (form.isPlain()) {
			return forResult(name, method, type);
		}
		ResolvableType promised = promised(type, form);
		if (form.kind() != ResultForm.Kind.MULTIPLE) {
			return forResult(name, method, promised);
		}
		requireNoStream(method, promised);
		requireDeclared(method, promised);
		return new StreamCodec(forValue(name, promised),
				forValue(name, ResolvableType.forClassWithGenerics(List.class, promised)), maxBytes());
	}

	private static ResolvableType promised(ResolvableType type, ResultForm form) {
		if (form == ResultForm.SUSPENDING) {
			return type;
		}
		ReactiveAdapter adapter = form.adapter();
		return (adapter != null && adapter.getDescriptor().isNoValue()) ? ResolvableType.forClass(Void.class)
				: type.getGeneric();
	}

	private ResultCodec forResult(String name, GuardedMethod method, ResolvableType type) {
		for (ResultCodecFactory factory : this.factories.get()) {
			ResultCodec codec = factory.create(method, type, (value, answered) -> {
				requireNoStream(method, value);
				return forValue(name, value, answered);
			});
			if (codec != null) {
				return codec;
			}
		}
		requireNoStream(method, type);
		requireDeclared(method, type);
		return forValue(name, type);
	}

	public ResultCodec forValue(String name, ResolvableType type) {
		return forValue(name, type, false);
	}

	private ResultCodec forValue(String name, ResolvableType type, boolean answered) {
		List<Object> key = List.of(name, type, answered);
		ResultCodec known = this.values.get(key);
		if (known == null) {
			known = new JsonResultCodec(name, answered ? this.answers : this.mapper, this.roundTrips, type, answered,
					this.maxBytes.getAsLong());
			this.values.put(key, known);
		}
		return known;
	}

	public long maxBytes() {
		return this.maxBytes.getAsLong();
	}

	private static void requireNoStream(GuardedMethod method, ResolvableType type) {
		Class<?> raw = type.resolve();
		for (Class<?> streaming : STREAMING) {
			if (raw != null && streaming.isAssignableFrom(raw)) {
				throw method.problem(
						"results of type " + raw.getSimpleName() + " can be read only once, so none can be kept.",
						"Return a value that holds the whole result.");
			}
		}
	}

	private static void requireDeclared(GuardedMethod method, ResolvableType type) {
		if (type.resolve() == Object.class || !isResolvable(type)) {
			throw method.problem(
					"the return type " + type.getType().getTypeName() + " does not say what to read a kept result as.",
					"Declare the type of the result.");
		}
	}

	private static boolean isResolvable(ResolvableType type) {
		if (type.resolve() == null) {
			return false;
		}
		for (ResolvableType generic : type.getGenerics()) {
			if (!isResolvable(generic)) {
				return false;
			}
		}
		return true;
	}

}
