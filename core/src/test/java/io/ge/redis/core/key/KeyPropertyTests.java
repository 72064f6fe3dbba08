// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.key;

import java.util.List;

import io.ge.redis.test.Sized;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * No user text can change the slot, break the layout or meet another entity's key.
 */
@Sized
class KeyPropertyTests {

	private static final KeySpace KEYS = new KeySpace("ge", "lock");

	@Property
	void derivedKeysShareTheSlot(@ForAll("parts") List<String> entity, @ForAll("parts") List<String> suffix) {
		RedisKey key = KEYS.entity(parts(entity));
		assertThat(ClusterSlots.of(key.with(parts(suffix)).bytes())).isEqualTo(ClusterSlots.of(key.bytes()));
	}

	@Property
	void theEntityIsTheWholeHashTag(@ForAll("parts") List<String> entity, @ForAll("parts") List<String> suffix) {
		String key = KEYS.entity(parts(entity)).with(parts(suffix)).toString();
		assertThat(key).startsWith("ge:lock:{");
		assertThat(key.chars().filter((c) -> c == '{')).hasSize(1);
		assertThat(key.chars().filter((c) -> c == '}')).hasSize(1);
		assertThat(key.indexOf('}') - key.indexOf('{')).isGreaterThan(1);
		assertThat(key.chars()).noneMatch(Character::isISOControl);
	}

	@Property(tries = 5000)
	void differentEntitiesHaveDifferentKeys(@ForAll("parts") List<String> one, @ForAll("parts") List<String> other) {
		assertThat(KEYS.entity(parts(one)).equals(KEYS.entity(parts(other)))).isEqualTo(one.equals(other));
	}

	@Property
	void bytesAreUnambiguous(@ForAll("text") String one, @ForAll("text") String other) {
		assertThat(
				java.util.Arrays.equals(KEYS.entity(KeyPart.of(one)).bytes(), KEYS.entity(KeyPart.of(other)).bytes()))
			.isEqualTo(one.equals(other));
	}

	@Property
	void textOfAPartIsThatOfItsBytes(@ForAll("text") String text) {
		assertThat(KeyPart.text(text)).isEqualTo(KeyPart.of(text).toString());
	}

	@Property
	void keysAreShort(@ForAll("parts") List<String> entity) {
		int longestPart = KeyPart.MAX_BYTES + 1;
		assertThat(KEYS.entity(parts(entity)).bytes().length).isLessThanOrEqualTo(10 + entity.size() * longestPart);
	}

	@Property
	void secretsAreUnreadableAndApartFromText(@ForAll("text") String secret, @ForAll("text") String other) {
		String part = KeyPart.secret(secret).toString();
		assertThat(part).hasSize(45).startsWith("%s").isNotEqualTo(KeyPart.of(other).toString());
		assertThat(part.equals(KeyPart.secret(other).toString())).isEqualTo(secret.equals(other));
	}

	@Provide
	Arbitrary<List<String>> parts() {
		return text().list().ofMinSize(1).ofMaxSize(3);
	}

	@Provide
	Arbitrary<String> text() {
		Arbitrary<String> awkward = Arbitraries.strings()
			.withChars("ab:{}%h0uesD8\u0000\n\t €\uD83D\uDE00\uD800\uDC00")
			.ofMaxLength(8);
		Arbitrary<String> forged = Arbitraries.of("%e", "%00", "", "%h", "%s", "%uD800", "\uD800", "?", "a:b", "%3A",
				"x".repeat(250), "x".repeat(251), "€".repeat(90), "{".repeat(80), "%uD800" + "x".repeat(300),
				"\uD800" + "x".repeat(300));
		return Arbitraries.oneOf(awkward, forged, Arbitraries.strings().all().ofMaxLength(300));
	}

	private static KeyPart[] parts(List<String> texts) {
		return texts.stream().map(KeyPart::of).toArray(KeyPart[]::new);
	}

}
