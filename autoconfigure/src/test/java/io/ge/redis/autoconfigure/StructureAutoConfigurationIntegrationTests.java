// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.time.Duration;
import java.util.List;

import io.ge.redis.bloom.BloomFilters;
import io.ge.redis.core.RedisBackends;
import io.ge.redis.core.structure.StructureMismatchException;
import io.ge.redis.counter.UniqueCounters;
import io.ge.redis.geo.GeoIndexes;
import io.ge.redis.hash.HashStore;
import io.ge.redis.leaderboard.Leaderboards;
import io.ge.redis.script.EntityScript;
import io.ge.redis.script.EntityScripts;
import io.ge.redis.test.SharedRedis;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Structures in an application: lazy, checked at startup where they are configured, and
 * switched off one by one.
 */
class StructureAutoConfigurationIntegrationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, GeRedisAutoConfiguration.class,
				StructureAutoConfiguration.class, GeRedisDisabledAutoConfiguration.class))
		.withPropertyValues(SharedRedis.properties());

	@BeforeEach
	void emptyRedis() {
		SharedRedis.standalone().flushAll();
	}

	@Test
	void connectsToNothingWhereNothingIsUsed() {
		this.runner.run((context) -> assertThat(context.getBean(RedisBackends.class).all()).isEmpty());
	}

	@Test
	void refusesADefinitionWithoutTtlAtStartup() {
		this.runner.withPropertyValues("ge.redis.leaderboard.boards.agents.ties=first")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("ge.redis.leaderboard.boards.agents.ttl must be set"));
	}

	@Test
	void refusesABloomFilterWithOtherParametersAtStartup() {
		String[] mails = { "ge.redis.bloom.filters.mails.ttl=1h", "ge.redis.bloom.filters.mails.capacity=1000" };
		this.runner.withPropertyValues(mails)
			.run((context) -> assertThat(context.getBean(BloomFilters.class).add("mails", "a")).isTrue());
		this.runner.withPropertyValues(mails)
			.run((context) -> assertThat(context.getBean(BloomFilters.class).add("mails", "a")).isFalse());
		this.runner.withPropertyValues(mails)
			.withPropertyValues("ge.redis.bloom.filters.mails.capacity=2000")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(StructureMismatchException.class)
				.hasMessageContainingAll("capacity=1000", "capacity=2000"));
	}

	@Test
	void startsWithoutRedisAndChecksLater() {
		this.runner
			.withPropertyValues("spring.data.redis.port=1", "ge.redis.bloom.filters.mails.ttl=1h",
					"ge.redis.outage.command-timeout=100ms")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void keepsNothingWhereItIsSwitchedOff() {
		this.runner
			.withPropertyValues("ge.redis.leaderboard.enabled=false", "ge.redis.counter.enabled=false",
					"ge.redis.bloom.enabled=false", "ge.redis.geo.enabled=false", "ge.redis.hash.enabled=false",
					"ge.redis.script.enabled=false")
			.run((context) -> {
				assertThat(context.getBean(Leaderboards.class).add("any", "a", 1)).isEqualTo(1);
				assertThat(context.getBean(UniqueCounters.class).count("any")).isZero();
				assertThat(context.getBean(BloomFilters.class).add("any", "a")).isTrue();
				assertThat(context.getBean(GeoIndexes.class).remove("any", "a")).isFalse();
				EntityScript<Boolean> script = new EntityScript<>("any", "return 1", Boolean.class, List.of("key"));
				assertThat(context.getBean(EntityScripts.class).run(script, "any", "a")).isFalse();
				assertThat(context.getBean(HashStore.class).get("any", "a", String.class)).isEmpty();
				assertThat(context.getBean(StringRedisTemplate.class).hasKey("ge:leaderboard:{any}")).isFalse();
			});
	}

	@Test
	void yieldsToAUsersBean() {
		Leaderboards own = Leaderboards.unguarded();
		this.runner.withBean(Leaderboards.class, () -> own)
			.run((context) -> assertThat(context.getBean(Leaderboards.class)).isSameAs(own));
	}

	@Test
	void keysGoWithTheirTtl() {
		this.runner.withPropertyValues("ge.redis.leaderboard.boards.agents.ttl=1h").run((context) -> {
			context.getBean(Leaderboards.class).add("agents", "a", 1);
			assertThat(context.getBean(StringRedisTemplate.class).getExpire("ge:leaderboard:{agents}")).isBetween(1L,
					Duration.ofHours(1).toSeconds());
		});
	}

}
