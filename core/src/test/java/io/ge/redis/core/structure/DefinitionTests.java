// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.structure;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;

import io.ge.redis.Refusal;
import io.ge.redis.Window;
import io.ge.redis.core.invocation.NotConfiguredException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Definitions have a proper name and a TTL, or are permanent; the messages say what to
 * write. So do those of arguments.
 */
class DefinitionTests {

	private static final Duration DAY = Duration.ofDays(1);

	@Test
	void wantsATtlOrPermanence() {
		refuses("a.things.x.ttl must be set, such as to 30d", "x", null, false);
		refuses("For data that stays for ever, set a.things.x.permanent=true", "x", null, false);
		refuses("Set either a.things.x.ttl or a.things.x.permanent, not both", "x", DAY, true);
		refuses("a.things.x.ttl must be at least 1ms, was PT0S", "x", Duration.ZERO, false);
		assertThatNoException().isThrownBy(() -> Definition.check("a.things", Map.of("x", new Thing(DAY, false))));
		assertThatNoException().isThrownBy(() -> Definition.check("a.things", Map.of("x", new Thing(null, true))));
		assertThat(new Thing(DAY, false).timeToLive()).isEqualTo(86_400_000);
		assertThat(new Thing(null, true).timeToLive()).isZero();
	}

	@Test
	void refusesNamesThatDoNotFitIntoAKey() {
		refuses("neither braces, colons nor slashes", "a{b}", DAY, false);
		refuses("neither braces, colons nor slashes", "a:b", DAY, false);
		refuses("at most 200 bytes", "n".repeat(201), DAY, false);
	}

	@Test
	void saysHowToConfigureAName() {
		assertThatExceptionOfType(NotConfiguredException.class)
			.isThrownBy(() -> Definition.find(Map.of(), "a.things", "thing", "x"))
			.withMessageContainingAll("There is no thing 'x'", "a.things.x.ttl=30d");
	}

	@Test
	void refusesWindowsThatEndAfterTheirKeys() {
		assertThatIllegalArgumentException().isThrownBy(() -> Definition.requireKept("a.things.x", Window.WEEK, DAY))
			.withMessageContaining("a.things.x.ttl must be at least PT168H");
		Definition.requireKept("a.things.x", Window.DAY, DAY);
		Definition.requireKept("a.things.x", Window.WEEK, null);
	}

	@Test
	void saysOverHttpThatTheDataIsAnother() {
		Refusal refusal = new StructureMismatchException("The key 'ge:x:{y}' holds a list").refusal();
		assertThat(refusal.status()).isEqualTo(409);
		assertThat(refusal.type()).hasToString("urn:ge-redis:problem:data-mismatch");
		assertThat(refusal.detail()).doesNotContain("ge:x");
	}

	@Test
	void refusesArgumentsByName() {
		assertThatIllegalArgumentException().isThrownBy(() -> Arguments.member("member", ""))
			.withMessage("member must have from 1 to 200 bytes, has 0");
		assertThatIllegalArgumentException().isThrownBy(() -> Arguments.member("member", Objects.toString(null, null)))
			.withMessage("member must not be null");
		assertThatIllegalArgumentException().isThrownBy(() -> Arguments.name("id", "a{b}"))
			.withMessageStartingWith("id must have neither braces");
		assertThatIllegalArgumentException().isThrownBy(() -> Arguments.member("member", "a\ud800"))
			.withMessage("member must be text, has half of a surrogate pair");
		assertThatIllegalArgumentException().isThrownBy(() -> Arguments.finite("score", Double.NaN))
			.withMessage("score must be finite, was NaN");
		assertThatIllegalArgumentException().isThrownBy(() -> Arguments.range("latitude", Double.NaN, 0, 1))
			.withMessageStartingWith("latitude must be from 0.0 to 1.0");
		assertThat(Arguments.member("member", "agent:{7}")).isEqualTo("agent:{7}");
	}

	private static void refuses(String problem, String name, @Nullable Duration ttl, boolean permanent) {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> Definition.check("a.things", Map.of(name, new Thing(ttl, permanent))))
			.withMessageContaining(problem);
	}

	private record Thing(@Nullable Duration ttl, boolean permanent) implements Definition {
	}

}
