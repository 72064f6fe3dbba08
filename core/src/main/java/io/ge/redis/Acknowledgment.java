// SPDX-License-Identifier: Apache-2.0

package io.ge.redis;

/**
 * Settles the messages of a listener by its own decision. The first call counts, later
 * ones do nothing. May be called on any thread, also after the listener has returned, but
 * not later than {@code min-idle} after that: the message is then delivered again.
 */
public interface Acknowledgment {

	/**
	 * The work is done.
	 */
	void acknowledge();

	/**
	 * Delivers it again after a pause, or makes it a dead letter if this was the last
	 * attempt.
	 */
	void retry();

	/**
	 * Makes it a dead letter now.
	 */
	void reject(String reason);

	/**
	 * Returns whether the message is still leased to this instance, as far as is known.
	 * One that has lost it should stop: another instance does the work again.
	 * @return whether an acknowledgement would count
	 */
	boolean isLeased();

}
