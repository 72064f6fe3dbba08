// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.read;

import java.util.concurrent.CompletableFuture;

import io.ge.redis.cache.CacheEvent.Access;
import io.ge.redis.cache.CacheLoadTimeoutException;
import io.ge.redis.cache.behind.PendingChange;
import io.ge.redis.cache.codec.CacheType;
import io.ge.redis.cache.engine.CacheKey;
import io.ge.redis.cache.engine.CacheLookup;
import io.ge.redis.cache.engine.CacheLookup.Load;
import io.ge.redis.cache.engine.CacheQuestion;
import io.ge.redis.cache.engine.Snapshot;
import io.ge.redis.cache.near.NearToken;
import io.ge.redis.cache.near.NearValue;
import io.ge.redis.cache.settings.CacheSettings;
import io.ge.redis.cache.write.CallerScope;
import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

/**
 * One call of a reader of one entry: looks the entry up, and takes the value or
 * {@link CacheLoad loads and stores} one. The key is evaluated when the call asks.
 */
@SuppressWarnings("NullAway.Init") // asked before anything else
final class CacheCall implements GuardedCall<CacheLookup> {

	private static final CompletableFuture<CacheLookup> NOT_ASKED = CompletableFuture.completedFuture(Load.BYPASS);

	final CacheReadParts parts;

	final CacheSource source;

	/** Whether an entry was found before that is of no use; true if it is unreadable. */
	private final @Nullable Boolean rejected;

	CacheKey key;

	CallerScope scope;

	Snapshot snapshot;

	CacheSettings settings;

	CallBudget budget;

	private @Nullable Object context;

	private @Nullable NearValue held;

	private @Nullable NearToken token;

	/** The change that waits for the store, {@code null} if that is not known. */
	volatile @Nullable PendingChange change;

	private @Nullable CacheLoad load;

	CacheCall(CacheReadParts parts, CacheSource source) {
		this.parts = parts;
		this.source = source;
		this.rejected = null;
	}

	private CacheCall(CacheCall first, boolean unreadable) {
		this.parts = first.parts;
		this.source = first.source;
		this.scope = first.scope;
		this.rejected = unreadable;
	}

	@Override
	public void subscribed(Object subscribersContext) {
		this.context = subscribersContext;
	}

	// Look up

	@Override
	public CompletableFuture<CacheLookup> ask() {
		if (!this.source.applies()) {
			return NOT_ASKED;
		}
		if (this.scope == null) {
			this.scope = this.parts.scope(this.context);
		}
		this.key = this.source.key();
		String cache = this.key.cache();
		boolean inside = this.scope.isWriting(this.key) || this.scope.isLoading(this.key);
		this.held = (this.rejected == null && !inside)
				? this.parts.near().find(this.key, this.source.type(), this.source) : null;
		if (this.held != null) {
			return NOT_ASKED;
		}
		this.snapshot = this.scope.snapshot();
		this.settings = this.parts.definitions().settings(cache);
		this.budget = this.parts.loads().newBudget();
		if (inside || this.parts.invalidations().isDue(cache)) {
			return changeFirst(Load.BYPASS);
		}
		this.token = this.parts.near().begin(this.key);
		CompletableFuture<Void> ready = this.parts.ready(cache, this.budget);
		CompletableFuture<CacheLookup> lookup = this.parts.loads().lookup(question(), this.budget);
		return handedOver(lookup, lookup.thenCompose((found) -> judge(found, ready)));
	}

	private CacheQuestion question() {
		CacheQuestion question = new CacheQuestion(this.key, this.settings, this.source.type().readable(),
				this.source.isOpen(), !this.snapshot.transactional());
		// A value in memory must not outlive its entry by a moment
		return (this.rejected != null) ? question.replacing() : (this.token != null) ? question.timed() : question;
	}

	private CompletableFuture<CacheLookup> judge(CacheLookup found, CompletableFuture<Void> ready) {
		return this.parts.stillReady(ready, this.key.cache(), this.budget).thenCompose((known) -> {
			if (!known) {
				// It is not known which entries were invalidated
				this.parts.loads().release(found.permit(), false);
			}
			return changeFirst(known ? found : Load.BYPASS);
		});
	}

	/**
	 * Asks for the change that waits for the store, if a value is about to be loaded.
	 */
	private CompletableFuture<CacheLookup> changeFirst(CacheLookup found) {
		boolean loads = found instanceof Load || found.permit() != null || this.rejected != null;
		if (!loads || !this.parts.behind().isBehind(this.key.cache())) {
			return CompletableFuture.completedFuture(found);
		}
		return this.parts.behind().pending(this.key.cache(), this.key.parts()).handle((pending, failure) -> {
			this.change = pending;
			return found;
		});
	}

	/**
	 * Lets a caller cancel the lookup, and releases what still comes then.
	 */
	private CompletableFuture<CacheLookup> handedOver(CompletableFuture<?> lookup,
			CompletableFuture<CacheLookup> judged) {
		CompletableFuture<CacheLookup> asked = new CompletableFuture<>();
		judged.whenComplete((found, failure) -> {
			if (failure != null) {
				close();
				asked.completeExceptionally(Waiting.cause(failure));
			}
			else if (!asked.complete(found)) {
				giveBack(found);
			}
		});
		if (!asked.isDone()) {
			asked.whenComplete((found, failure) -> lookup.cancel(false));
		}
		return asked;
	}

	@Override
	public boolean isCancellable() {
		return true;
	}

	@Override
	public Work decide(CacheLookup found) {
		if (this.key == null) {
			return this.source::load;
		}
		NearValue value = this.held;
		if (value != null) {
			return result(value.value());
		}
		boolean decided = false;
		try {
			Work work = take(found);
			decided = true;
			return work;
		}
		finally {
			if (!decided) {
				this.parts.loads().release(found.permit(), true);
				close();
			}
		}
	}

	private Work take(CacheLookup found) {
		String cache = this.key.cache();
		if (found instanceof Load open) {
			return load((this.rejected != null) ? replacing(open) : open);
		}
		if (found instanceof CacheLookup.Late) {
			this.parts.publish(cache, Access.MISS);
			throw new CacheLoadTimeoutException(cache);
		}
		byte[] entry = (found instanceof CacheLookup.Found hit) ? hit.value() : ((CacheLookup.Expired) found).value();
		CacheType.Content content = this.source.type().read(entry);
		boolean useful = content != null && this.parts.isCurrent(cache, content, this.source);
		if (useful && found.permit() != null) {
			// Every load runs in a caller, with all that is bound to it
			return load(new Load(found.permit(), false, false, entry, true));
		}
		if (content != null && useful) {
			this.parts.near().keep(this.token, found, this.source.type(), content);
			this.parts.publish(cache, (found instanceof CacheLookup.Expired) ? Access.STALE : Access.HIT);
			return result(content.value());
		}
		if (this.rejected != null) {
			return load(replacing(Load.UNSTORED));
		}
		close();
		CacheCall again = new CacheCall(this, content == null);
		return () -> this.parts.calls().start(this.source.form(), () -> again);
	}

	private Load replacing(Load open) {
		return new Load(open.permit(), open.bypassed(), Boolean.TRUE.equals(this.rejected), null, false);
	}

	private Work result(@Nullable Object plain) {
		return () -> this.source.promises().of(this.source.result(plain));
	}

	private Work load(Load open) {
		close();
		CacheLoad begun = new CacheLoad(this, open);
		OpenMiss miss = this.source.isOpen() ? begun.missed() : null;
		if (miss != null) {
			return () -> this.source.promises().of(miss);
		}
		if (!this.source.form().isPlain()) {
			begun.endWithLease();
		}
		this.load = begun;
		return begun;
	}

	@Override
	public void giveBack(CacheLookup found) {
		if (this.load != null) {
			this.load.abandoned();
		}
		else {
			this.parts.loads().release(found.permit(), false);
		}
		close();
	}

	private void close() {
		if (this.token != null) {
			this.token.close();
		}
	}

}
