// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.fault;

/**
 * Something that goes wrong, and is mended.
 */
public interface Fault {

	/**
	 * Its name in the table.
	 * @return the name
	 */
	String name();

	/**
	 * Lets it happen.
	 * @throws Exception if it cannot happen
	 */
	void inject() throws Exception;

	/**
	 * Ends it; nothing for what is over once it has happened.
	 * @throws Exception if it cannot be mended
	 */
	void heal() throws Exception;

	/**
	 * A fault that lasts until it is healed.
	 * @param name its name
	 * @param inject lets it happen
	 * @param heal ends it
	 * @return the fault
	 */
	static Fault of(String name, Step inject, Step heal) {
		return new Fault() {

			@Override
			public String name() {
				return name;
			}

			@Override
			public void inject() throws Exception {
				inject.run();
			}

			@Override
			public void heal() throws Exception {
				heal.run();
			}

		};
	}

	/**
	 * A fault that is over once it has happened.
	 * @param name its name
	 * @param inject lets it happen
	 * @return the fault
	 */
	static Fault of(String name, Step inject) {
		return of(name, inject, () -> {
		});
	}

	/**
	 * What happens.
	 */
	@FunctionalInterface
	interface Step {

		/**
		 * Does it.
		 * @throws Exception whatever goes wrong
		 */
		void run() throws Exception;

	}

}
