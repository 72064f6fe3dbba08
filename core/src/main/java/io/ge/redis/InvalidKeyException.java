// SPDX-License-Identifier: Apache-2.0

package io.ge.redis;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.EvaluationException;

/**
 * A key expression returned no value that names an entity. The guarded method has not
 * run.
 */
public class InvalidKeyException extends GeRedisException {

	private final String expression;

	private final boolean causedByArguments;

	public InvalidKeyException(Object expression, String problem, boolean causedByArguments) {
		super(expression + " " + problem);
		this.expression = expression.toString();
		this.causedByArguments = causedByArguments;
	}

	public InvalidKeyException(Object expression, EvaluationException cause) {
		super(expression + " could not be evaluated: " + cause.getMessage(), cause);
		this.expression = expression.toString();
		this.causedByArguments = false;
	}

	/**
	 * Returns the expression with its method or property, for people.
	 */
	public String expression() {
		return this.expression;
	}

	/**
	 * Returns whether the arguments of the call are the cause: they gave {@code null} or
	 * blank text. Otherwise the expression is: it gave something else, or nothing.
	 * @return whether another call may succeed
	 */
	public boolean isCausedByArguments() {
		return this.causedByArguments;
	}

	@Override
	public @Nullable Refusal refusal() {
		return this.causedByArguments ? Refusal.of(400, "key-missing", "A value is missing",
				"The request leaves out or blanks a value that is needed to decide on it.") : null;
	}

}
