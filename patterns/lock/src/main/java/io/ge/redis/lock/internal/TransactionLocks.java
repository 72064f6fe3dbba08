// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

import io.ge.redis.core.transaction.ObservedTransactions;
import io.ge.redis.core.transaction.ThreadTransactions;
import io.ge.redis.core.transaction.TransactionParticipant;
import io.ge.redis.lock.BoundLocks;
import io.ge.redis.lock.LockHandle;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.core.Ordered;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * The locks that a transaction keeps until it has completed, even if their holders
 * release them before. It may complete on another thread than the one that takes them.
 */
final class TransactionLocks implements TransactionParticipant {

	private static final Log logger = LogFactory.getLog(TransactionLocks.class);

	/** Names may be made up at run time. */
	private static final int MOST_WARNINGS = 100;

	private static final Set<String> warned = ConcurrentHashMap.newKeySet();

	private final Lock guard = new ReentrantLock();

	private final List<HeldLock> locks = new ArrayList<>(1);

	/** Locks under which the transaction is begun. */
	private List<HeldLock> outer = List.of();

	private final @Nullable Integer isolation;

	/** Frames that other calls of the transaction find on its thread. */
	private final List<BoundLocks.Frame> frames = new ArrayList<>(0);

	private volatile BooleanSupplier ended = () -> false;

	private boolean over;

	TransactionLocks(@Nullable Integer isolation) {
		this.isolation = isolation;
	}

	/**
	 * Returns the locks that the transaction of this thread keeps, if it is in one, for
	 * work that continues elsewhere.
	 */
	static @Nullable TransactionLocks ofThread() {
		return ThreadTransactions.participant(TransactionLocks.class, TransactionLocks::new);
	}

	/**
	 * Returns a listener that vetoes the commit of a transaction of a thread if one of
	 * its locks is lost. The lock may have been taken inside the transaction or before
	 * it.
	 */
	static TransactionExecutionListener veto() {
		return new TransactionExecutionListener() {

			@Override
			public void beforeCommit(TransactionExecution transaction) {
				for (LockHandle handle : BoundLocks.all()) {
					if (handle instanceof HeldLock lock) {
						lock.assertMayCommit();
					}
				}
			}

		};
	}

	/**
	 * Returns a listener for reactive transactions that are begun under locks: they are
	 * not committed if one is lost, and keep the locks until they end. Cancelling such
	 * work does not stop a commit that is under way, and the next holder must see that
	 * commit.
	 */
	static TransactionExecutionListener underLocks() {
		return new ObservedTransactions<TransactionLocks>() {

			@Override
			protected @Nullable TransactionLocks beginning(TransactionExecution transaction) {
				TransactionLocks made = new TransactionLocks(null);
				made.outer = BoundLocks.inside()
					.stream()
					.filter(HeldLock.class::isInstance)
					.map(HeldLock.class::cast)
					.distinct()
					.toList();
				return made.outer.isEmpty() ? null : made;
			}

		};
	}

	/**
	 * Keeps a lock unless the transaction is over.
	 */
	void keep(HeldLock lock) {
		this.guard.lock();
		try {
			if (!this.over && !this.locks.contains(lock) && lock.keep(this)) {
				this.locks.add(lock);
			}
		}
		finally {
			this.guard.unlock();
		}
	}

	/**
	 * Keeps locks, and warns of locks that come too late.
	 */
	void keep(HeldLocks entered) {
		entered.own().forEach((lock) -> warnIfOlder(lock.name()));
		entered.held().forEach(this::keep);
	}

	/**
	 * Warns of a lock that is taken inside a transaction which sees the data as they were
	 * before: it does not see what the last holder has committed. Once for each name.
	 */
	private void warnIfOlder(String name) {
		if (this.isolation != null && this.isolation >= Connection.TRANSACTION_REPEATABLE_READ
				&& warned.size() < MOST_WARNINGS && warned.add(name)) {
			logger.warn("The lock '" + name + "' is taken inside a transaction with the isolation level "
					+ ((this.isolation == Connection.TRANSACTION_SERIALIZABLE) ? "SERIALIZABLE" : "REPEATABLE READ")
					+ ", which may not see what the last holder has committed: take it before the transaction begins");
		}
	}

	/**
	 * Lets other calls on this thread, which is the transaction's, enter locks again.
	 */
	void bind(List<HeldLock> held) {
		for (HeldLock lock : held) {
			BoundLocks.Frame frame = BoundLocks.keep(lock);
			if (frame != null) {
				this.frames.add(frame);
			}
		}
	}

	private void unbind() {
		this.frames.forEach(BoundLocks::release);
		this.frames.clear();
	}

	List<HeldLock> locks() {
		this.guard.lock();
		try {
			return List.copyOf(this.locks);
		}
		finally {
			this.guard.unlock();
		}
	}

	@Override
	public void joined(BooleanSupplier over) {
		this.ended = over;
		this.outer.forEach(this::keep);
	}

	/**
	 * Gives the locks up if the transaction has ended without notice.
	 */
	void giveUpIfOver() {
		if (this.ended.getAsBoolean()) {
			giveUp();
		}
	}

	@Override
	public CompletionStage<?> beforeCommit() {
		locks().forEach(HeldLock::assertMayCommit);
		return CompletableFuture.completedStage(null);
	}

	/**
	 * Runs last at the end of the transaction: then others may take the locks.
	 */
	@Override
	public int order() {
		return Ordered.LOWEST_PRECEDENCE;
	}

	@Override
	public boolean isLast() {
		return true;
	}

	@Override
	public CompletionStage<?> completed(int status) {
		unbind();
		return giveUp();
	}

	private CompletableFuture<Void> giveUp() {
		List<HeldLock> kept;
		this.guard.lock();
		try {
			this.over = true;
			kept = List.copyOf(this.locks);
			this.locks.clear();
		}
		finally {
			this.guard.unlock();
		}
		return HeldLocks.giveUp(kept, (lock) -> lock.letGo(this));
	}

}
