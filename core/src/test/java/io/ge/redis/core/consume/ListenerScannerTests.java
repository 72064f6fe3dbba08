/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.consume;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.Map;
import java.util.TreeMap;

import io.ge.redis.core.invocation.GuardConfigurationException;
import org.junit.jupiter.api.Test;

import org.springframework.aop.scope.ScopedProxyUtils;
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

	private static Map<String, String> scan(AnnotationConfigApplicationContext context) {
		Map<String, String> found = new TreeMap<>();
		new ListenerScanner(context.getBeanFactory()).scan(Listening.class, (bean, method, attributes) -> {
			assertThat(bean).isInstanceOf(method.targetClass());
			String before = found.put(method.method().getName() + " " + method.targetClass().getSimpleName(),
					attributes.value());
			assertThat(before).isNull();
		});
		return found;
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

	static class Hidden {

		@Listening("hidden")
		private void on() {
		}

	}

}
