// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.invocation;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.function.Supplier;

import io.ge.redis.InvalidKeyException;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.standard.SpelExpression;

/**
 * A SpEL expression on a method, parsed and checked at startup. The expression is the
 * developer's text; nothing that comes in with a call is ever evaluated.
 */
public final class MethodExpression {

	private final ExpressionCompiler compiler;

	private final GuardedMethod method;

	private final String attribute;

	private final Expression expression;

	/** Position of the argument if the expression is just that, else -1. */
	private final int argument;

	/** Reads a value of the current web request instead. */
	private final @Nullable Supplier<@Nullable Object> request;

	MethodExpression(ExpressionCompiler compiler, GuardedMethod method, String attribute, Expression expression,
			int argument, @Nullable Supplier<@Nullable Object> request) {
		this.compiler = compiler;
		this.method = method;
		this.attribute = attribute;
		this.expression = expression;
		this.argument = argument;
		this.request = request;
	}

	/**
	 * Refuses an expression whose declared type has no text in keys.
	 */
	public MethodExpression asKey() {
		if (this.expression instanceof SpelExpression spel) {
			DeclaredTypes.of(spel.getAST(), this.compiler, this.method)
				.flatMap(KeyText::refused)
				.findFirst()
				.ifPresent((refused) -> {
					throw this.method.problem(this.attribute + " = \"" + text() + "\" gives a " + refused.getName()
							+ ", which has no text of its own.", KeyText.remedy(refused));
				});
		}
		return this;
	}

	/**
	 * Returns the only type that the value can have, as far as known before any call.
	 * That is the type of a constant, or of a parameter whose type has no subtypes.
	 * @return the type, or {@code null} if it may be several
	 */
	public @Nullable Class<?> knownType() {
		if (this.argument >= 0) {
			Class<?> type = this.method.method().getParameterTypes()[this.argument];
			return Modifier.isFinal(type.getModifiers()) ? type : null;
		}
		return (this.expression instanceof SpelExpression spel && spel.getAST() instanceof Literal)
				? this.expression.getValueType() : null;
	}

	/**
	 * Evaluates the expression before the call.
	 */
	public @Nullable Object evaluate(MethodInvocation invocation) {
		if (this.argument >= 0) {
			return invocation.getArguments()[this.argument];
		}
		return (this.request != null) ? this.request.get() : evaluate(context(invocation));
	}

	/**
	 * Evaluates the expression after the call, with {@code #result}.
	 */
	public @Nullable Object evaluate(MethodInvocation invocation, @Nullable Object result) {
		if (this.argument >= 0) {
			return invocation.getArguments()[this.argument];
		}
		MethodBasedEvaluationContext context = context(invocation);
		context.setVariable("result", result);
		return evaluate(context);
	}

	/**
	 * Evaluates the expression as a condition.
	 * @param result the result of the method, if the expression may use it
	 */
	public boolean isTrue(MethodInvocation invocation, @Nullable Object result) {
		Object value = evaluate(invocation, result);
		if (value instanceof Boolean decided) {
			return decided;
		}
		throw new InvalidKeyException(this, "evaluated to " + value + ", which is neither true nor false", false);
	}

	private @Nullable Object evaluate(MethodBasedEvaluationContext context) {
		try {
			return this.expression.getValue(context);
		}
		catch (EvaluationException ex) {
			throw new InvalidKeyException(this, ex);
		}
	}

	private MethodBasedEvaluationContext context(MethodInvocation invocation) {
		Method called = this.method.method();
		CallRoot root = new CallRoot(called, invocation.getThis(), this.method.targetClass(),
				SourceMethods.arguments(called, invocation.getArguments()));
		return this.compiler.context(root, called, invocation.getArguments());
	}

	public String text() {
		return this.expression.getExpressionString();
	}

	@Override
	public String toString() {
		return "The expression " + this.attribute + " = \"" + text() + "\" of @"
				+ this.method.annotationType().getSimpleName() + " on " + this.method.displayName();
	}

	public record CallRoot(Method method, @Nullable Object target, Class<?> targetClass, @Nullable Object[] args) {
	}

}
