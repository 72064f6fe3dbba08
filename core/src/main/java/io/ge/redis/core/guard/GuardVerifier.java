// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.guard;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.GuardedOperation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.AutowireCapableBeanFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * Verifies that every annotated method is really guarded, since a guard that silently
 * does nothing is worse than none. Violations of existing beans, and of known types, fail
 * the start. A bean that is created later fails on creation. Then prepares only the
 * guards in use.
 * <p>
 * Beans that a test has replaced are not verified. Other contexts of the application have
 * no guards without an auto-configuration of their own: annotated beans are refused in
 * contexts above and below this one.
 */
public final class GuardVerifier
		implements BeanPostProcessor, SmartInitializingSingleton, ApplicationListener<ContextRefreshedEvent> {

	private static final String SCOPED_TARGET = "scopedTarget.";

	/** Bean of Spring's test support where a test replaces beans. */
	private static final String OVERRIDES = "org.springframework.test.context.bean.override.internalBeanOverrideRegistry";

	private final ConfigurableListableBeanFactory beanFactory;

	private final Supplier<List<GuardAdvisor>> advisors;

	private final GuardedMethods methods;

	/** In a test, what was there before any post-processor. */
	private final Set<String> replaced;

	/** Beans that were made before the start, by name and class. */
	private final Map<List<Object>, Object> early = new ConcurrentHashMap<>();

	private final Set<List<Object>> verified = ConcurrentHashMap.newKeySet();

	private volatile boolean started;

	public GuardVerifier(ConfigurableListableBeanFactory beanFactory, ObjectProvider<GuardAdvisor> advisors,
			GuardedMethods methods) {
		this.beanFactory = beanFactory;
		this.advisors = SingletonSupplier.of(() -> advisors.orderedStream().toList());
		this.methods = methods;
		this.replaced = beanFactory.containsSingleton(OVERRIDES) ? Set.of(beanFactory.getSingletonNames()) : Set.of();
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (!(bean instanceof AopInfrastructureBean)
				&& !beanName.endsWith(AutowireCapableBeanFactory.ORIGINAL_INSTANCE_SUFFIX)) {
			if (this.started) {
				verify(beanName, bean);
			}
			else {
				this.early.putIfAbsent(List.of(beanName, bean.getClass()), bean);
			}
		}
		return bean;
	}

	@Override
	public void afterSingletonsInstantiated() {
		this.started = true;
		List<Candidate> candidates = candidates(this.beanFactory);
		List<GuardAdvisor> used = candidates.stream()
			.filter((candidate) -> !candidate.annotated().isEmpty())
			.map(Candidate::advisor)
			.distinct()
			.toList();
		// Connects while annotations are read
		used.forEach(GuardAdvisor::connect);
		candidates.forEach(this::verify);
		this.early.forEach((made, bean) -> {
			Object singleton = singleton(this.beanFactory, (String) made.get(0));
			if (singleton == null || singleton instanceof FactoryBean) {
				verify((String) made.get(0), bean);
			}
		});
		this.early.clear();
		BeanFactory above = this.beanFactory.getParentBeanFactory();
		while (above instanceof ConfigurableListableBeanFactory context) {
			requireGuards(context);
			above = context.getParentBeanFactory();
		}
		PatternLifecycle.patterns(this.beanFactory).forEach(GuardPattern::verify);
		used.forEach(GuardAdvisor::prepare);
	}

	/**
	 * Checks a context below this one.
	 */
	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		if (event.getApplicationContext()
			.getAutowireCapableBeanFactory() instanceof ConfigurableListableBeanFactory context
				&& context != this.beanFactory) {
			requireGuards(context);
		}
	}

	private void requireGuards(ConfigurableListableBeanFactory context) {
		if (context.getBeanNamesForType(GuardVerifier.class, true, false).length > 0
				|| context.containsSingleton(OVERRIDES)) {
			return;
		}
		for (Candidate candidate : candidates(context)) {
			for (GuardedMethod guarded : candidate.annotated()) {
				throw guarded
					.problem("its application context has no guards, so the annotation would do nothing.",
							"Define the bean in the context that has them, or add the auto-configuration to its own.")
					.inBean(candidate.beanName());
			}
		}
	}

	private List<Candidate> candidates(ConfigurableListableBeanFactory context) {
		List<Candidate> candidates = new ArrayList<>();
		for (String beanName : context.getBeanDefinitionNames()) {
			Object bean = singleton(context, beanName);
			// The product of a factory, as far as its type is known
			Object known = (bean instanceof FactoryBean) ? null : bean;
			Class<?> type = (known != null) ? AopProxyUtils.ultimateTargetClass(known)
					: context.getType(beanName, false);
			// A scoped proxy is not guarded itself: its target is
			if (type != null && !AopInfrastructureBean.class.isAssignableFrom(type)
					&& !this.replaced.contains(beanName)) {
				candidates.addAll(candidates(beanName, known, ClassUtils.getUserClass(type)));
			}
		}
		return candidates;
	}

	private static @Nullable Object singleton(ConfigurableListableBeanFactory context, String beanName) {
		return context.containsSingleton(beanName) ? context.getSingleton(beanName) : null;
	}

	private List<Candidate> candidates(String beanName, @Nullable Object bean, Class<?> type) {
		String name = beanName.startsWith(SCOPED_TARGET) ? beanName.substring(SCOPED_TARGET.length()) : beanName;
		return this.advisors.get()
			.stream()
			.filter((advisor) -> advisor.isCandidate(type))
			.map((advisor) -> new Candidate(name, bean, type,
					ReflectionUtils.getUniqueDeclaredMethods(type, ReflectionUtils.USER_DECLARED_METHODS), advisor))
			.toList();
	}

	private void verify(String beanName, Object bean) {
		Class<?> type = AopProxyUtils.ultimateTargetClass(bean);
		List<Object> known = List.of(beanName, bean.getClass(), type);
		if (this.verified.contains(known)) {
			return;
		}
		// Where Spring looks for methods to advise: methods of a proxy lack annotations
		Set<Class<?>> declaring = Proxy.isProxyClass(type) ? ClassUtils.getAllInterfacesForClassAsSet(type)
				: Set.of(ClassUtils.getUserClass(type));
		declaring.forEach((each) -> candidates(beanName, bean, each).forEach(this::verify));
		this.verified.add(known);
	}

	private void verify(Candidate candidate) {
		for (Method method : candidate.methods()) {
			try {
				GuardedOperation operation = candidate.advisor().source().get(method, candidate.type());
				if (operation != null) {
					GuardedMethod guarded = candidate.guarded(method);
					requireGuarded(guarded, exposed(candidate), candidate.advisor());
					operation.describe()
						.forEach((guard) -> this.methods
							.add(new GuardedMethods.Entry(candidate.beanName(), guarded.displayName(), guard)));
				}
			}
			catch (GuardConfigurationException ex) {
				throw ex.inBean(candidate.beanName());
			}
		}
	}

	// In a circle of references the proxy was made before the bean was complete
	private @Nullable Object exposed(Candidate candidate) {
		Object bean = candidate.bean();
		Object singleton = (bean == null || AopUtils.isAopProxy(bean)) ? null
				: this.beanFactory.getSingleton(candidate.beanName());
		return (singleton == null || singleton instanceof FactoryBean) ? bean : singleton;
	}

	private static void requireGuarded(GuardedMethod guarded, @Nullable Object bean, GuardAdvisor advisor) {
		Method method = guarded.method();
		if (Modifier.isPrivate(method.getModifiers()) || Modifier.isStatic(method.getModifiers())) {
			throw guarded.problem("private and static methods cannot be guarded.",
					"Make it a public method that is called through the bean.");
		}
		if (bean == null) {
			GuardAdvisor.requireOpen(guarded);
		}
		else if (!AopUtils.isAopProxy(bean) || !isAdvisedBy(bean, advisor)) {
			throw guarded.problem("the bean is no proxy, so the annotation would do nothing.",
					"Let Spring create the bean after the guards: it must not be a BeanPostProcessor or a "
							+ "dependency of one, its class must not be final, and it must be created by the container.");
		}
		boolean ofClass = (bean != null) ? AopUtils.isCglibProxy(bean)
				: !isOn(ClassUtils.getAllInterfacesForClass(guarded.targetClass()), method);
		if (Modifier.isFinal(method.getModifiers()) && ofClass) {
			throw guarded.problem("a final method cannot be guarded.", GuardAdvisor.remedy(method.getDeclaringClass()));
		}
		if (bean != null && AopUtils.isJdkDynamicProxy(bean)
				&& !isOn(((Advised) bean).getProxiedInterfaces(), method)) {
			throw guarded.problem(
					"the bean is proxied by its interfaces, and none of them declares this method, "
							+ "so no caller can reach it through the proxy.",
					"Declare it in an interface, or set spring.aop.proxy-target-class=true.");
		}
	}

	private static boolean isAdvisedBy(Object bean, GuardAdvisor advisor) {
		for (Advisor candidate : ((Advised) bean).getAdvisors()) {
			if (candidate instanceof GuardAdvisor guard && guard.annotation() == advisor.annotation()) {
				return true;
			}
		}
		return false;
	}

	private static boolean isOn(Class<?>[] interfaces, Method method) {
		return Arrays.stream(interfaces)
			.anyMatch((type) -> ReflectionUtils.findMethod(type, method.getName(), method.getParameterTypes()) != null);
	}

	private record Candidate(String beanName, @Nullable Object bean, Class<?> type, Method[] methods,
			GuardAdvisor advisor) {

		GuardedMethod guarded(Method method) {
			return new GuardedMethod(method, this.type, this.advisor.annotation());
		}

		List<GuardedMethod> annotated() {
			return Arrays.stream(this.methods)
				.filter((method) -> this.advisor.isAnnotated(method, this.type))
				.map(this::guarded)
				.toList();
		}

	}

}
