// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.core.guard.GuardedMethods;
import io.ge.redis.lock.DistributedLock;
import io.ge.redis.ratelimit.RateLimitExceededException;
import io.ge.redis.ratelimit.RateLimited;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.Advised;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.AbstractFactoryBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.SimpleThreadScope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.Mockito.mock;

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

	@ParameterizedTest
	@ValueSource(strings = { "lazy", "prototype", "scoped", "inner", "made" })
	void beanWhoseTypeIsNotKnownBeforeIsVerifiedWhenItIsMade(String name) {
		this.runner.withUserConfiguration(HiddenTypes.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThatException().isThrownBy(() -> context.getBean(name, Runnable.class).run())
				.satisfies((failure) -> assertThat(failure).hasStackTraceContaining("Bean '" + name)
					.hasStackTraceContaining("@RateLimited on " + FinalMethod.class.getName() + ".call()")
					.hasStackTraceContaining("a final method cannot be guarded. Remove the final modifier."));
		});
	}

	@Test
	void beanThatIsMadeLaterIsGuardedAndListed() {
		this.runner.withUserConfiguration(HiddenDesk.class).run((context) -> {
			assertThat(context.getBean(GuardedMethods.class).all()).isEmpty();
			for (int i = 0; i < 2; i++) {
				assertThat(context.getBean("desk")).isInstanceOf(Advised.class);
			}
			assertThat(methods(context.getBean(GuardedMethods.class))).containsExactly("Desk.call(String)");
		});
	}

	@ParameterizedTest
	@ValueSource(classes = { FinalMethod.class, FinalClass.class, WrongResult.class })
	void mistakeThatTheTypeOfALazyBeanShowsFailsTheStart(Class<?> type) {
		this.runner
			.withInitializer(
					(context) -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
			.withBean("desk", type)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(GuardConfigurationException.class)
				.hasMessageContaining("Bean 'desk'")
				.hasMessageContaining("cannot be guarded"));
	}

	@Test
	void prototypeThatIsMadeBeforeTheStartFailsIt() {
		this.runner.withUserConfiguration(HiddenTypes.class)
			.withBean(BeforeStart.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(GuardConfigurationException.class)
				.hasMessageContaining("Bean 'prototype'")
				.hasMessageContaining("a final method cannot be guarded"));
	}

	@Test
	void lazyBeansThatReferToEachOtherAreGuarded() {
		this.runner.withAllowCircularReferences(true).withUserConfiguration(Circle.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean("one")).isInstanceOf(Advised.class);
			assertThat(context.getBean("other")).isInstanceOf(Advised.class);
		});
	}

	@Test
	void annotatedBeansOfAContextWithoutGuardsAreRefused() {
		this.runner.run((context) -> {
			try (AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext()) {
				child.setParent(context);
				child.registerBean("desk", Desk.class, (definition) -> definition.setLazyInit(true));
				assertThatExceptionOfType(GuardConfigurationException.class).isThrownBy(child::refresh)
					.withMessageContainingAll("Bean 'desk'", "Desk.call(String)",
							"its application context has no guards", "Define the bean in the context that has them");
			}
		});
		this.runner.run((parent) -> this.runner.withParent(parent)
			.withBean(Desk.class)
			.run((child) -> assertThat(child).hasNotFailed()));
		try (AnnotationConfigApplicationContext parent = new AnnotationConfigApplicationContext(Desk.class)) {
			this.runner.withParent(parent)
				.run((context) -> assertThat(context).getFailure()
					.isInstanceOf(GuardConfigurationException.class)
					.hasMessageContaining("its application context has no guards"));
		}
	}

	@Test
	void mockThatATestDefinesIsAccepted() {
		this.runner.withBean("desk", Desk.class, () -> mock(Desk.class))
			.run((context) -> assertThat(context).hasNotFailed());
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

	static class FinalMethod implements Runnable {

		@Override
		public void run() {
		}

		@RateLimited(limit = 1)
		public final void call() {
		}

	}

	static final class FinalClass {

		@RateLimited(limit = 1)
		public void call() {
		}

	}

	static class WrongResult {

		@RateLimited(limit = 1)
		public Future<String> call() {
			return new FutureTask<>(() -> "");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class HiddenTypes {

		@Bean
		@Lazy
		Runnable lazy() {
			return new FinalMethod();
		}

		@Bean
		@Scope("prototype")
		Runnable prototype() {
			return new FinalMethod();
		}

		@Bean
		@Scope(scopeName = "thread", proxyMode = ScopedProxyMode.INTERFACES)
		Runnable scoped() {
			return new FinalMethod();
		}

		@Bean
		@Lazy
		Runnable inner(ConfigurableListableBeanFactory beans) {
			return (Runnable) beans.initializeBean(new FinalMethod(), "inner");
		}

		@Bean
		@Lazy
		FactoryBean<Runnable> made() {
			return new AbstractFactoryBean<>() {

				@Override
				public Class<?> getObjectType() {
					return Runnable.class;
				}

				@Override
				protected Runnable createInstance() {
					return new FinalMethod();
				}

			};
		}

	}

	static class BeforeStart {

		BeforeStart(@Qualifier("prototype") Runnable prototype) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class HiddenDesk {

		@Bean
		@Scope("prototype")
		Object desk() {
			return new Desk();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Circle {

		@Bean
		@Lazy
		Object one() {
			return new Linked("other");
		}

		@Bean
		@Lazy
		Object other() {
			return new Linked("one");
		}

	}

	static class Linked extends Desk implements BeanFactoryAware {

		private final String other;

		Linked(String other) {
			this.other = other;
		}

		@Override
		public void setBeanFactory(BeanFactory beanFactory) {
			assertThat(beanFactory.getBean(this.other)).isNotNull();
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
