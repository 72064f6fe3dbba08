// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.ReturnTypes;
import io.ge.redis.idempotency.IdempotencyKeyException;
import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.idempotency.spi.IdempotencyKeySource;
import io.ge.redis.idempotency.spi.IdempotentExchange;
import org.jspecify.annotations.Nullable;

import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedMethod;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.StringUtils;

/**
 * Takes the keys of web handlers from the request header {@code Idempotency-Key}, and
 * compares HTTP method, path, parameters and the bytes of the body. The bytes are not
 * seen without a filter of ours in front, or if the body was read before the handler was
 * known. Then the arguments that are bound from path, parameters and body take their
 * place. Replayed responses carry {@code Idempotent-Replayed: true}.
 */
public class IdempotencyKeyHeader implements IdempotencyKeySource {

	/** Response header of replayed responses. */
	public static final String REPLAYED = "Idempotent-Replayed";

	private static final int MAX_LENGTH = 255;

	private static final String UNESCAPED = "[ !#-\\[\\]-~]*+";

	// A string of RFC 8941, as the draft of the header wants it, or the bare characters,
	// as most clients send them; possessive, so that long values take no stack
	private static final Pattern KEY = Pattern
		.compile("\"(" + UNESCAPED + "(?:\\\\[\"\\\\]" + UNESCAPED + ")*+)\"|([!#-~]*+)");

	// Decide on the result whether the caller may have it
	private static final List<String> CHECKS = List.of("org.springframework.security.access.prepost.PostAuthorize",
			"org.springframework.security.access.prepost.PostFilter");

	private final Supplier<String> header;

	private final HandlerRequests requests;

	private final Map<Method, GuardedHandler> guarded = new ConcurrentHashMap<>();

	public IdempotencyKeyHeader(Supplier<String> header, HandlerRequests requests) {
		this.header = header;
		this.requests = requests;
	}

	@Override
	public @Nullable Calls bind(GuardedMethod method) {
		if (!WebHandlers.isHandler(method)) {
			return null;
		}
		this.requests.require(method);
		List<Integer> bound = new ArrayList<>();
		for (MethodParameter parameter : new AnnotatedMethod(method.method()).getMethodParameters()) {
			if (RequestArguments.isBound(parameter)) {
				bound.add(parameter.getParameterIndex());
			}
		}
		GuardedHandler handler = new GuardedHandler(method.method(),
				ResolvableType.forType(ReturnTypes.promised(method)).resolve(Object.class),
				!ReturnTypes.form(method).isPlain(), has(method, "key"), !has(method, "fingerprint"));
		this.guarded.put(method.method(), handler);
		return new Requests(this.header, this.requests, method.method(), bound, isResultChecked(method));
	}

	private static boolean has(GuardedMethod method, String attribute) {
		MergedAnnotation<Idempotent> annotation = annotation(method.method());
		return (annotation.isPresent() ? annotation : annotation(method.targetClass()))
			.getValue(attribute, String.class)
			.filter(StringUtils::hasText)
			.isPresent();
	}

	private static MergedAnnotation<Idempotent> annotation(AnnotatedElement element) {
		return MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY).get(Idempotent.class);
	}

	private static boolean isResultChecked(GuardedMethod method) {
		MergedAnnotations onMethod = MergedAnnotations.from(method.method(), SearchStrategy.TYPE_HIERARCHY);
		MergedAnnotations onClass = MergedAnnotations.from(method.targetClass(), SearchStrategy.TYPE_HIERARCHY);
		return CHECKS.stream().anyMatch((check) -> onMethod.isPresent(check) || onClass.isPresent(check));
	}

	public boolean isGuarded(Method handler) {
		return this.guarded.containsKey(handler);
	}

	/**
	 * Returns the guarded handler of a request that may have a key.
	 * @param headers whether the request has a header
	 */
	public @Nullable GuardedHandler find(Method handler, Predicate<String> headers) {
		GuardedHandler known = this.guarded.get(handler);
		return (known != null && (known.isKeyOwn() || headers.test(this.header.get()))) ? known : null;
	}

	private record Requests(Supplier<String> header, HandlerRequests requests, Method method, List<Integer> bound,
			boolean resultChecked) implements Calls {

		@Override
		public @Nullable String key() {
			CurrentRequest current = this.requests.current();
			if (current == null) {
				return null;
			}
			String name = this.header.get();
			List<String> values = current.headers(name);
			if (values.isEmpty()) {
				return null;
			}
			String key = (values.size() == 1) ? parse(values.get(0)) : null;
			if (key == null) {
				throw new IdempotencyKeyException("The header " + name
						+ " must hold one key of 1 to 255 printable ASCII characters, as a string in double quotes or "
						+ "bare without spaces");
			}
			return key;
		}

		private static @Nullable String parse(String value) {
			Matcher form = KEY.matcher(value.strip());
			if (!form.matches()) {
				return null;
			}
			String quoted = form.group(1);
			String key = (quoted != null) ? quoted.replaceAll("\\\\(.)", "$1") : form.group();
			return (key.isBlank() || key.length() > MAX_LENGTH) ? null : key;
		}

		@Override
		public List<@Nullable Object> payload(@Nullable Object[] arguments) {
			CurrentRequest current = this.requests.current();
			List<@Nullable Object> content = (current != null) ? current.content(this.method) : null;
			return (content != null) ? content : fields(current, arguments);
		}

		private List<@Nullable Object> fields(@Nullable CurrentRequest current, @Nullable Object[] arguments) {
			List<@Nullable Object> payload = new ArrayList<>();
			if (current != null) {
				payload.addAll(current.contentWithoutBody());
			}
			for (int index : this.bound) {
				payload.add(RequestArguments.comparable(arguments[index],
						(argument) -> (current != null) ? current.comparable(argument) : argument));
			}
			return payload;
		}

		@Override
		public @Nullable IdempotentExchange exchange() {
			if (this.resultChecked) {
				// The check must see the replayed value, so that is kept
				return null;
			}
			CurrentRequest current = this.requests.current();
			return (current != null) ? current.exchange(this.method) : null;
		}

		@Override
		public Runnable replaying() {
			CurrentRequest current = this.requests.current();
			return (current != null) ? current.replaying() : () -> {
			};
		}

	}

}
