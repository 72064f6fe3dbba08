// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.invocation;

import java.util.Set;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.InvalidKeyException;
import org.jspecify.annotations.Nullable;

import org.springframework.expression.EvaluationException;
import org.springframework.expression.MethodResolver;
import org.springframework.expression.ParseException;
import org.springframework.expression.PropertyAccessor;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Assign;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.ConstructorReference;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.OpDec;
import org.springframework.expression.spel.ast.OpInc;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.DataBindingMethodResolver;
import org.springframework.expression.spel.support.DataBindingPropertyAccessor;
import org.springframework.expression.spel.support.SimpleEvaluationContext;

/**
 * A SpEL expression in a property, over one variable. Parsed once; may read the variable
 * and call its methods, and reaches neither types, beans, constructors nor assignments.
 */
public final class VariableExpression {

	private static final Set<Class<? extends SpelNode>> REFUSED = Set.of(Assign.class, BeanReference.class,
			ConstructorReference.class, FunctionReference.class, OpDec.class, OpInc.class, TypeReference.class);

	// Shared, since they cache the accessors that they found
	private static final PropertyAccessor PROPERTIES = DataBindingPropertyAccessor.forReadOnlyAccess();

	private static final MethodResolver METHODS = DataBindingMethodResolver.forInstanceMethodInvocation();

	private final String place;

	private final String variable;

	private final SpelExpression expression;

	private VariableExpression(String place, String variable, SpelExpression expression) {
		this.place = place;
		this.variable = variable;
		this.expression = expression;
	}

	/**
	 * Parses an expression.
	 * @throws GuardConfigurationException if it does not parse, does not use the
	 * variable, or uses anything else
	 */
	public static VariableExpression parse(String place, String variable, String text) {
		SpelExpression expression;
		try {
			expression = new SpelExpressionParser().parseRaw(text);
		}
		catch (ParseException | IllegalStateException ex) {
			throw new GuardConfigurationException(place, "\"" + text + "\" does not parse: " + ex.getMessage() + ".",
					"Write a SpEL expression over #" + variable + ".", ex);
		}
		if (!uses(expression.getAST(), place, variable, text)) {
			throw new GuardConfigurationException(place, "\"" + text + "\" does not use #" + variable + ".",
					"Write a SpEL expression over #" + variable + ".");
		}
		SpelNode unknown = ExpressionRoots.findUnknown(expression.getAST(), Set.of());
		if (unknown != null) {
			throw refused(unknown, place, variable, text);
		}
		return new VariableExpression(place, variable, expression);
	}

	private static boolean uses(SpelNode node, String place, String variable, String text) {
		boolean used = false;
		if (node instanceof VariableReference) {
			used = node.toStringAST().equals("#" + variable);
		}
		if (REFUSED.contains(node.getClass()) || (node instanceof VariableReference && !used)) {
			throw refused(node, place, variable, text);
		}
		for (int i = 0; i < node.getChildCount(); i++) {
			used |= uses(node.getChild(i), place, variable, text);
		}
		return used;
	}

	private static GuardConfigurationException refused(SpelNode node, String place, String variable, String text) {
		return new GuardConfigurationException(place, "\"" + text + "\" uses " + node.toStringAST() + ".",
				"It may use nothing but #" + variable + ", its properties and its methods.");
	}

	public @Nullable Object evaluate(Object value) {
		SimpleEvaluationContext context = SimpleEvaluationContext.forPropertyAccessors(PROPERTIES)
			.withMethodResolvers(METHODS)
			.withAssignmentDisabled()
			.build();
		context.setVariable(this.variable, value);
		try {
			return this.expression.getValue(context);
		}
		catch (EvaluationException ex) {
			throw new InvalidKeyException(this, ex);
		}
	}

	@Override
	public String toString() {
		return "The expression \"" + this.expression.getExpressionString() + "\" of " + this.place;
	}

}
