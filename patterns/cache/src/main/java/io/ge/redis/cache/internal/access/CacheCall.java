// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.access;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.cache.CacheEvent.Access;
import io.ge.redis.cache.CacheLoadTimeoutException;
import io.ge.redis.cache.internal.behind.PendingChange;
import io.ge.redis.cache.internal.engine.CacheKey;
import io.ge.redis.cache.internal.engine.CacheLookup;
import io.ge.redis.cache.internal.engine.CacheLookup.Load;
import io.ge.redis.cache.internal.engine.CacheQuestion;
import io.ge.redis.cache.internal.engine.CacheType;
import io.ge.redis.cache.internal.engine.NearToken;
import io.ge.redis.cache.internal.engine.NearValue;
import io.ge.redis.core.call.GuardedCall;
import org.jspecify.annotations.Nullable;

/**
 * One call of a reader of one entry: looks the entry up, and takes the value or
 * {@link CacheLoad loads and stores} one. The key is evaluated when the call asks.
 */
@SuppressWarnings("NullAway.Init") // asked before anything else
final class CacheCall implements GuardedCall<CacheLookup> {

	private static final CompletableFuture<CacheLookup> NOT_ASKED = CompletableFuture.completedFuture(Load.BYPASS);

	private final CacheReadParts parts;

	private final CacheSource source;

	/** Whether an entry was found before that is of no use; true if it is unreadable. */
	private final @Nullable Boolean rejected;

	private @Nullable Object context;

	private CacheKey key;

	private ReadContext at;

	private @Nullable NearValue held;

	private @Nullable NearToken token;

	/** The change that waits for the store, {@code null} if that is not known. */
	private volatile @Nullable PendingChange change;

	private @Nullable CacheLoad load;

	CacheCall(CacheReadParts parts, CacheSource source) {
		this(parts, source, null);
	}

	private CacheCall(CacheReadParts parts, CacheSource source, @Nullable Boolean rejected) {
		this.parts = parts;
		this.source = source;
		this.rejected = rejected;
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
		CacheKey entry = this.source.key();
		this.at = this.parts.context(entry.cache(), this.context);
		this.key = entry;
		boolean inside = this.at.scope().isWriting(entry) || this.at.scope().isLoading(entry);
		this.held = (this.rejected == null && !inside) ? this.parts.near().find(entry, this.source.type(), this.source)
				: null;
		if (this.held != null) {
			return NOT_ASKED;
		}
		if (inside || this.parts.invalidations().isDue(entry.cache())) {
			return changeFirst(Load.BYPASS);
		}
		this.token = this.parts.near().begin(entry);
		CompletableFuture<Void> ready = this.parts.ready(entry.cache(), this.at.budget());
		CompletableFuture<CacheLookup> lookup = this.parts.loads().lookup(question(), this.at.budget());
		return CacheReadParts.handedOver(lookup.thenCompose((found) -> judge(found, ready)), () -> lookup.cancel(false),
				this::unwanted);
	}

	private CacheQuestion question() {
		CacheQuestion question = new CacheQuestion(this.key, this.at.settings(), this.source.type().readable(),
				this.source.isOpen(), !this.at.snapshot().transactional());
		// A value in memory must not outlive its entry, and one written behind has no end
		boolean timed = this.token != null || this.parts.behind().isBehind(this.key.cache());
		return (this.rejected != null) ? question.replacing() : timed ? question.timed() : question;
	}

	private CompletableFuture<CacheLookup> judge(CacheLookup found, CompletableFuture<Void> ready) {
		return this.parts.stillReady(ready, this.key.cache(), this.at.budget()).thenCompose((known) -> {
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

	@Override
	public boolean isCancellable() {
		return true;
	}

	// Take, or load

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
			return load((this.rejected != null) ? open.replacing(this.rejected) : open);
		}
		if (found instanceof CacheLookup.Late) {
			this.parts.publish(cache, Access.MISS);
			throw new CacheLoadTimeoutException(cache);
		}
		byte[] entry = (found instanceof CacheLookup.Found hit) ? hit.value() : ((CacheLookup.Expired) found).value();
		CacheType.Content content = this.source.type().read(entry);
		if (content == null || !this.parts.isCurrent(this.source, content)) {
			close();
			CacheCall again = new CacheCall(this.parts, this.source, content == null);
			return (this.rejected != null) ? load(Load.UNSTORED.replacing(this.rejected))
					: () -> this.parts.calls().start(this.source.form(), () -> again);
		}
		if (found.permit() != null) {
			// Every load runs in a caller, with all that is bound to it
			return load(new Load(found.permit(), false, false, entry, true));
		}
		this.parts.near().keep(this.token, found, this.source.type(), content);
		this.parts.publish(cache, (found instanceof CacheLookup.Expired) ? Access.STALE : Access.HIT);
		return result(content.value());
	}

	private Work result(@Nullable Object plain) {
		return () -> this.source.promises().of(this.source.result(plain));
	}

	private Work load(Load open) {
		close();
		CacheLoad begun = new CacheLoad(this.parts, this.source, this.at,
				List.of(new CacheLoad.Missing(this.key, open, this.change)), null);
		OpenMiss miss = this.source.isOpen() ? begun.missed() : null;
		if (miss != null) {
			return () -> this.source.promises().of(miss);
		}
		this.load = begun;
		return begun.endingWithLease();
	}

	@Override
	public void release(CacheLookup found) {
		unwanted(found);
	}

	private void unwanted(@Nullable CacheLookup found) {
		if (this.load != null) {
			this.load.abandoned();
		}
		else if (found != null) {
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
