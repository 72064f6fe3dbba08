// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import io.ge.redis.core.guard.GuardedMethods;
import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.lock.DistributedLock;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.stereotype.Controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Guards of a web application of which the conditions could not know: without filters and
 * resolvers their refusals would be answered with 500.
 */
class WebUseTests {

	private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
				GeRedisAutoConfiguration.class, GeRedisWebAutoConfiguration.class, LockAutoConfiguration.class,
				IdempotencyAutoConfiguration.class, IdempotencyWebAutoConfiguration.class))
		.withPropertyValues("spring.data.redis.port=1");

	@Test
	void beanThatAPostProcessorDefinesFailsTheStart() {
		this.runner.withUserConfiguration(DefinedLate.class)
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("Bean 'desk', @DistributedLock on " + Desk.class.getName() + ".work()")
				.hasStackTraceContaining("set ge.redis.lock.enabled=true"));
		this.runner.withUserConfiguration(DefinedLate.class)
			.withPropertyValues("ge.redis.lock.enabled=true")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void beanOfAnUnknownTypeFailsWhenItIsMade() {
		this.runner.withUserConfiguration(HiddenDesk.class).run((context) -> {
			assertThat(context).hasNotFailed();
			for (int i = 0; i < 2; i++) {
				assertThatException().isThrownBy(() -> context.getBean("desk"))
					.withStackTraceContaining("Bean 'desk', @DistributedLock on " + Desk.class.getName() + ".work()");
			}
			assertThat(context.getBean(GuardedMethods.class).all()).isEmpty();
		});
	}

	@Test
	void idempotentHandlerNeedsWhatStoresResponses() {
		this.runner.withUserConfiguration(HiddenController.class)
			.withPropertyValues("ge.redis.lock.enabled=true")
			.run((context) -> assertThatException().isThrownBy(() -> context.getBean("orders"))
				.withStackTraceContaining("Bean 'orders', @Idempotent on " + Orders.class.getName() + ".create()")
				.withStackTraceContaining("set ge.redis.idempotency.enabled=true"));
	}

	static class Desk {

		@DistributedLock(leaseTime = "10s")
		public void work() {
		}

	}

	@Controller
	static class Orders {

		@Idempotent(key = "'one'")
		public String create() {
			return "created";
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class DefinedLate {

		@Bean
		static BeanDefinitionRegistryPostProcessor definesDesk() {
			return (registry) -> registry.registerBeanDefinition("desk", new RootBeanDefinition(Desk.class));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class HiddenDesk {

		@Bean
		@Lazy
		Object desk() {
			return new Desk();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class HiddenController {

		@Bean
		@Lazy
		Object orders() {
			return new Orders();
		}

	}

}
