// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.invocation;

import java.beans.PropertyDescriptor;
import java.lang.reflect.Method;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.springframework.beans.BeanUtils;
import org.springframework.core.ResolvableType;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.util.ClassUtils;

/**
 * The declared types of the parts of an expression: of parameters, and of properties read
 * from them.
 */
final class DeclaredTypes {

	private DeclaredTypes() {
	}

	/**
	 * Returns the type of an expression, of a list those of its elements.
	 * @return types, unknown ones left out
	 */
	static Stream<ResolvableType> of(SpelNode node, ExpressionCompiler compiler, GuardedMethod method) {
		if (node instanceof InlineList) {
			return children(node).flatMap((element) -> of(element, compiler, method));
		}
		if (node instanceof CompoundExpression) {
			return of(node.getChild(0), compiler, method)
				.map((type) -> children(node).skip(1).reduce(type, DeclaredTypes::member, (first, last) -> last));
		}
		int position = (node instanceof VariableReference)
				? compiler.position(node.toStringAST().substring(1), method.method()) : -1;
		return (position < 0) ? Stream.empty()
				: Stream.of(ResolvableType.forMethodParameter(method.method(), position, method.targetClass()));
	}

	private static Stream<SpelNode> children(SpelNode node) {
		return IntStream.range(0, node.getChildCount()).mapToObj(node::getChild);
	}

	private static ResolvableType member(ResolvableType owner, SpelNode node) {
		Class<?> type = owner.resolve(Object.class);
		Method reader = null;
		if (node instanceof PropertyOrFieldReference property) {
			PropertyDescriptor descriptor = BeanUtils.getPropertyDescriptor(type, property.getName());
			reader = (descriptor != null) ? descriptor.getReadMethod()
					: ClassUtils.getMethodIfAvailable(type, property.getName());
		}
		else if (node instanceof MethodReference called && node.getChildCount() == 0) {
			reader = ClassUtils.getMethodIfAvailable(type, called.getName());
		}
		return (reader != null)
				? ResolvableType.forType(reader.getGenericReturnType(), owner.as(reader.getDeclaringClass()))
				: ResolvableType.NONE;
	}

}
