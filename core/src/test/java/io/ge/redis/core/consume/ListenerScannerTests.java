// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.consume;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.ge.redis.GuardConfigurationException;
import org.junit.jupiter.api.Test;

import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.BeanDefinitionHolder;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.support.SimpleThreadScope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Which methods are found, in which beans.
 */
class ListenerScannerTests {

	@Test
	void findsThoseOfBeansThatNobodyHasMade() {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.registerBean("lazy", Lazy.class, (definition) -> definition.setLazyInit(true));
			context.registerBean("inherited", Inherited.class);
			context.registerBean("other", Object.class);
			context.refresh();
			assertThat(scan(context)).containsExactly(Map.entry("on Inherited", "inherited"),
					Map.entry("on Lazy", "lazy"));
		}
	}

	@Test
	void findsThoseOfAScopeOnceByTheirProxy() {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.getBeanFactory().registerScope("thread", new SimpleThreadScope());
			RootBeanDefinition definition = new RootBeanDefinition(Lazy.class);
			definition.setScope("thread");
			BeanDefinitionHolder proxy = ScopedProxyUtils
				.createScopedProxy(new BeanDefinitionHolder(definition, "scoped"), context, true);
			context.registerBeanDefinition(proxy.getBeanName(), proxy.getBeanDefinition());
			context.refresh();
			assertThat(scan(context)).containsExactly(Map.entry("on Lazy", "lazy"));
		}
	}

	@Test
	void refusesPrivateMethodsAndNamesTheBean() {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.registerBean("hidden", Hidden.class);
			context.refresh();
			assertThatExceptionOfType(GuardConfigurationException.class).isThrownBy(() -> scan(context))
				.withMessageContainingAll("hidden", "private and static methods cannot listen");
		}
	}

	@Test
	void findsThoseOfLazyBeansBehindAnInterface() {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.registerBean("lazy", Declaring.class, Hiding::new, (definition) -> definition.setLazyInit(true));
			context.registerBean("left", Declaring.class, () -> {
				throw new IllegalStateException("Not of the application");
			}, (definition) -> definition.setLazyInit(true));
			Map<String, String> found = start(context);
			assertThat(found).containsExactly(Map.entry("on Hiding", "hiding"));
			assertThat(context.getBean("lazy")).isInstanceOf(Hiding.class);
			assertThat(found).hasSize(1);
		}
	}

	@Test
	void findsThoseOfOtherBeansBehindAnInterfaceOnceTheyAreMade() {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.registerBean("early", Declaring.class, Hiding::new,
					(definition) -> definition.setScope("prototype"));
			context.registerBean("user", User.class);
			context.registerBean("later", Object.class, () -> new Declaring() {

				@Override
				@Listening("later")
				public void on() {
				}

			}, (definition) -> definition.setScope("prototype"));
			Map<String, String> found = start(context);
			assertThat(found).containsOnlyKeys("on Hiding");
			context.getBean("later");
			context.getBean("later");
			assertThat(found.values()).containsExactlyInAnyOrder("hiding", "later");
			context.registerBean("hidden", Object.class, Hidden::new, (definition) -> definition.setScope("prototype"));
			for (int i = 0; i < 2; i++) {
				assertThatExceptionOfType(BeanCreationException.class).isThrownBy(() -> context.getBean("hidden"))
					.withMessageContaining("private and static methods cannot listen");
			}
		}
	}

	@Test
	void findsThoseOfProductsThatOthersHaveHadMade() {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.registerBean("product", FactoryBean.class, () -> new FactoryBean<Declaring>() {

				@Override
				public Declaring getObject() {
					return new Hiding();
				}

				@Override
				public Class<?> getObjectType() {
					return Declaring.class;
				}

			});
			context.registerBean("other", Object.class, () -> context.getBean("product").toString());
			assertThat(start(context)).containsOnlyKeys("on Hiding");
		}
	}

	@Test
	void findsThoseThatTheInterfaceDeclaresOnce() {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.registerBean("many", Declared.class, Inherited::new,
					(definition) -> definition.setScope("prototype"));
			Map<String, String> found = start(context);
			context.getBean("many");
			assertThat(found).hasSize(1).containsValue("inherited");
		}
	}

	@Test
	void listenersBehindAScopedInterfaceListenByTheirProxy() {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.getBeanFactory().registerScope("thread", new SimpleThreadScope());
			RootBeanDefinition definition = new RootBeanDefinition(Declaring.class, Hiding::new);
			definition.setScope("thread");
			BeanDefinitionHolder proxy = ScopedProxyUtils
				.createScopedProxy(new BeanDefinitionHolder(definition, "scoped"), context, false);
			context.registerBeanDefinition(proxy.getBeanName(), proxy.getBeanDefinition());
			Map<String, String> found = start(context);
			assertThat(found).isEmpty();
			context.getBean("scoped", Declaring.class).on();
			assertThat(found).containsExactly(Map.entry("on Hiding", "hiding"));
		}
	}

	private static Map<String, String> scan(AnnotationConfigApplicationContext context) {
		Map<String, String> found = new TreeMap<>();
		scanner(context, found).afterSingletonsInstantiated();
		return found;
	}

	private static Map<String, String> start(AnnotationConfigApplicationContext context) {
		Map<String, String> found = new TreeMap<>();
		ListenerScanner scanner = scanner(context, found);
		context.getBeanFactory().addBeanPostProcessor(scanner);
		context.refresh();
		scanner.afterSingletonsInstantiated();
		return found;
	}

	private static ListenerScanner scanner(AnnotationConfigApplicationContext context, Map<String, String> found) {
		return new ListenerScanner(context.getBeanFactory(),
				List.of(new ListenerScanner.Kind<>(Listening.class, (bean, method, attributes) -> {
					assertThat(bean).isInstanceOfAny(method.targetClass(), Declaring.class, Declared.class);
					String before = found.put(method.method().getName() + " " + method.targetClass().getSimpleName(),
							attributes.value());
					assertThat(before).isNull();
				})), (name) -> !name.equals("left"));
	}

	@Retention(RetentionPolicy.RUNTIME)
	@interface Listening {

		String value();

	}

	static class Lazy {

		@Listening("lazy")
		public void on() {
		}

	}

	interface Declared {

		@Listening("inherited")
		void on();

	}

	static class Inherited implements Declared {

		@Override
		public void on() {
		}

	}

	interface Declaring {

		void on();

	}

	static class Hiding implements Declaring {

		@Override
		@Listening("hiding")
		public void on() {
		}

	}

	record User(Declaring early) {
	}

	static class Hidden {

		@Listening("hidden")
		private void on() {
		}

	}

}
