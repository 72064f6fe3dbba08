// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.ratelimit.RateLimitAlgorithm;
import io.ge.redis.ratelimit.RateLimitChange;
import io.ge.redis.ratelimit.RateLimitProperties;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RateLimitProperties}: what an editor proposes, and how it is read.
 */
class RateLimitPropertiesTests {

	private static final String HINTS = "META-INF/additional-spring-configuration-metadata.json";

	@Test
	void defaultsAreCareful() {
		RateLimitProperties properties = RateLimitRegistryTests.bind();
		assertThat(properties).isEqualTo(new RateLimitProperties(true, null, OutagePolicy.LOCAL, false, 10_000,
				RateLimitProperties.Headers.DRAFT_10, false, 0, Map.of(), List.of()));
	}

	@Test
	void limitReadsEverySetting() {
		RateLimitProperties.Limit limit = RateLimitRegistryTests
			.bind("limits.a.limit", "1", "limits.a.window", "2s", "limits.a.algorithm", "token-bucket",
					"limits.a.burst", "3", "limits.a.wait-time", "4s", "limits.a.on-outage", "deny", "limits.a.shadow",
					"true", "limits.a.overrides[tenant:anna].limit", "6")
			.limit("a");
		assertThat(limit).isEqualTo(new RateLimitProperties.Limit(1L, Duration.ofSeconds(2),
				RateLimitAlgorithm.TOKEN_BUCKET, 3L, Duration.ofSeconds(4), OutagePolicy.DENY, true, List.of(),
				Map.of("tenant:anna", new RateLimitChange(6L, null, null))));
	}

	@Test
	void everyValueThatEditorsProposeIsUnderstood() throws IOException {
		assertThat(hints("headers")).hasSameSizeAs(RateLimitProperties.Headers.values())
			.extracting((value) -> RateLimitRegistryTests.bind("headers", value).headers())
			.containsExactlyInAnyOrder(RateLimitProperties.Headers.values());
		assertThat(hints("on-outage")).extracting((value) -> RateLimitRegistryTests.bind("on-outage", value).onOutage())
			.containsExactlyInAnyOrder(OutagePolicy.ALLOW, OutagePolicy.DENY, OutagePolicy.LOCAL);
	}

	private static List<String> hints(String property) throws IOException {
		List<String> values = new ArrayList<>();
		for (URL file : Collections.list(RateLimitPropertiesTests.class.getClassLoader().getResources(HINTS))) {
			try (InputStream stream = file.openStream()) {
				for (JsonNode hint : new JsonMapper().readTree(stream).path("hints")) {
					if (hint.path("name").asString("").equals("ge.redis.rate-limit." + property)) {
						hint.path("values").forEach((value) -> values.add(value.path("value").asString("")));
					}
				}
			}
		}
		return values;
	}

}
