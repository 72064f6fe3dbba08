// SPDX-License-Identifier: Apache-2.0

package io.ge.redis;

import java.util.List;
import java.util.regex.Pattern;

import io.ge.redis.test.RedisServers;
import io.ge.redis.test.Sources;
import io.ge.redis.test.StandaloneRedis;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The blocks of rights in {@code docs/operations.md} can be pasted: each line is a
 * command that a server takes.
 */
class AclBlocksIntegrationTests {

	@Test
	void eachLineIsACommand() {
		List<String> lines = Pattern.compile("```acl\n(.*?)```", Pattern.DOTALL)
			.matcher(Pages.read(Sources.ROOT.resolve("docs/operations.md")))
			.results()
			.flatMap((block) -> block.group(1).lines())
			.toList();
		assertThat(lines).hasSizeGreaterThan(5);
		try (StandaloneRedis redis = RedisServers.standalone()) {
			for (String line : lines) {
				assertThat(redis.primary().command(line.split(" "))).as(line).isEqualTo("OK");
			}
			assertThat(String.valueOf(redis.primary().command("ACL", "LIST"))).contains("user orders on", "~ge:*",
					"+evalsha", "+zscore", "+cluster|nodes");
		}
	}

}
