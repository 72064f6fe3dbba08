// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure.aot;

import java.util.List;
import java.util.Map;

import io.ge.redis.actuate.Actuate;
import io.ge.redis.actuate.GeRedisEndpointAutoConfiguration;
import io.ge.redis.autoconfigure.BlacklistAutoConfiguration;
import io.ge.redis.autoconfigure.BreakerAutoConfiguration;
import io.ge.redis.autoconfigure.BroadcastAutoConfiguration;
import io.ge.redis.autoconfigure.CacheAutoConfiguration;
import io.ge.redis.autoconfigure.ConsumerAutoConfiguration;
import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.autoconfigure.IdempotencyAutoConfiguration;
import io.ge.redis.autoconfigure.LockAutoConfiguration;
import io.ge.redis.autoconfigure.QueueAutoConfiguration;
import io.ge.redis.autoconfigure.RateLimitAutoConfiguration;
import io.ge.redis.autoconfigure.RefreshTokenAutoConfiguration;
import io.ge.redis.autoconfigure.SpringCacheAutoConfiguration;
import io.ge.redis.autoconfigure.StreamAutoConfiguration;
import io.ge.redis.autoconfigure.StructureAutoConfiguration;
import io.ge.redis.cache.CacheProperties;
import io.ge.redis.idempotency.IdempotencyProperties;
import io.ge.redis.idempotency.IdempotencyRecord;
import io.ge.redis.lock.LockProperties;
import io.ge.redis.ratelimit.RateLimitProperties;
import io.ge.redis.test.LibraryClasses;
import org.junit.jupiter.api.Test;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The auto-configurations, processed ahead of time with everything switched on.
 */
class ProcessedAutoConfigurationTests {

	private static final String[] PROPERTIES = { "spring.data.redis.port=1",
			"management.endpoints.web.exposure.include=geredis",
			"ge.redis.cache.caches.orders.type=java.util.List<io.ge.redis.autoconfigure.aot.ProcessedAutoConfigurationTests$Order>",
			"ge.redis.cache.caches.tables.type=io.ge.redis.autoconfigure.aot.ProcessedAutoConfigurationTests$Table" };

	@Test
	void propertiesAreBound() {
		RuntimeHints hints = process();
		assertThat(List.of(RateLimitProperties.class, LockProperties.class, IdempotencyProperties.class,
				CacheProperties.class, CacheProperties.Cache.class))
			.allSatisfy((type) -> assertThat(RuntimeHintsPredicates.reflection().onType(type)).accepts(hints));
		assertThat(RuntimeHintsPredicates.reflection()
			.onConstructorInvocation(CacheProperties.Near.class.getDeclaredConstructors()[0])).accepts(hints);
	}

	@Test
	void typesThatPropertiesNameAreWrittenAndRead() {
		RuntimeHints hints = process();
		assertThat(RuntimeHintsPredicates.reflection()
			.onType(Order.class)
			.withMemberCategory(MemberCategory.INVOKE_DECLARED_CONSTRUCTORS)).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Table.class, "name")).accepts(hints);
	}

	@Test
	void answersOfTheEndpointAreWritten() {
		RuntimeHints hints = process();
		List<Class<?>> answers = answers();
		assertThat(answers).hasSizeGreaterThan(20);
		assertThat(answers).allSatisfy((answer) -> assertThat(RuntimeHintsPredicates.reflection()
			.onType(answer)
			.withMemberCategory(MemberCategory.INVOKE_DECLARED_CONSTRUCTORS)).as(answer.getName()).accepts(hints));
	}

	@Test
	void resourcesComeWithTheGuardsOnly() {
		String script = "io/ge/redis/lock/acquire.lua";
		assertThat(RuntimeHintsPredicates.resource().forResource(script)).accepts(process());
		assertThat(RuntimeHintsPredicates.resource().forResource(script)).rejects(process("ge.redis.enabled=false"));
	}

	@Test
	void consoleIsKept() {
		RuntimeHints hints = new RuntimeHints();
		Actuate.hintsOfConsole().registerHints(hints, null);
		assertThat(RuntimeHintsPredicates.resource().forResource("io/ge/redis/actuate/console.html")).accepts(hints);
	}

	// All records of controls and resources
	private static List<Class<?>> answers() {
		return LibraryClasses.all()
			.stream()
			.filter(Class::isRecord)
			.filter((type) -> OperationResponseBody.class.isAssignableFrom(type) || type == IdempotencyRecord.class
					|| (type.isMemberClass()
							&& type.getEnclosingClass().getSimpleName().matches(".+(Control|Resource)")))
			.toList();
	}

	private static RuntimeHints process(String... more) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		TestPropertyValues.of(PROPERTIES).and(more).applyTo(context);
		context.register(DataRedisAutoConfiguration.class, GeRedisAutoConfiguration.class,
				RateLimitAutoConfiguration.class, LockAutoConfiguration.class, BreakerAutoConfiguration.class,
				IdempotencyAutoConfiguration.class, CacheAutoConfiguration.class, SpringCacheAutoConfiguration.class,
				BlacklistAutoConfiguration.class, RefreshTokenAutoConfiguration.class, ConsumerAutoConfiguration.class,
				StreamAutoConfiguration.class, QueueAutoConfiguration.class, BroadcastAutoConfiguration.class,
				StructureAutoConfiguration.class, GeRedisEndpointAutoConfiguration.class);
		return GuardedBeanAotProcessorTests.process(context);
	}

	record Order(String id, Map<String, Table> tables) {
	}

	record Table(String name) {
	}

}
