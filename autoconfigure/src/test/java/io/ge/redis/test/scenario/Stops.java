// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.scenario;

import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Places in the code of an application at which a call stands still, until its process
 * dies. Others pass there without notice.
 */
public class Stops implements TransactionExecutionListener {

	private final ThreadLocal<@Nullable Stop> asked = new ThreadLocal<>();

	private final Semaphore standing = new Semaphore(0);

	/**
	 * Lets a call stand still.
	 * @param stop where
	 * @param call the call, on this thread
	 */
	<T> T at(Stop stop, Callable<T> call) throws Exception {
		this.asked.set(stop);
		try {
			return call.call();
		}
		finally {
			this.asked.remove();
		}
	}

	/**
	 * Waits until so many calls stand still, each of which counts once.
	 */
	void awaitStanding(int number) throws InterruptedException {
		this.standing.acquire(number);
	}

	/**
	 * A call has come to a place.
	 */
	void pass(Stop stop) {
		if (this.asked.get() != stop) {
			return;
		}
		this.standing.release();
		try {
			new CountDownLatch(1).await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void beforeBegin(TransactionExecution transaction) {
		pass(Stop.CLAIMED);
	}

	@Override
	public void beforeCommit(TransactionExecution transaction) {
		pass(Stop.BEFORE_COMMIT);
	}

	@Override
	public void afterCommit(TransactionExecution transaction, @Nullable Throwable commitFailure) {
		pass(Stop.COMMITTED);
	}

	/**
	 * The places, in the order in which a call comes to them.
	 */
	enum Stop {

		/** Redis knows the claim, and nothing else has happened. */
		CLAIMED,

		/** The effect stands in a transaction that is not committed. */
		EFFECT,

		/** So does all else that belongs to it. */
		BEFORE_COMMIT,

		/** The effect is committed, and Redis does not know. */
		COMMITTED

	}

}
