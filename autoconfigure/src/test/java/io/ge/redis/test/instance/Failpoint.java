// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.instance;

/**
 * A place in the code of an instance at which it ends or waits. It is woven into the
 * classes of the instance when it is armed; the code knows nothing of it. All methods of
 * the name count, whatever their parameters.
 *
 * @param type the name of the class
 * @param method the name of the method
 * @param position before its first line or after its last, be it by an exception
 * @param action what happens there
 */
public record Failpoint(String type, String method, Position position, Action action) {

	/**
	 * Before the first line of a method.
	 * @param type the class
	 * @param method the name of the method
	 * @return the place
	 */
	public static Place enter(Class<?> type, String method) {
		return enter(type.getName(), method);
	}

	/**
	 * Before the first line of a method.
	 * @param type the name of the class
	 * @param method the name of the method
	 * @return the place
	 */
	public static Place enter(String type, String method) {
		return new Place(type, method, Position.ENTER);
	}

	/**
	 * After the last line of a method.
	 * @param type the class
	 * @param method the name of the method
	 * @return the place
	 */
	public static Place exit(Class<?> type, String method) {
		return exit(type.getName(), method);
	}

	/**
	 * After the last line of a method.
	 * @param type the name of the class
	 * @param method the name of the method
	 * @return the place
	 */
	public static Place exit(String type, String method) {
		return new Place(type, method, Position.EXIT);
	}

	/**
	 * Where.
	 */
	public enum Position {

		/** Before the first line. */
		ENTER,

		/** After the last line. */
		EXIT

	}

	/**
	 * What happens.
	 */
	public enum Action {

		/** The process ends at once, as by {@code kill -9}. */
		HALT,

		/** The thread waits until it is released. */
		HOLD

	}

	/**
	 * A place for which it is still open what happens there.
	 *
	 * @param type the name of the class
	 * @param method the name of the method
	 * @param position before or after its lines
	 */
	public record Place(String type, String method, Position position) {

		/**
		 * Lets the first thread that comes here end the process, as by {@code kill -9}.
		 * @return the failpoint
		 */
		public Failpoint halt() {
			return new Failpoint(this.type, this.method, this.position, Action.HALT);
		}

		/**
		 * Lets every thread that comes here wait until it is released; after that it is
		 * passed without notice.
		 * @return the failpoint
		 */
		public Failpoint hold() {
			return new Failpoint(this.type, this.method, this.position, Action.HOLD);
		}

	}

}
