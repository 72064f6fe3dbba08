/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.autoconfigure;

import java.lang.reflect.Proxy;
import java.util.List;

import io.ge.redis.core.guard.GuardedMethods;
import io.ge.redis.core.invocation.GuardConfigurationException;
import io.ge.redis.lock.DistributedLock;
import io.ge.redis.ratelimit.RateLimitExceededException;
import io.ge.redis.ratelimit.RateLimited;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.aop.framework.Advised;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.SimpleThreadScope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Guards on beans that are not plain singletons of a class, with Redis down.
 */
class GuardedBeansTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(PropertyPlaceholderAutoConfiguration.class, AopAutoConfiguration.class,
				DataRedisAutoConfiguration.class, GeRedisAutoConfiguration.class, RateLimitAutoConfiguration.class,
				LockAutoConfiguration.class))
		.withInitializer((context) -> context.getBeanFactory().registerScope("thread", new SimpleThreadScope()))
		.withPropertyValues("spring.data.redis.port=1");

	@Test
	void annotationOnClassLeavesStaticMethodsAlone() {
		this.runner.withBean(WithMain.class).run((context) -> {
			assertThat(methods(context.getBean(GuardedMethods.class))).containsExactly("WithMain.call()");
			WithMain.main(new String[0]);
		});
	}

	@Test
	void annotationOnClassLeavesMethodsOfObjectAlone() {
		this.runner.withBean(WithText.class).run((context) -> {
			WithText bean = context.getBean(WithText.class);
			assertThat(bean).hasToString("text").hasToString("text");
			assertThat(methods(context.getBean(GuardedMethods.class))).containsExactly("WithText.call()");
		});
	}

	@Test
	void beansOfEveryScopeAreListedOnce() {
		this.runner.withUserConfiguration(Scopes.class)
			.run((context) -> assertThat(context.getBean(GuardedMethods.class).all()).hasSize(3)
				.extracting(GuardedMethods.Entry::bean)
				.containsExactlyInAnyOrder("scoped", "prototype", "lazy"));
	}

	@Test
	void mistakeInScopedBeanIsFoundAtStartup() {
		this.runner.withUserConfiguration(WrongScoped.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(GuardConfigurationException.class)
				.hasMessageContaining("Bean 'scoped'"));
	}

	@Test
	void implementationMadeByFactoryIsGuardedByTheAnnotationsOfItsInterface() {
		this.runner.withBean("client", ClientFactory.class).run((context) -> {
			assertThat(context).hasNotFailed();
			Client client = context.getBean(Client.class);
			assertThat(client).isInstanceOf(Advised.class);
			assertThat(client.call("a")).isEqualTo("called");
			assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> client.call("a"));
			assertThat(client.call("b")).isEqualTo("called");
			assertThat(context.getBean(GuardedMethods.class).all()).extracting(GuardedMethods.Entry::bean)
				.containsExactly("client");
		});
	}

	@Test
	void implementationMadeByFactoryIsGuardedForBeansThatHaveItInjected() {
		this.runner.withBean("client", ClientFactory.class).withBean(Caller.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(Caller.class).client().call("a")).isEqualTo("called");
			assertThatExceptionOfType(RateLimitExceededException.class)
				.isThrownBy(() -> context.getBean(Caller.class).client().call("a"));
		});
	}

	@Test
	void wrongAnnotationOnAnImplementationThatNoTypeShowsFailsTheStart() {
		this.runner.withBean("work", WorkFactory.class)
			.withBean(Worker.class)
			.run((context) -> assertThat(context).getFailure().hasMessageContaining("#nobody"));
	}

	private static List<String> methods(GuardedMethods methods) {
		return methods.all()
			.stream()
			.map((entry) -> entry.method().substring(entry.method().indexOf('$') + 1))
			.toList();
	}

	@RateLimited(name = "class", limit = 1)
	static class WithMain {

		public static void main(String[] arguments) {
		}

		public void call() {
		}

	}

	@RateLimited(name = "class", limit = 1)
	static class WithText {

		public void call() {
		}

		@Override
		public String toString() {
			return "text";
		}

	}

	static class Desk {

		@RateLimited(name = "desk", key = "#user", limit = 1)
		public void call(String user) {
		}

	}

	static class WrongDesk {

		@DistributedLock(name = "desk", key = "#nobody")
		public void call(String user) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Scopes {

		@Bean
		@Scope(scopeName = "thread", proxyMode = ScopedProxyMode.TARGET_CLASS)
		Desk scoped() {
			return new Desk();
		}

		@Bean
		@Scope("prototype")
		Desk prototype() {
			return new Desk();
		}

		@Bean
		@Lazy
		Desk lazy() {
			return new Desk();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class WrongScoped {

		@Bean
		@Scope(scopeName = "thread", proxyMode = ScopedProxyMode.TARGET_CLASS)
		WrongDesk scoped() {
			return new WrongDesk();
		}

	}

	interface Client {

		@RateLimited(name = "client", key = "#user", limit = 1)
		String call(String user);

	}

	record Caller(Client client) {
	}

	interface Work {

		String run(String id);

	}

	static class LockedWork implements Work {

		@Override
		@DistributedLock(key = "#nobody")
		public String run(String id) {
			return id;
		}

	}

	record Worker(Work work) {
	}

	static class WorkFactory implements FactoryBean<Work> {

		@Override
		public Work getObject() {
			return new LockedWork();
		}

		@Override
		public @Nullable Class<?> getObjectType() {
			return Work.class;
		}

	}

	static class ClientFactory implements FactoryBean<Client> {

		@Override
		public Client getObject() {
			return (Client) Proxy.newProxyInstance(Client.class.getClassLoader(), new Class<?>[] { Client.class },
					(proxy, method, arguments) -> switch (method.getName()) {
						case "call" -> "called";
						case "hashCode" -> 1;
						case "equals" -> proxy == arguments[0];
						default -> "client";
					});
		}

		@Override
		public @Nullable Class<?> getObjectType() {
			return Client.class;
		}

	}

}
