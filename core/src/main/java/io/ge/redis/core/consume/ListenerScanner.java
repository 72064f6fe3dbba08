// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.consume;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.OperationSource;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;

/**
 * Finds the listener methods of an application, when all its singletons exist. A bean
 * whose class has listeners is created for them. So is a lazy singleton of which only an
 * interface or an abstract class is known. Methods of other beans, such as prototypes,
 * listen as soon as the first instance shows its class.
 */
public final class ListenerScanner implements BeanPostProcessor, SmartInitializingSingleton {

	private static final String SCOPED_TARGET = ScopedProxyUtils.getTargetBeanName("");

	private final ConfigurableListableBeanFactory beans;

	private final List<Kind<?>> kinds;

	private final Predicate<String> mayListen;

	/** Instances made before the start that are no singletons of their name, by name. */
	private final Map<String, Object> early = new ConcurrentHashMap<>();

	/** Inspected classes of beans, and listener methods. */
	private final Set<List<Object>> known = ConcurrentHashMap.newKeySet();

	private volatile boolean started;

	/**
	 * Creates a scanner.
	 * @param kinds the annotations
	 * @param mayListen whether a lazy bean of that name is made for its class
	 */
	public ListenerScanner(ConfigurableListableBeanFactory beans, List<Kind<?>> kinds, Predicate<String> mayListen) {
		this.beans = beans;
		this.kinds = kinds;
		this.mayListen = mayListen;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String name) {
		if (!this.beans.containsBeanDefinition(name) || this.known.contains(List.of(name, bean.getClass()))) {
			return bean;
		}
		if (this.started) {
			scan(name, AopProxyUtils.ultimateTargetClass(bean), bean);
			this.known.add(List.of(name, bean.getClass()));
		}
		else if (!this.beans.getMergedBeanDefinition(name).isSingleton() || isProduct(name, bean)) {
			this.early.putIfAbsent(name, bean);
		}
		return bean;
	}

	private boolean isProduct(String name, Object bean) {
		return !(bean instanceof FactoryBean) && this.beans.containsSingleton(name)
				&& this.beans.getSingleton(name) instanceof FactoryBean;
	}

	@Override
	public void afterSingletonsInstantiated() {
		this.started = true;
		for (String name : this.beans.getBeanDefinitionNames()) {
			// The target of a scoped proxy is another bean of the same class
			if (!ScopedProxyUtils.isScopedTarget(name)) {
				scan(name, type(name), null);
			}
		}
		this.early.forEach((name, bean) -> scan(name, AopProxyUtils.ultimateTargetClass(bean), bean));
		this.early.clear();
	}

	private @Nullable Class<?> type(String name) {
		Object bean = this.beans.containsSingleton(name) ? this.beans.getSingleton(name) : null;
		Class<?> type = (bean == null || bean instanceof FactoryBean) ? this.beans.getType(name, false)
				: AopProxyUtils.ultimateTargetClass(bean);
		BeanDefinition definition = this.beans.getMergedBeanDefinition(name);
		boolean hides = bean == null && definition.isSingleton() && !definition.isAbstract()
				&& (type == null || Modifier.isAbstract(type.getModifiers()));
		if (hides && !this.beans.isFactoryBean(name) && this.mayListen.test(name)) {
			return AopProxyUtils.ultimateTargetClass(this.beans.getBean(name));
		}
		return type;
	}

	private void scan(String name, @Nullable Class<?> type, @Nullable Object made) {
		Class<?> userClass = (type != null) ? ClassUtils.getUserClass(type) : null;
		// The proxy of a scope is infrastructure, and its target is not
		if (userClass != null && !AopInfrastructureBean.class.isAssignableFrom(userClass)) {
			this.kinds.forEach((kind) -> scan(name, userClass, made, kind));
		}
	}

	private <A extends Annotation> void scan(String name, Class<?> type, @Nullable Object made, Kind<A> kind) {
		if (!OperationSource.mayContain(type, kind.annotation())) {
			return;
		}
		boolean scoped = name.startsWith(SCOPED_TARGET);
		String listener = scoped ? name.substring(SCOPED_TARGET.length()) : name;
		Map<Method, A> methods = MethodIntrospector.selectMethods(type,
				(MethodIntrospector.MetadataLookup<A>) (method) -> AnnotatedElementUtils.findMergedAnnotation(method,
						kind.annotation()));
		methods.forEach((method, attributes) -> {
			// Declared by an interface or by the class: one listener
			List<Object> key = List.of(listener, kind, method.getName(), List.of(method.getParameterTypes()));
			if (!this.known.add(key)) {
				return;
			}
			try {
				GuardedMethod found = new GuardedMethod(method, type, kind.annotation());
				requireCallable(found);
				kind.found().accept((made == null || scoped) ? this.beans.getBean(listener) : made, found, attributes);
			}
			catch (GuardConfigurationException ex) {
				this.known.remove(key);
				throw ex.inBean(listener);
			}
		});
	}

	private static void requireCallable(GuardedMethod method) {
		if (Modifier.isPrivate(method.method().getModifiers()) || Modifier.isStatic(method.method().getModifiers())) {
			throw method.problem("private and static methods cannot listen.", "Make it a public method of the bean.");
		}
	}

	/**
	 * Listeners of one annotation.
	 *
	 * @param found gets each of them, with its bean, which is a proxy if it is advised
	 */
	public record Kind<A extends Annotation>(Class<A> annotation, Found<A> found) {
	}

	@FunctionalInterface
	public interface Found<A extends Annotation> {

		void accept(Object bean, GuardedMethod method, A attributes);

	}

}
