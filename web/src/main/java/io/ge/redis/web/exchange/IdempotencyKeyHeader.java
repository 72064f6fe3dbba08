// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
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
import org.reactivestreams.Publisher;

import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedMethod;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.http.HttpEntity;
import org.springframework.http.codec.multipart.Part;
import org.springframework.util.StringUtils;
import org.springframework.web.bind.annotation.MatrixVariable;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RequestPart;
import org.springframework.web.multipart.MultipartFile;

/**
 * Takes the keys of web handlers from the request header {@code Idempotency-Key}, and
 * compares HTTP method, path, parameters and the bytes of the body. The bytes are not
 * seen without a filter of ours in front, or if the body was read before the handler was
 * known. Then the arguments that are bound from path, parameters and body take their
 * place. Replayed responses carry {@code Idempotent-Replayed: true}.
 */
class IdempotencyKeyHeader implements IdempotencyKeySource {

	/** Response header of replayed responses. */
	static final String REPLAYED = "Idempotent-Replayed";

	private static final int MAX_LENGTH = 255;

	private static final int DEEPEST = 8;

	private static final String UNESCAPED = "[ !#-\\[\\]-~]*+";

	// A string of RFC 8941, as the draft of the header wants it, or the bare characters,
	// as most clients send them; possessive, so that long values take no stack
	private static final Pattern KEY = Pattern
		.compile("\"(" + UNESCAPED + "(?:\\\\[\"\\\\]" + UNESCAPED + ")*+)\"|([!#-~]*+)");

	// Decide on the result whether the caller may have it
	private static final List<String> CHECKS = List.of("org.springframework.security.access.prepost.PostAuthorize",
			"org.springframework.security.access.prepost.PostFilter");

	private static final List<Class<? extends Annotation>> CONTENT = List.of(RequestBody.class, RequestPart.class,
			RequestParam.class, PathVariable.class, MatrixVariable.class, ModelAttribute.class);

	/** Types of arguments that can be read only once, besides those of servlets. */
	private static final List<Class<?>> STREAMED = List.of(Publisher.class, Part.class, MultipartFile.class);

	private final Supplier<String> header;

	private final HandlerRequests requests;

	private final Map<Method, GuardedHandler> guarded = new ConcurrentHashMap<>();

	IdempotencyKeyHeader(Supplier<String> header, HandlerRequests requests) {
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
			if (isBound(parameter)) {
				bound.add(parameter.getParameterIndex());
			}
		}
		GuardedHandler handler = new GuardedHandler(method.method(),
				ResolvableType.forType(ReturnTypes.promised(method)).resolve(Object.class),
				!ReturnTypes.form(method).isPlain(), has(method, "key"), !has(method, "fingerprint"));
		this.guarded.put(method.method(), handler);
		return new Requests(this.header, this.requests, method.method(), bound, isResultChecked(method));
	}

	/**
	 * Returns whether an argument is bound from the content of the request by an
	 * annotation or by its type. Others are bound from parameters, which are compared
	 * anyway, or differ in a repetition.
	 */
	private static boolean isBound(MethodParameter parameter) {
		return !isStreamed(ResolvableType.forMethodParameter(parameter))
				&& (HttpEntity.class.isAssignableFrom(parameter.getParameterType())
						|| CONTENT.stream().anyMatch(parameter::hasParameterAnnotation));
	}

	private static boolean isStreamed(ResolvableType type) {
		return isStreamed(type, 0);
	}

	// A collection may have elements of its own type
	private static boolean isStreamed(ResolvableType type, int depth) {
		Class<?> known = type.resolve(Object.class);
		if (known.isArray() || Collection.class.isAssignableFrom(known)) {
			return depth < DEEPEST && isStreamed(
					known.isArray() ? type.getComponentType() : type.asCollection().getGeneric(), depth + 1);
		}
		return known.getPackageName().equals("jakarta.servlet.http")
				|| STREAMED.stream().anyMatch((streamed) -> streamed.isAssignableFrom(known));
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

	boolean isGuarded(Method handler) {
		return this.guarded.containsKey(handler);
	}

	/**
	 * Returns the guarded handler of a request that may have a key.
	 * @param headers whether the request has a header
	 */
	@Nullable GuardedHandler find(Method handler, Predicate<String> headers) {
		GuardedHandler known = this.guarded.get(handler);
		return (known != null && (known.isKeyOwn() || headers.test(this.header.get()))) ? known : null;
	}

	private record Requests(Supplier<String> header, HandlerRequests requests, Method method, List<Integer> bound,
			boolean resultChecked) implements Calls {

		@Override
		public @Nullable String key() {
			HandlerRequests.Current current = this.requests.current();
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
			HandlerRequests.Current current = this.requests.current();
			List<@Nullable Object> content = (current != null) ? current.content(this.method) : null;
			return (content != null) ? content : fields(current, arguments);
		}

		private List<@Nullable Object> fields(HandlerRequests.@Nullable Current current, @Nullable Object[] arguments) {
			List<@Nullable Object> payload = new ArrayList<>();
			if (current != null) {
				payload.addAll(current.contentWithoutBody());
			}
			for (int index : this.bound) {
				payload.add((arguments[index] instanceof HttpEntity<?> entity) ? entity.getBody() : arguments[index]);
			}
			return payload;
		}

		@Override
		public @Nullable IdempotentExchange exchange() {
			if (this.resultChecked) {
				// The check must see the replayed value, so that is kept
				return null;
			}
			HandlerRequests.Current current = this.requests.current();
			return (current != null) ? current.exchange(this.method) : null;
		}

		@Override
		public Runnable replaying() {
			HandlerRequests.Current current = this.requests.current();
			return (current != null) ? current.replaying() : () -> {
			};
		}

	}

	/** A handler whose responses are kept. */
	record GuardedHandler(Method method, Class<?> result, boolean isLater, boolean isKeyOwn, boolean isBodyCompared) {
	}

}
