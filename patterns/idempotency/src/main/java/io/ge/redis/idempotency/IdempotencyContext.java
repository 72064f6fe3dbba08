// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * The claim under which the current thread runs, for code inside a method with
 * {@link Idempotent} or an action of {@link Idempotency}. Another thread has none: hand
 * the fence over. An asynchronous method has the claim on the thread of its call or
 * subscription, and in the Reactor context of its publisher, under this class.
 * <p>
 * A resource that remembers the highest fence of a key and refuses lower ones keeps out
 * calls that were paused beyond their lease.
 *
 * <pre class="code">
 * update account set balance = balance - ?, fence = ? where id = ? and fence &lt; ?
 * </pre>
 */
public final class IdempotencyContext {

	private static final ThreadLocal<@Nullable IdempotencyContext> CURRENT = new ThreadLocal<>();

	private final String name;

	private final @Nullable Long fence;

	private final @Nullable IdempotencyContext outer;

	private IdempotencyContext(String name, @Nullable Long fence, @Nullable IdempotencyContext outer) {
		this.name = name;
		this.fence = fence;
		this.outer = outer;
	}

	/**
	 * Returns the context of the innermost idempotent call on this thread.
	 * @return the context
	 * @throws IllegalStateException if there is none, also where that call runs
	 * unprotected: without a key, or while Redis is unavailable and the policy allows it
	 */
	public static IdempotencyContext current() {
		IdempotencyContext current = CURRENT.get();
		if (current == null || current.fence == null) {
			throw new IllegalStateException("This thread runs under no claim of an idempotency key");
		}
		return current;
	}

	/**
	 * Enters a call on this thread, as the guard does. In a unit test it lets code find a
	 * claim.
	 * @param name the name of the operation
	 * @param fence the fence of its claim, or {@code null} if it runs unprotected: the
	 * fence of a call around it does not count
	 * @return the context, to be exited on the same thread
	 */
	public static IdempotencyContext enter(String name, @Nullable Long fence) {
		IdempotencyContext entered = new IdempotencyContext(name, fence, CURRENT.get());
		CURRENT.set(entered);
		return entered;
	}

	/**
	 * Exits the call, so that a call around it is the current one again.
	 */
	public void exit() {
		if (this.outer != null) {
			CURRENT.set(this.outer);
		}
		else {
			CURRENT.remove();
		}
	}

	/**
	 * Returns the name of the operation.
	 * @return the name
	 */
	public String name() {
		return this.name;
	}

	/**
	 * Returns the fence of the claim. It is higher than every earlier fence of the key,
	 * also after Redis has lost its data, unless its clock was set back. It is no running
	 * number, and at most 2^53.
	 * @return the fence
	 * @throws IllegalStateException if the call runs unprotected
	 */
	public long fence() {
		Long known = this.fence;
		Assert.state(known != null, "There is no claim");
		return known;
	}

}
