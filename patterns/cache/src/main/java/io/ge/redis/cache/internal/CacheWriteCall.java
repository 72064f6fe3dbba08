// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import io.ge.redis.cache.CacheEvent;
import io.ge.redis.cache.internal.engine.CacheInvalidations;
import io.ge.redis.cache.internal.engine.CacheKey;
import io.ge.redis.cache.internal.engine.NewValue;
import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.call.ResultForm;
import org.jspecify.annotations.Nullable;

/**
 * One call of a writer, from before its work until after it.
 * <p>
 * In a transaction of its caller it is part of that transaction. A plain call outside of
 * one is announced before each commit on its thread while it runs, see
 * {@link CacheTransactions}. Every other call is announced before its work begins and
 * resolved when the work ends. It is published only if no other writer was active and no
 * transaction that may be inside of it was rolled back.
 * <p>
 * Work that has failed or was cancelled may have a commit in progress. So the
 * announcement of a cancelled writer stays until its time is over; without one the
 * entries are removed at once. Either way they are removed again at that time. If it is
 * unknown whether asynchronous work or its transaction ends first, the entry is removed
 * after each.
 */
final class CacheWriteCall implements GuardedCall<Void>, GuardedCall.Work {

	private final CacheWriter writer;

	private final Supplier<List<CacheWrite.Part>> parts;

	private final TransactionBoundary boundary;

	private final ResultForm form;

	private final GuardedCall.Work work;

	private final List<Change> changes = new ArrayList<>(1);

	private final List<CacheWrite> writes = new ArrayList<>(1);

	/** The writes that are announced before the work. */
	private final List<CacheWrite> exposed = new ArrayList<>(0);

	/** When it began, as of the system's nano time. */
	private final long since = System.nanoTime();

	private CallerScope scope;

	private List<CompletableFuture<CacheEvent.Write>> ends = List.of();

	private final Lock renewal = new ReentrantLock();

	private boolean over;

	private @Nullable CompletableFuture<?> pause;

	CacheWriteCall(CacheWriter writer, Supplier<List<CacheWrite.Part>> parts, TransactionBoundary boundary,
			ResultForm form, GuardedCall.Work work) {
		this.writer = writer;
		this.parts = parts;
		this.boundary = boundary;
		this.form = form;
		this.work = work;
		this.scope = new CallerScope(writer.transactions(), writer.reactive(), null);
	}

	@Override
	public void subscribed(Object context) {
		this.scope = new CallerScope(this.writer.transactions(), this.writer.reactive(), context);
	}

	// Before the work

	@Override
	public CompletableFuture<Void> ask() {
		this.parts.get().forEach(this::add);
		CompletableFuture<Void> asked = this.writer.steps().announce(this.exposed, false);
		for (Change change : this.changes) {
			asked = WriteSteps.both(asked, change.stamp());
		}
		return asked;
	}

	private void add(CacheWrite.Part part) {
		if (!part.isRemoval()) {
			this.writer.requireWrittenThrough(part.key());
		}
		if (!part.key().isWhole() && isInsideWriter(part)) {
			if (part.isRemoval()) {
				this.scope.dropValues(part.key());
			}
			return;
		}
		if (part.isRemoval() && isRemoved(part.key())) {
			return;
		}
		// One around it that ends with its method does not wait for this one
		this.scope.dropValues(part.key());
		CacheWrite write = this.writer.newWrite(part.key(), this.boundary);
		CacheWrite removal = enlist(write);
		boolean opensItsOwn = this.form.isPlain() && this.boundary.opensItsOwn();
		write.exposed = write.owner == null && !opensItsOwn;
		CompletableFuture<Long> stamp = !part.isRemoval() ? this.writer.engine().invalidations
			.stampWhenReady(part.key().cache(), this.scope.snapshot(), write.budget)
				: CompletableFuture.completedFuture(CacheInvalidations.UNSTAMPABLE);
		this.changes.add(new Change(part, write, removal, stamp));
		this.writes.add(write);
		if (write.exposed) {
			this.exposed.add(write);
		}
	}

	private boolean isRemoved(CacheKey key) {
		return !key.isWhole() && this.writes.stream().anyMatch((write) -> write.key.equals(key));
	}

	// What is written inside of a writer is part of it, if that does not end before
	private boolean isInsideWriter(CacheWrite.Part part) {
		return this.form.isPlain() ? this.writer.transactions().isInsideWriter(part.key())
				: this.scope.isInsideWriter(part.key());
	}

	/**
	 * Makes a write part of the transaction that its work is done in, if there is one.
	 * @return the removal after the transaction around it, if that is not certain
	 */
	private @Nullable CacheWrite enlist(CacheWrite write) {
		boolean joins = this.form.isPlain() ? this.boundary.kind() != TransactionBoundary.Kind.SUSPENDED
				: this.boundary.joins();
		OpenTransaction around = joins ? this.scope.transaction() : null;
		boolean certain = this.form.isPlain() || this.scope.isInSubscribersTransaction();
		if (around == null || (certain && around.begin(write))) {
			return null;
		}
		CacheWrite removal = this.writer.newWrite(write.key, TransactionBoundary.UNKNOWN);
		if (!around.add(removal)) {
			return null;
		}
		write.dropValue();
		return removal;
	}

	@Override
	public Work decide(Void announced) {
		try {
			WriteSteps.requireAnnounced(this.exposed);
		}
		catch (RuntimeException ex) {
			this.exposed
				.forEach((write) -> this.writer.steps().publishEvent(this.writer.steps().rollBack(write).join()));
			throw ex;
		}
		return this;
	}

	@Override
	public void release(Void announced) {
		endRenewal();
		for (CacheWrite write : this.writes) {
			if (write.owner == null) {
				this.writer.steps().withdraw(write);
			}
			else {
				// It may have taken the place of one that has changed the row, whose
				// announcement ends with the transaction
				write.owner.returned(write, null);
			}
		}
	}

	// The work

	@Override
	public void begin(GuardedCall.Beginning beginning) throws Throwable {
		if (!this.form.isPlain()) {
			List<CacheWrite> announced = this.exposed.stream().filter(CacheWrite::isAnnounced).toList();
			if (!announced.isEmpty()) {
				renew(announced);
			}
		}
		// A receiver of the first of several values is not inside, although on this
		// thread
		List<CacheWrite> inside = (this.form.kind() != ResultForm.Kind.MULTIPLE) ? this.writes : List.of();
		this.writer.transactions().enter(inside, !this.form.isPlain());
		try {
			beginning.run();
		}
		finally {
			if (!this.form.isPlain()) {
				this.writer.transactions().leave(inside);
			}
		}
	}

	@Override
	public Object contextual(Object context) {
		return OpenWork.with(context, this.writes, List.of());
	}

	@Override
	public @Nullable Object start() throws Throwable {
		return this.work.start();
	}

	private void renew(List<CacheWrite> announced) {
		long millis = this.writer.engine().intentTimeout().toMillis() / 2;
		CompletableFuture<Void> next = new CompletableFuture<>();
		next.thenRunAsync(() -> {
			if (unlessOver(() -> announced.forEach(this.writer.engine()::prolong))) {
				renew(announced);
			}
		});
		unlessOver(() -> this.pause = next.completeOnTimeout(null, millis, TimeUnit.MILLISECONDS));
	}

	private boolean unlessOver(Runnable action) {
		this.renewal.lock();
		try {
			if (!this.over) {
				action.run();
			}
			return !this.over;
		}
		finally {
			this.renewal.unlock();
		}
	}

	private void endRenewal() {
		unlessOver(() -> {
			this.over = true;
			if (this.pause != null) {
				this.pause.cancel(false);
			}
		});
	}

	// After the work

	@Override
	public CompletionStage<?> end(@Nullable Object value, @Nullable Throwable failure) {
		if (!this.form.isPlain()) {
			endRenewal();
			// The end may come while the work begins: its callbacks are not inside
			this.writer.transactions().leave(this.writes);
		}
		@Nullable NewValue[] values = new NewValue[this.changes.size()];
		Error error = null;
		for (int i = 0; i < values.length; i++) {
			try {
				values[i] = made(this.changes.get(i), value, failure);
			}
			catch (Error ex) {
				// For the caller, after all of them. Without a value the entry is removed
				error = ex;
			}
		}
		if (this.form.isPlain()) {
			// Not earlier: an expression for the value may read the entry
			this.writer.transactions().leave(this.writes);
		}
		List<CompletableFuture<CacheEvent.Write>> each = new ArrayList<>(1);
		for (int i = 0; i < values.length; i++) {
			end(this.changes.get(i).write(), values[i], failure, each);
		}
		if (error == null && !(failure instanceof CancellationException)) {
			this.ends = each;
			return (each.size() == 1) ? each.get(0) : WriteSteps.all(each);
		}
		// Then no callback follows when they are there
		CompletionStage<?> published = this.writer.steps()
			.publishEventsAsync(WriteSteps.all(each), this.writer.calls());
		if (error == null) {
			return published;
		}
		CompletableFuture<?> failed = CompletableFuture.failedFuture(error);
		return published.thenCompose((done) -> failed);
	}

	private static @Nullable NewValue made(Change change, @Nullable Object value, @Nullable Throwable failure) {
		CacheWrite write = change.write();
		if (!write.key.isWhole()) {
			return (failure == null) ? change.part().valueOf(value, change.stamp().join()) : null;
		}
		change.part().choose(write, value, failure == null);
		if (change.removal() != null) {
			change.removal().tags(write.tags());
		}
		return null;
	}

	private void end(CacheWrite write, @Nullable NewValue made, @Nullable Throwable failure,
			List<CompletableFuture<CacheEvent.Write>> each) {
		if (write.owner != null && write.owner.returned(write, made)) {
			return;
		}
		if (this.form.isPlain()) {
			write.value(isCertain(write) ? made : null);
			each.add(this.writer.steps().end(write, failure != null));
			return;
		}
		if (write.owner != null) {
			// The transaction has not waited for the work
			CacheWrite late = this.writer.newWrite(write.key, TransactionBoundary.UNKNOWN);
			late.tags(write.tags());
			this.writer.engine().invalidate(late);
			return;
		}
		// A method that marks its transaction for rollback returns a value all the same
		boolean certain = isCertain(write) && !this.writer.transactions().isAnyRolledBackSince(this.since);
		write.value(certain ? made : null);
		if (!(failure instanceof CancellationException && write.isAnnounced())) {
			each.add(this.writer.steps().end(write, failure != null));
		}
		if (failure != null) {
			long millis = this.writer.engine().intentTimeout().toMillis();
			CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS)
				.execute(() -> this.writer.engine().invalidateUnlessClosed(write));
		}
	}

	// A ticket that was taken at a second commit would put a value of the first one after
	// what others have committed in between
	private static boolean isCertain(CacheWrite write) {
		return (!write.isOrdered() || write.commits == 1) && write.rollbacks == 0;
	}

	@Override
	public void publishCompletion() {
		this.ends.forEach((end) -> this.writer.steps().publishEvent(end.join()));
	}

	/**
	 * One change.
	 *
	 * @param removal the removal by the transaction around the call if its end may come
	 * before the end of the work, or {@code null}
	 */
	private record Change(CacheWrite.Part part, CacheWrite write, @Nullable CacheWrite removal,
			CompletableFuture<Long> stamp) {
	}

}
