// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.invocation;

import java.util.Map;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.InvalidKeyException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link VariableExpression}.
 */
class VariableExpressionTests {

	@Test
	void readsPropertiesAndCallsMethods() {
		assertThat(parse("#order.buyer + ':' + #order.tag('x').toUpperCase()").evaluate(new Order("anna")))
			.isEqualTo("anna:X-ANNA");
		assertThat(parse("{#order.buyer, 1}").evaluate(new Order("anna"))).asList().containsExactly("anna", 1);
		assertThat(parse("#order['a']").evaluate(Map.of("a", "b"))).isEqualTo("b");
	}

	@Test
	void whatTheVariableSaysIsNeverEvaluated() {
		String text = "#{T(java.lang.Runtime)} #order ${x}";
		assertThat(parse("#order.buyer").evaluate(new Order(text))).isEqualTo(text);
	}

	// @formatter:off
	@ParameterizedTest
	@CsvSource(delimiter = '|', value = {
			"#order +                         | does not parse",
			"#order.                          | does not parse",
			"buyer                            | does not use #order",
			"'anna'                           | does not use #order",
			"#orders.buyer                    | uses #orders",
			"#root + #order                   | uses #root",
			"#order.buyer == buyer            | uses buyer",
			"#order.buyer + T(java.lang.Runtime).getRuntime() | uses T(java.lang.Runtime)",
			"@bean.of(#order)                 | uses @bean",
			"new java.io.File(#order.buyer)   | uses new java.io.File",
			"#order.buyer = 'boris'           | uses #order.buyer='boris'",
			"#order.count++                   | uses #order.count++",
			"--#order.count                   | uses --#order.count",
			"#of(#order)                      | uses #of" })
	// @formatter:on
	void refusesAllElse(String text, String problem) {
		assertThatExceptionOfType(GuardConfigurationException.class).isThrownBy(() -> parse(text))
			.withMessageStartingWith("a.property: \"" + text + "\" ")
			.withMessageContaining(problem);
	}

	@Test
	void reflectionIsOutOfReach() {
		for (String text : new String[] { "#order.class.forName('java.lang.Runtime')",
				"#order.getClass().getClassLoader()", "#order.missing" }) {
			assertThatExceptionOfType(InvalidKeyException.class)
				.isThrownBy(() -> parse(text).evaluate(new Order("anna")))
				.withMessageContaining("of a.property could not be evaluated")
				.matches((ex) -> !ex.isCausedByArguments());
		}
	}

	private static VariableExpression parse(String text) {
		return VariableExpression.parse("a.property", "order", text);
	}

	public static class Order {

		private final String buyer;

		Order(String buyer) {
			this.buyer = buyer;
		}

		public String getBuyer() {
			return this.buyer;
		}

		public String tag(String prefix) {
			return prefix + "-" + this.buyer;
		}

	}

}
