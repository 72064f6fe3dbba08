// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import io.ge.redis.core.guard.GuardedMethods;
import io.ge.redis.lock.DistributedLock;
import io.ge.redis.ratelimit.RateLimited;
import org.junit.jupiter.api.Test;

import org.springframework.aop.framework.Advised;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.bean.override.convention.TestBean;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.context.bean.override.mockito.MockitoSpyBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;

/**
 * Beans that a test replaces are not guarded, and do not fail the start.
 */
@SpringBootTest(classes = ReplacedBeansTests.Application.class, webEnvironment = SpringBootTest.WebEnvironment.NONE,
		properties = "spring.data.redis.port=1")
class ReplacedBeansTests {

	@MockitoBean
	private Desk desk;

	@MockitoBean
	private Gate gate;

	@TestBean
	private Till till;

	@MockitoSpyBean
	private Shop shop;

	@Autowired
	private GuardedMethods methods;

	static Till till() {
		return new Till() {

			@Override
			public String pay() {
				return "replaced";
			}

		};
	}

	@Test
	void replacedBeansAreNotVerifiedAndOthersAre() {
		given(this.desk.call()).willReturn("mocked");
		assertThat(this.desk.call()).isEqualTo("mocked");
		assertThat(this.gate).isNotNull();
		assertThat(this.till.pay()).isEqualTo("replaced");
		assertThat(this.shop).isInstanceOf(Advised.class);
		assertThat(this.methods.all()).extracting(GuardedMethods.Entry::bean)
			.singleElement()
			.asString()
			.contains("Shop");
	}

	static class Desk {

		@RateLimited(limit = 1)
		public final String call() {
			return "desk";
		}

	}

	interface Gate {

		@RateLimited(limit = 1)
		void pass();

	}

	static class Till {

		@DistributedLock
		public String pay() {
			return "till";
		}

	}

	static class Shop {

		@RateLimited(limit = 1)
		public void open() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
			GeRedisAutoConfiguration.class, RateLimitAutoConfiguration.class, LockAutoConfiguration.class })
	@Import({ Desk.class, Till.class, Shop.class })
	static class Application {

	}

}
