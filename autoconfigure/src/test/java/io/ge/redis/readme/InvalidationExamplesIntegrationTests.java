// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import java.util.Map;

import io.ge.redis.autoconfigure.CacheAutoConfiguration;
import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.readme.InvalidationExamples.Article;
import io.ge.redis.test.SharedRedis;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The code of the page on caches invalidates what the page says.
 */
class InvalidationExamplesIntegrationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, GeRedisAutoConfiguration.class,
				CacheAutoConfiguration.class))
		.withUserConfiguration(InvalidationExamples.class)
		.withPropertyValues(SharedRedis.standalone().properties())
		.withPropertyValues("ge.redis.outage.command-timeout=5s");

	@Test
	void invalidatesWhatThePageSays() {
		SharedRedis.standalone().flushAll();
		this.runner.run((context) -> {
			InvalidationExamples examples = context.getBean(InvalidationExamples.class);
			Article first = new Article("1", "anna", "A", 1);
			examples.save(first);
			assertThat(examples.find("anna", "1")).isEqualTo(first);
			examples.rename("anna", "B");
			assertThat(examples.find("anna", "1").name()).isEqualTo("B");
			examples.restock(Map.of("1", new Article("1", "anna", "C", 7)));
			assertThat(examples.find("anna", "1").name()).isEqualTo("C");
			examples.shelf().put("1", new Article("1", "anna", "D", 8));
			assertThat(examples.find("anna", "1").name()).isEqualTo("C");
			examples.close("anna");
			assertThat(examples.find("anna", "1").name()).isEqualTo("D");
			examples.delete("1");
			assertThat(examples.find("anna", "1")).isNull();
		});
	}

}
