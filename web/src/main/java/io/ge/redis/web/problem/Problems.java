// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.problem;

import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.ge.redis.GeRedisException;
import io.ge.redis.InvalidKeyException;
import io.ge.redis.Refusal;
import io.ge.redis.web.RefusalCustomizer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.context.ApplicationContext;
import org.springframework.http.HttpHeaders;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.ErrorResponse;
import org.springframework.web.method.ControllerAdviceBean;
import org.springframework.web.method.annotation.ExceptionHandlerMappingInfo;
import org.springframework.web.method.annotation.ExceptionHandlerMethodResolver;

/**
 * Makes problems of refusals, and knows the application's own {@code @ExceptionHandler}
 * methods, on every web stack.
 */
final class Problems {

	private final Supplier<List<RefusalCustomizer>> customizers;

	private final Supplier<List<ErrorResponse.Interceptor>> interceptors;

	private final Supplier<JsonMapper> json;

	private final Supplier<List<ControllerAdviceBean>> advice;

	private final Map<Class<?>, ExceptionHandlerMethodResolver> handlers = new ConcurrentHashMap<>();

	Problems(ApplicationContext context) {
		this.customizers = all(context, RefusalCustomizer.class);
		this.interceptors = all(context, ErrorResponse.Interceptor.class);
		this.json = SingletonSupplier
			.of(() -> context.getBeanProvider(JsonMapper.class).getIfAvailable(JsonMapper::shared));
		this.advice = SingletonSupplier.of(() -> ControllerAdviceBean.findAnnotatedBeans(context));
	}

	static <T> Supplier<List<T>> all(ApplicationContext context, Class<T> type) {
		return SingletonSupplier.of(() -> context.getBeanProvider(type).orderedStream().toList());
	}

	/**
	 * Returns the problem, {@code null} if the exception is no refusal.
	 */
	@Nullable Problem of(GeRedisException exception, String path) {
		return Problem.of(exception, this.customizers.get(), this.interceptors.get(), path);
	}

	byte[] write(Problem problem) {
		return this.json.get().writeValueAsBytes(problem.members());
	}

	/**
	 * Returns whether the application has a handler for a type of ours: not one that
	 * catches everything.
	 */
	boolean areHandled(@Nullable Class<?> controller, GeRedisException exception) {
		return (controller != null && handles(controller, exception)) || this.advice.get()
			.stream()
			.anyMatch((bean) -> bean.getBeanType() != null && bean.isApplicableToBeanType(controller)
					&& handles(bean.getBeanType(), exception));
	}

	private boolean handles(Class<?> type, GeRedisException exception) {
		ExceptionHandlerMappingInfo found = this.handlers.computeIfAbsent(type, ExceptionHandlerMethodResolver::new)
			.resolveExceptionMapping(exception, MediaType.ALL);
		return found != null && found.getExceptionTypes()
			.stream()
			.anyMatch((handled) -> GeRedisException.class.isAssignableFrom(handled) && handled.isInstance(exception));
	}

	/**
	 * A refusal as it is answered over HTTP, the same on every web stack.
	 */
	record Problem(ProblemDetail detail, HttpHeaders headers) {

		private static final Log logger = LogFactory.getLog(Problem.class);

		/** Compatible with JSON itself, and with all that is of its kind. */
		private static final MediaType JSON = MediaType.valueOf("application/*+json");

		private static final int MOST_MISSING = 1000;

		/** Expressions with a logged warning that a request lacked their value. */
		private static final Set<String> MISSING = ConcurrentHashMap.newKeySet();

		/**
		 * Returns the problem, {@code null} if the exception is no refusal.
		 */
		static @Nullable Problem of(GeRedisException exception, List<RefusalCustomizer> customizers,
				List<ErrorResponse.Interceptor> interceptors, String path) {
			Refusal refusal = exception.refusal();
			if (refusal == null) {
				return null;
			}
			if (exception instanceof InvalidKeyException key && MISSING.size() < MOST_MISSING
					&& MISSING.add(key.expression())) {
				logger.warn("A request was refused with 400: " + key.getMessage() + ". Logged once per expression");
			}
			for (RefusalCustomizer customizer : customizers) {
				refusal = customizer.customize(exception, refusal);
			}
			ProblemDetail detail = ProblemDetail.forStatus(refusal.status());
			detail.setType(refusal.type());
			detail.setTitle(refusal.title());
			detail.setDetail(refusal.detail());
			detail.setInstance(instance(path));
			refusal.members().forEach(detail::setProperty);
			interceptors.forEach((interceptor) -> interceptor.handleError(detail, null));
			HttpHeaders headers = new HttpHeaders();
			refusal.headers().forEach(headers::set);
			if (refusal.retryAfter() != null) {
				headers.set(HttpHeaders.RETRY_AFTER, Long.toString(Math.max(1, ceilSeconds(refusal.retryAfter()))));
			}
			return new Problem(detail, headers);
		}

		/**
		 * Returns whether a client prefers a page: it asks for HTML by name, and not for
		 * JSON.
		 */
		static boolean isPageWanted(List<String> accept) {
			try {
				List<MediaType> types = MediaType.parseMediaTypes(accept);
				return types.stream()
					.anyMatch((type) -> type.equalsTypeAndSubtype(MediaType.TEXT_HTML) && type.getQualityValue() > 0)
						&& types.stream().noneMatch((type) -> !type.isWildcardType() && JSON.isCompatibleWith(type));
			}
			catch (InvalidMediaTypeException ex) {
				return false;
			}
		}

		// A server may let paths through that are no URI; the member is optional
		private static @Nullable URI instance(String path) {
			try {
				return new URI(path);
			}
			catch (URISyntaxException ex) {
				return null;
			}
		}

		private static long ceilSeconds(Duration duration) {
			return duration.plusNanos(999_999_999).toSeconds();
		}

		Map<String, Object> members() {
			Map<String, Object> members = new LinkedHashMap<>();
			members.put("type", String.valueOf(this.detail.getType()));
			put(members, "title", this.detail.getTitle());
			members.put("status", this.detail.getStatus());
			put(members, "detail", this.detail.getDetail());
			put(members, "instance", this.detail.getInstance());
			if (this.detail.getProperties() != null) {
				members.putAll(this.detail.getProperties());
			}
			return members;
		}

		private static void put(Map<String, Object> members, String name, @Nullable Object value) {
			if (value != null) {
				members.put(name, value.toString());
			}
		}

	}

}
