// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.invocation;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Method;
import java.security.Principal;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.GuardConfigurationException;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link ExpressionCompiler}.
 */
class ExpressionCompilerTests {

	private final ExpressionCompiler compiler = new ExpressionCompiler(null);

	// @formatter:off
	@ParameterizedTest
	@CsvSource(delimiter = '|', value = {
			"aliases  | {#a1, #a2}       | [first, second]",
			"aliases  | #a1              | first",
			"aliases  | {#p0, #p1, #a0}  | [first, second, first]",
			"swapped  | {#p1, #p0}       | [first, second]",
			"swapped  | #p1              | first",
			"swapped  | #p0              | second",
			"swapped  | #p0 + #p1        | secondfirst",
			"reserved | {#p0, #p1}       | [first, second]"
	})
	// @formatter:on
	void namesOfParametersComeBeforeAliases(String method, String expression, String expected) throws Exception {
		GuardedMethod guarded = method(Desk.class, method);
		MethodExpression compiled = this.compiler.compileKey(guarded, "key", expression);
		assertThat(compiled.evaluate(new Call(guarded.method(), "first", "second"))).hasToString(expected);
	}

	// @formatter:off
	@ParameterizedTest
	@CsvSource(delimiter = '|', value = {
			"reserved | {#root, 'x'}  | uses #root, which is reserved and the name of a parameter | write #p0",
			"reserved | #root         | uses #root, which is reserved and the name of a parameter | write #p0",
			"reserved | #result       | uses #result, which is reserved and the name of a parameter | write #p1",
			"aliases  | #a3           | uses #a3, which is no parameter | Its parameters are #a1, #a2",
			"aliases  | principal     | is a value of web requests | Write an expression",
			"aliases  | client-address | is a value of web requests | Write an expression",
			"aliases  | header:X-Key  | is a value of web requests | Write an expression"
	})
	// @formatter:on
	void ambiguousNamesAreRefused(String method, String expression, String problem, String remedy) {
		assertThatExceptionOfType(GuardConfigurationException.class).isThrownBy(() -> {
			GuardedMethod guarded = method(Desk.class, method);
			if (expression.equals("#result")) {
				this.compiler.compileWithResult(guarded, "tags", expression);
			}
			this.compiler.compileKey(guarded, "key", expression);
		}).withMessageContaining(problem).withMessageContaining(remedy);
	}

	// @formatter:off
	@ParameterizedTest
	@CsvSource(delimiter = '|', value = {
			"#date",
			"#dates",
			"#mono",
			"#future",
			"#order",
			"#orders",
			"#byId",
			"#order.customer",
			"#order.customer()",
			"{#name, #order}",
			"#line",
			"#line.order",
			"#page",
			"#own"
	})
	// @formatter:on
	void declaredTypesWithoutTextAreRefused(String expression) {
		assertThatExceptionOfType(GuardConfigurationException.class)
			.isThrownBy(() -> this.compiler.compileKey(method(Orders.class, "refused"), "key", expression))
			.withMessageContaining("key = \"" + expression + "\" gives a ")
			.withMessageContaining(", which has no text of its own. ");
	}

	// @formatter:off
	@ParameterizedTest
	@CsvSource(delimiter = '|', value = {
			"#name", "#any", "#number", "#principal", "#names", "#counts", "#maybe", "#node", "#own", "#order.id",
			"{#name, #order.id}", "#order.tags", "#bytes", "#orders.![id]", "#order.open"
	})
	// @formatter:on
	void declaredTypesThatMayHaveTextAreNot(String expression) throws Exception {
		assertThat(this.compiler.compileKey(method(Names.class, "allowed"), "key", expression)).isNotNull();
	}

	private static GuardedMethod method(Class<?> type, String name) {
		Method method = Arrays.stream(type.getMethods())
			.filter((each) -> each.getName().equals(name) && !each.isBridge())
			.findFirst()
			.orElseThrow();
		return new GuardedMethod(method, type, Deprecated.class);
	}

	public static class Desk {

		public void aliases(String a1, String a2) {
		}

		public void swapped(String p1, String p0) {
		}

		public void reserved(String root, String result) {
		}

	}

	public static class Base<T> {

		public void refused(String name, Date date, List<Date> dates, Mono<String> mono,
				CompletableFuture<String> future, Order order, Set<? extends Order> orders, Map<String, Order> byId,
				Line line, Optional<Page<Order>> page, T own) {
		}

		public void allowed(String name, Object any, Number number, Principal principal, List<String> names,
				Map<String, long[]> counts, Optional<Page<String>> maybe, Node node, T own, Order order, byte[] bytes,
				List<Order> orders) {
		}

	}

	public static class Orders extends Base<Order> {

	}

	public static class Names extends Base<String> {

	}

	public static class Order {

		public String getId() {
			return "1";
		}

		public Set<String> getTags() {
			return Set.of();
		}

		public Object getOpen() {
			return "";
		}

		public Order customer() {
			return this;
		}

		public Order getCustomer() {
			return this;
		}

	}

	public record Line(Order order) {
	}

	public record Page<T>(T content) {
	}

	public record Node(String name, @Nullable Node next) {
	}

	private record Call(Method method, Object... arguments) implements MethodInvocation {

		@Override
		public Method getMethod() {
			return this.method;
		}

		@Override
		public Object[] getArguments() {
			return this.arguments;
		}

		@Override
		public Object proceed() {
			throw new UnsupportedOperationException();
		}

		@Override
		public Object getThis() {
			return this;
		}

		@Override
		public AccessibleObject getStaticPart() {
			return this.method;
		}

	}

}
