// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.invocation;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Collectors;

import io.ge.redis.GuardConfigurationException;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.ParseException;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * Parses expressions of annotations once and refuses those that cannot work: text that
 * does not parse, variables that no parameter of the method has, and names without a
 * {@code #} that {@code #root} does not have.
 */
public final class ExpressionCompiler {

	private static final Set<String> ROOT_NAMES = Arrays.stream(MethodExpression.CallRoot.class.getMethods())
		.map(Method::getName)
		.collect(Collectors.toUnmodifiableSet());

	private final SpelExpressionParser parser = new SpelExpressionParser();

	private final ParameterNameDiscoverer parameterNames = new DefaultParameterNameDiscoverer();

	private final @Nullable BeanFactory beanFactory;

	/**
	 * Creates a compiler.
	 * @param beanFactory for {@code @bean} references, or {@code null} for none
	 */
	public ExpressionCompiler(@Nullable BeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	/**
	 * Compiles an expression over the arguments of a method.
	 */
	public MethodExpression compile(GuardedMethod method, String attribute, String text) {
		return compile(method, attribute, text, false);
	}

	/**
	 * Compiles an expression that may also use {@code #result}.
	 */
	public MethodExpression compileWithResult(GuardedMethod method, String attribute, String text) {
		return compile(method, attribute, text, true);
	}

	/**
	 * Compiles an expression that names what a guard is about, or one of the
	 * {@linkplain RequestKeySource names} for values of a web request.
	 */
	public MethodExpression compileKey(GuardedMethod method, String attribute, String text) {
		if (!RequestKeySource.NAMES.matcher(text).matches()) {
			return compile(method, attribute, text, false).asKey();
		}
		RequestKeySource source = (this.beanFactory != null)
				? this.beanFactory.getBeanProvider(RequestKeySource.class).getIfAvailable() : null;
		if (source == null) {
			throw method.problem(
					attribute + " = \"" + text + "\" is a value of web requests, which only a web application "
							+ "with ge.redis.rate-limit.enabled=true knows.",
					"Write an expression over the parameters, such as \"#id\".");
		}
		return new MethodExpression(this, method, attribute, new LiteralExpression(text), -1,
				source.bind(method, attribute, text));
	}

	private MethodExpression compile(GuardedMethod method, String attribute, String text, boolean withResult) {
		SpelExpression expression;
		try {
			expression = this.parser.parseRaw(text);
		}
		catch (ParseException | IllegalStateException ex) {
			throw method.problem(attribute + " = \"" + text + "\" is no SpEL expression: " + ex.getMessage() + ".",
					"Write an expression over the parameters, such as \"#id\"; constant text needs quotes: \"'text'\".",
					ex);
		}
		Set<String> variables = new LinkedHashSet<>();
		collectVariables(expression.getAST(), variables);
		for (String variable : variables) {
			check(method, attribute, text, variable, withResult);
		}
		SpelNode unknown = ExpressionRoots.findUnknown(expression.getAST(), ROOT_NAMES);
		if (unknown != null) {
			throw unknownName(method, attribute, text, unknown);
		}
		return new MethodExpression(this, method, attribute, expression, soleArgument(expression, method.method()),
				null);
	}

	private static void collectVariables(SpelNode node, Set<String> variables) {
		if (node instanceof VariableReference) {
			variables.add(node.toStringAST().substring(1));
		}
		for (int i = 0; i < node.getChildCount(); i++) {
			collectVariables(node.getChild(i), variables);
		}
	}

	private void check(GuardedMethod method, String attribute, String text, String variable, boolean withResult) {
		boolean reserved = variable.equals("root") || variable.equals("this")
				|| (withResult && variable.equals("result"));
		int position = position(variable, method.method());
		if (reserved && position >= 0) {
			throw method.problem(
					attribute + " = \"" + text + "\" uses #" + variable
							+ ", which is reserved and the name of a parameter.",
					"Rename the parameter, or write #p" + position + " for it.");
		}
		if (reserved || position >= 0) {
			return;
		}
		@Nullable String @Nullable [] names = names(method.method());
		if (names == null && SourceMethods.parameterCount(method.method()) > 0) {
			throw method.problem(
					attribute + " = \"" + text + "\" uses #" + variable
							+ ", but the class was compiled without parameter names.",
					"Compile with the -parameters flag, or use #p0 for the first parameter.");
		}
		throw method.problem(attribute + " = \"" + text + "\" uses #" + variable + ", which is no parameter.",
				(names == null || names.length == 0) ? "The method has no parameters: use a constant such as \"'all'\"."
						: "Its parameters are #" + String.join(", #", names) + ".");
	}

	private static GuardConfigurationException unknownName(GuardedMethod method, String attribute, String text,
			SpelNode unknown) {
		String name = unknown.toStringAST();
		return method.problem(attribute + " = \"" + text + "\" uses " + name + ", which #root does not have.",
				(unknown instanceof MethodReference) ? "Did you mean #root.target." + name + ", or @bean." + name + "?"
						: "Did you mean #" + name + ", or '" + name + "' as constant text?");
	}

	private int soleArgument(SpelExpression expression, Method method) {
		SpelNode node = expression.getAST();
		return (node instanceof VariableReference) ? position(node.toStringAST().substring(1), method) : -1;
	}

	// Names come before aliases
	int position(String variable, Method method) {
		@Nullable String @Nullable [] names = names(method);
		int position = (names != null) ? Arrays.asList(names).indexOf(variable) : -1;
		for (int i = 0; position < 0 && i < SourceMethods.parameterCount(method); i++) {
			position = (variable.equals("p" + i) || variable.equals("a" + i)) ? i : -1;
		}
		return position;
	}

	private @Nullable String @Nullable [] names(Method method) {
		@Nullable String @Nullable [] names = this.parameterNames.getParameterNames(method);
		return (names != null) ? Arrays.copyOf(names, SourceMethods.parameterCount(method)) : null;
	}

	MethodBasedEvaluationContext context(Object root, Method method, @Nullable Object[] arguments) {
		MethodBasedEvaluationContext context = new MethodBasedEvaluationContext(root, method, arguments,
				this.parameterNames) {

			@Override
			protected void lazyLoadArguments() {
				super.lazyLoadArguments();
				@Nullable String @Nullable [] names = names(method);
				for (int i = 0; names != null && i < names.length; i++) {
					// Spring's aliases replace the names of earlier parameters
					setVariable(names[i], arguments[i]);
				}
			}

		};
		if (this.beanFactory != null) {
			context.setBeanResolver(new BeanFactoryResolver(this.beanFactory));
		}
		return context;
	}

}
