// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.invocation;

import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.standard.SpelExpressionParser;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ExpressionRoots}.
 */
class ExpressionRootsTests {

	// @formatter:off
	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '~', value = {
			"user                             | user",
			"user.name                        | user",
			"user?.name                       | user",
			"find(#user)                      | find(#user)",
			"'order:' + user                  | user",
			"#user.has(role)                  | role",
			"#user.of(#user.has(role)).name   | role",
			"T(Math).max(1, count)            | count",
			"#users[user.name]                | user",
			"{#user, shop}                    | shop",
			"{a: shop}                        | shop",
			"#user ?: shop                    | shop",
			"paid ? 1 : 2                     | paid",
			"result == null                   | result" })
	// @formatter:on
	void findsNamesThatTheRootObjectDoesNotHave(String text, String unknown) {
		SpelNode found = find(text);
		assertThat(found).isNotNull();
		assertThat(found.toStringAST()).isEqualTo(unknown);
	}

	@ParameterizedTest
	@ValueSource(strings = { "#user", "'user'", "method.name", "#user.name", "#user.has(#role).name", "#users[name]",
			"#users['a'].name", "#users.![name]", "#users.?[name == 'a'].![name]", "{name: #user}", "T(Math).PI",
			"@shop.of(#user).name", "true", "null", "new java.io.File(#user).name", "args[0]" })
	void passesAllElse(String text) {
		assertThat(find(text)).isNull();
	}

	private static @Nullable SpelNode find(String text) {
		return ExpressionRoots.findUnknown(new SpelExpressionParser().parseRaw(text).getAST(),
				Set.of("method", "args"));
	}

}
