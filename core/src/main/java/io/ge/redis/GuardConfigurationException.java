// SPDX-License-Identifier: Apache-2.0

package io.ge.redis;

import org.jspecify.annotations.Nullable;

/**
 * An annotation or a property is used in a way that cannot work. Thrown at startup, with
 * the place and the remedy.
 */
public class GuardConfigurationException extends GeRedisException {

	private final String problem;

	private final String remedy;

	/**
	 * Creates an exception.
	 * @param place where the mistake is: annotation and method, or a property
	 * @param problem what is wrong
	 * @param remedy what to write instead
	 */
	public GuardConfigurationException(String place, String problem, String remedy) {
		this(place, problem, remedy, null);
	}

	/**
	 * Creates an exception with a cause.
	 * @param place where the mistake is: annotation and method, or a property
	 * @param problem what is wrong
	 * @param remedy what to write instead
	 * @param cause the cause
	 */
	public GuardConfigurationException(String place, String problem, String remedy, @Nullable Throwable cause) {
		super(place + ": " + problem + " " + remedy, cause);
		this.problem = place + ": " + problem;
		this.remedy = remedy;
	}

	/**
	 * Returns the same mistake with the bean in which it was found, unless it names one.
	 * @param beanName the bean
	 * @return an exception that names the bean
	 */
	public GuardConfigurationException inBean(String beanName) {
		return this.problem.startsWith("Bean '") ? this
				: new GuardConfigurationException("Bean '" + beanName + "', " + this.problem.split(": ", 2)[0],
						this.problem.split(": ", 2)[1], this.remedy, this);
	}

	/**
	 * Returns the problem and its place.
	 * @return the problem
	 */
	public String problem() {
		return this.problem;
	}

	/**
	 * Returns what to write instead.
	 * @return the remedy
	 */
	public String remedy() {
		return this.remedy;
	}

}
