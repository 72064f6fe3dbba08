/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.actuate;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.BiConsumer;

import io.ge.redis.lock.DistributedLocks;
import io.ge.redis.lock.LockHandle;
import io.ge.redis.lock.LockOptions;
import io.ge.redis.test.SharedRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Locks over HTTP, as an operator sees them.
 */
class LockResourceIntegrationTests {

	private static final String LOCKS = "/actuator/geredis/lock";

	private final WebApplicationContextRunner reading = new WebApplicationContextRunner()
		.withUserConfiguration(Application.class)
		.withPropertyValues(SharedRedis.standalone().properties())
		.withPropertyValues("management.endpoints.web.exposure.include=geredis",
				"spring.autoconfigure.exclude=org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration");

	private final WebApplicationContextRunner writing = this.reading
		.withPropertyValues("management.endpoint.geredis.access=UNRESTRICTED");

	@BeforeEach
	void emptyRedis() {
		SharedRedis.standalone().flushAll();
	}

	@Test
	void listsLocksOfThisInstanceWithoutTheirKeys() {
		run(this.reading, (locks, mvc) -> {
			try (LockHandle lock = locks.lock("orders", "anna", LockOptions.defaults())) {
				MvcTestResult result = mvc.get().uri(LOCKS).exchange();
				assertThat(result).hasStatusOk();
				assertThat(result).bodyJson().extractingPath("$.held[*].name").asArray().containsExactly("orders");
				assertThat(result).bodyJson().extractingPath("$.held[0].token").isEqualTo(lock.token());
				assertThat(result).bodyJson().extractingPath("$.held[0].hash").asString().hasSize(12);
				assertThat(result).bodyJson().extractingPath("$.held[0].waiters").isEqualTo(0);
				assertThat(result).bodyJson().extractingPath("$.held[0].remaining").asString().startsWith("PT2");
				assertThat(body(result)).doesNotContain("anna");
			}
			assertThat(mvc.get().uri(LOCKS)).bodyJson().extractingPath("$.held").asArray().isEmpty();
		});
	}

	@Test
	void looksAtOneLock() {
		run(this.reading, (locks, mvc) -> {
			assertThat(mvc.get().uri(LOCKS + "/orders?key=anna")).hasStatusOk()
				.bodyJson()
				.extractingPath("$.held")
				.isEqualTo(false);
			try (LockHandle lock = locks.lock("orders", List.of("anna", "x"), LockOptions.defaults())) {
				MvcTestResult result = mvc.get().uri(LOCKS + "/orders?key=anna&key=x").exchange();
				assertThat(result).bodyJson().extractingPath("$.held").isEqualTo(true);
				assertThat(result).bodyJson().extractingPath("$.token").isEqualTo(lock.token());
				assertThat(result).bodyJson().extractingPath("$.holder").asString().isNotBlank();
				assertThat(result).bodyJson().extractingPath("$.remaining").asString().startsWith("PT");
				assertThat(result).bodyJson().extractingPath("$.waitingInstances").isEqualTo(0);
			}
			assertThat(mvc.get().uri(LOCKS + "/orders?owner=anna")).hasStatus(HttpStatus.BAD_REQUEST);
		});
	}

	@Test
	void releasesALockOfAnotherAndTellsItsHolder() {
		run(this.writing, (locks, mvc) -> {
			LockHandle lock = locks.lock("orders", "anna", LockOptions.defaults());
			assertThat(mvc.delete().uri(LOCKS + "/orders?key=anna")).hasStatusOk()
				.bodyJson()
				.extractingPath("$.released")
				.isEqualTo(true);
			Awaitility.await().until(() -> !lock.isValid());
			assertThat(mvc.delete().uri(LOCKS + "/orders?key=anna")).bodyJson()
				.extractingPath("$.released")
				.isEqualTo(false);
			locks.lock("orders", "anna", LockOptions.defaults()).close();
			lock.close();
			assertThat(mvc.delete().uri(LOCKS)).hasStatus(HttpStatus.NOT_FOUND);
		});
	}

	@Test
	void releasesNothingWithoutWriteAccess() {
		run(this.reading, (locks, mvc) -> {
			try (LockHandle lock = locks.lock("orders", "anna", LockOptions.defaults())) {
				assertThat(mvc.delete().uri(LOCKS + "/orders?key=anna").exchange().getResponse().getStatus())
					.isBetween(400, 499);
				assertThat(lock.isValid()).isTrue();
				assertThat(locks.tryLock("orders", "anna")).isEmpty();
			}
		});
	}

	private static void run(WebApplicationContextRunner runner, BiConsumer<DistributedLocks, MockMvcTester> use) {
		runner.run((context) -> {
			assertThat(context).hasNotFailed();
			use.accept(context.getBean(DistributedLocks.class), MockMvcTester.from(context));
		});
	}

	private static String body(MvcTestResult result) {
		return new String(result.getResponse().getContentAsByteArray(), StandardCharsets.UTF_8);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
