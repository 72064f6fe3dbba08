// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.guard;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.GuardedOperation;
import io.ge.redis.core.invocation.OperationSource;

import org.springframework.aop.Advisor;
import org.springframework.aop.ClassFilter;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodClassKey;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * The advisor of every pattern: applies its guard to annotated methods. It may know no
 * more than the annotation until one of them is verified or called, so that an unused
 * pattern costs nothing. Must be registered with {@code ROLE_INFRASTRUCTURE}; otherwise
 * Spring's infrastructure proxy creator ignores it.
 */
public final class GuardAdvisor extends StaticMethodMatcherPointcutAdvisor {

	private static final long serialVersionUID = 1L;

	private final List<Class<? extends Annotation>> annotations;

	private final transient Supplier<? extends Parts<?>> parts;

	private final transient Runnable connecting;

	private final transient Map<MethodClassKey, Boolean> annotated = new ConcurrentHashMap<>();

	/**
	 * Creates an advisor.
	 * @param order the position among all advice, lower is further out
	 */
	public <O extends GuardedOperation> GuardAdvisor(OperationSource<? extends Annotation, O> source,
			GuardedCalls calls, Guard<O> guard, int order, Supplier<?> engine) {
		this(order, source.annotations(), SingletonSupplier.of(new Parts<>(source, calls, guard, engine)), () -> {
		});
	}

	private <O extends GuardedOperation> GuardAdvisor(int order, List<Class<? extends Annotation>> annotations,
			Supplier<Parts<O>> parts, Runnable connecting) {
		super(new GuardInterceptor<>(parts));
		this.annotations = annotations;
		this.parts = parts;
		this.connecting = connecting;
		setOrder(order);
		setClassFilter(new Candidates(annotations));
	}

	/**
	 * Creates an advisor that is assembled when the first annotated method is verified or
	 * called.
	 * @param order the position among all advice, lower is further out
	 * @param connecting begins to connect in the background to the Redis that it needs
	 * @param annotations the annotation of methods, then those of parameters that only
	 * have an effect together with it
	 */
	public static GuardAdvisor lazily(int order, Supplier<GuardAdvisor> assembled, Runnable connecting,
			List<Class<? extends Annotation>> annotations) {
		return new GuardAdvisor(order, annotations, SingletonSupplier.of(() -> assembled.get().parts()), connecting);
	}

	@SuppressWarnings("unchecked")
	private <O extends GuardedOperation> Parts<O> parts() {
		return (Parts<O>) this.parts.get();
	}

	public OperationSource<? extends Annotation, ?> source() {
		return parts().source();
	}

	public Class<? extends Annotation> annotation() {
		return this.annotations.get(0);
	}

	void connect() {
		this.connecting.run();
	}

	/**
	 * Makes what calls need, which connects to Redis, so that the first call finds it.
	 */
	void prepare() {
		Objects.requireNonNull(parts().engine().get());
	}

	/**
	 * Returns the same advice for a pattern that is switched off. Unlike this advisor, it
	 * is neither listed by the endpoint nor checked by {@link GuardVerifier}.
	 */
	public Advisor unguarded() {
		DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(this, getAdvice());
		advisor.setOrder(getOrder());
		return advisor;
	}

	@Override
	public boolean matches(Method method, Class<?> targetClass) {
		if (!isAnnotated(method, targetClass)) {
			return false;
		}
		requireOpen(new GuardedMethod(method, targetClass, annotation()));
		return true;
	}

	boolean isCandidate(Class<?> type) {
		return getClassFilter().matches(type);
	}

	boolean isAnnotated(Method method, Class<?> targetClass) {
		MethodClassKey key = new MethodClassKey(method, targetClass);
		Boolean known = this.annotated.get(key);
		if (known == null) {
			known = OperationSource.isAnnotated(annotation(), method, targetClass);
			this.annotated.put(key, known);
		}
		return known;
	}

	/**
	 * Refuses a class that can be proxied neither itself nor by its interfaces.
	 */
	static void requireOpen(GuardedMethod method) {
		Class<?> type = method.targetClass();
		if (Modifier.isFinal(type.getModifiers()) && ClassUtils.getAllInterfacesForClass(type).length == 0) {
			throw method.problem("methods of a final class cannot be guarded.", remedy(type));
		}
	}

	/**
	 * Returns what to do about something that is final.
	 */
	static String remedy(Class<?> type) {
		return KotlinDetector.isKotlinType(type)
				? "Mark it open, or let the compiler plugin kotlin-spring open the classes of beans."
				: "Remove the final modifier.";
	}

	private record Candidates(List<Class<? extends Annotation>> annotations) implements ClassFilter {

		@Override
		public boolean matches(Class<?> type) {
			return this.annotations.stream().anyMatch((annotation) -> OperationSource.mayContain(type, annotation));
		}

	}

	record Parts<O extends GuardedOperation>(OperationSource<? extends Annotation, O> source, GuardedCalls calls,
			Guard<O> guard, Supplier<?> engine) {
	}

}
