// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.invocation;

import java.util.function.Supplier;

/**
 * A setting cannot work, wherever it was read. The message says what is wrong and what to
 * write instead.
 */
public class InvalidSettingException extends IllegalArgumentException {

	private final String setting;

	private final String problem;

	private final String remedy;

	/**
	 * Creates an exception.
	 * @param setting the name of the setting, such as {@code limit}
	 * @param problem what is wrong, a sentence
	 * @param remedy what to write instead, a sentence
	 */
	public InvalidSettingException(String setting, String problem, String remedy) {
		super(problem + " " + remedy);
		this.setting = setting;
		this.problem = problem;
		this.remedy = remedy;
	}

	/**
	 * Throws an exception whose problem begins with the name of the setting, unless the
	 * setting can work.
	 */
	public static void require(boolean valid, String setting, Supplier<String> problem, String remedy) {
		if (!valid) {
			throw new InvalidSettingException(setting, setting + " " + problem.get(), remedy);
		}
	}

	/**
	 * Returns the same with the place of the setting instead of its name.
	 */
	public InvalidSettingException at(String place) {
		return new InvalidSettingException(this.setting, place + this.problem.substring(this.setting.length()),
				this.remedy);
	}

	public String setting() {
		return this.setting;
	}

	public String problem() {
		return this.problem;
	}

	public String remedy() {
		return this.remedy;
	}

}
