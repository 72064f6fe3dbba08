// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist.internal;

import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.ge.redis.blacklist.BlacklistProperties;
import io.ge.redis.blacklist.CurrentToken;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.TokenReader;
import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.endpoint.GuardResource;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.guard.FirstUse;
import io.ge.redis.core.guard.GuardAdvisor;
import io.ge.redis.core.guard.GuardPattern;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.ExpressionCompiler;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.util.function.SingletonSupplier;

/**
 * Assembles the blacklist: the advisor for annotated methods and the API for code stand
 * on one engine, which is made when the first of them is used. Ends to follow the changes
 * after everything that serves requests or runs tasks and before the connections.
 */
@RegisterReflectionForBinding({ BlacklistControl.Overview.class, BlacklistControl.Look.class,
		BlacklistControl.ActionReport.class })
public final class BlacklistPattern implements GuardPattern {

	/**
	 * The changes by which an instance may fall behind before it reads all rows again.
	 */
	private static final int CHANGES_KEPT = 10_000;

	private static final String PATTERN = "blacklist";

	private final Supplier<BlacklistProperties> properties;

	private final GuardedCalls calls;

	private final BlacklistRegistry lists;

	private final PresentedTokens tokens;

	private final BlacklistOperationSource source;

	private final FirstUse<Parts> parts;

	private final Supplier<DefaultTokenBlacklist> blacklist;

	/**
	 * Assembles the blacklist.
	 * @param currentKnown whether there is a {@link CurrentToken} for methods whose
	 * results have a form; called while beans are being created
	 */
	public BlacklistPattern(Supplier<BlacklistProperties> properties, AttributeReader attributes,
			ExpressionCompiler expressions, Supplier<RedisBackend> backend, GuardEvents events, GuardedCalls calls,
			Predicate<ResultForm> currentKnown, Supplier<CurrentToken> current, Supplier<List<TokenReader>> readers) {
		this.calls = calls;
		this.properties = SingletonSupplier.of(properties);
		this.lists = new BlacklistRegistry(this.properties);
		this.tokens = new PresentedTokens(currentKnown, SingletonSupplier.of(current), SingletonSupplier.of(readers));
		this.source = new BlacklistOperationSource(this.lists, this.tokens, attributes, expressions);
		this.parts = new FirstUse<>(() -> create(backend.get(), events));
		this.blacklist = () -> this.parts.get().blacklist();
	}

	private Parts create(RedisBackend backend, GuardEvents events) {
		BlacklistProperties settings = this.properties.get();
		Clocks clocks = Clocks.of(settings);
		RedisTokenBlacklist redis = new RedisTokenBlacklist(backend.redis(PATTERN), backend.keys(PATTERN),
				backend.bus().notificationChannel(), clocks, CHANGES_KEPT);
		ServerClock clock = new ServerClock();
		LocalRows memory = new LocalRows(clock, clocks, settings.maxExactIds());
		RowFeed feed = new RowFeed(redis, memory, clock, backend.bus(), settings.maxStaleness(), RowFeed.PAGE);
		feed.start();
		backend.reportProblem(feed::problem);
		BlacklistEngine engine = new BlacklistEngine(redis, memory, feed, settings.requireJti(), settings.staleFor());
		DefaultTokenBlacklist blacklist = new DefaultTokenBlacklist(this.lists, engine, redis, feed, clocks, events,
				this.calls, null);
		return new Parts(backend.bus().instanceId(), blacklist, redis, memory, feed);
	}

	public GuardAdvisor advisor(int order) {
		return new GuardAdvisor(this.source, this.calls, new BlacklistGuard(this.tokens, this.blacklist), order,
				this.blacklist);
	}

	public TokenBlacklist tokenBlacklist() {
		return this.blacklist.get();
	}

	public GuardResource control() {
		return new BlacklistControl(this.parts);
	}

	public boolean isFresh() {
		Parts parts = this.parts.created();
		return parts != null && parts.feed().isFresh(System.nanoTime());
	}

	@Override
	public void resume() {
		this.parts.ifCreated((parts) -> parts.feed().resume());
	}

	@Override
	public void pause() {
		this.parts.ifCreated((parts) -> parts.feed().pause());
	}

	record Parts(String instance, DefaultTokenBlacklist blacklist, RedisTokenBlacklist redis, LocalRows memory,
			RowFeed feed) {
	}

}
