// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;

import io.ge.redis.test.OnRedis;
import io.ge.redis.test.RedisEndpoint;
import io.ge.redis.test.RedisFixture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Mono;

import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.support.NullValue;
import org.springframework.context.annotation.Bean;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The table of the design page: what becomes of a value that is put into a cache of
 * Spring's, by two instances, in transactions and in the callbacks of their end.
 */
@OnRedis
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SpringCachePutsIntegrationTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private final AtomicInteger numbers = new AtomicInteger();

	private RedisEndpoint server;

	private CacheApplication one;

	private CacheApplication two;

	private String id;

	@BeforeAll
	void start(RedisFixture redis) {
		this.server = redis.endpoints().get(0);
		this.one = SpringBalances.start(Configuration.class, redis.properties());
		this.two = SpringBalances.start(Configuration.class, redis.properties());
		// A first look after everything was flushed would make all entries outdated
		List.of(this.one, this.two).forEach((application) -> cache(application).get("warm"));
	}

	@AfterAll
	void stop() {
		this.one.close();
		this.two.close();
	}

	@BeforeEach
	void prepare() {
		this.id = newId();
	}

	// Not the same object as any other
	private String newId() {
		return "id" + this.numbers.incrementAndGet();
	}

	private static String copy(String id) {
		return String.valueOf(id.toCharArray());
	}

	private static Cache cache(CacheApplication application) {
		return Objects.requireNonNull(application.bean(CacheManager.class).getCache("tokens"));
	}

	private @Nullable Object found(CacheApplication application) {
		Cache.ValueWrapper found = cache(application).get(this.id);
		return (found != null) ? found.get() : null;
	}

	private void assertFound(@Nullable Object expected) throws Exception {
		assertThat(elsewhere(() -> found(this.one))).isEqualTo(expected);
		assertThat(elsewhere(() -> found(this.two))).isEqualTo(expected);
	}

	private static <T> T elsewhere(Callable<T> call) throws Exception {
		CompletableFuture<T> result = new CompletableFuture<>();
		new Thread(() -> {
			try {
				result.complete(call.call());
			}
			catch (Throwable ex) {
				result.completeExceptionally(ex);
			}
		}, "elsewhere").start();
		return result.get(LONG.toSeconds(), TimeUnit.SECONDS);
	}

	// By a lease

	@ParameterizedTest
	@CsvSource({ "PLAIN,0", "PLAIN,20", "MONO,0", "MONO,20", "FUTURE,0", "FUTURE,20", "CODE,0", "CODE,20" })
	void frequentlyUsedEntryIsFilledAlthoughLoadersDisagree(Form form, int millis) throws Exception {
		List<CompletableFuture<List<String>>> readers = new ArrayList<>();
		CyclicBarrier begin = new CyclicBarrier(8);
		for (int i = 0; i < 8; i++) {
			Tokens tokens = ((i % 2 == 0) ? this.one : this.two).bean(Tokens.class);
			tokens.prepare(millis);
			// Of half of them the keys are one object
			String key = (i < 4) ? this.id : null;
			CompletableFuture<List<String>> read = new CompletableFuture<>();
			readers.add(read);
			new Thread(() -> {
				try {
					begin.await();
					List<String> values = new ArrayList<>();
					for (int call = 0; call < 30; call++) {
						values.add(form.reader.apply(tokens, (key != null) ? key : copy(this.id)));
					}
					read.complete(values);
				}
				catch (Throwable ex) {
					read.completeExceptionally(ex);
				}
			}, "reader").start();
		}
		List<String> last = new ArrayList<>();
		for (CompletableFuture<List<String>> read : readers) {
			last.add(read.get(60, TimeUnit.SECONDS).get(29));
		}
		assertThat(last).as("the value that stands").containsOnly((String) found(this.one));
		assertThat(this.one.bean(Tokens.class).loads().get() + this.two.bean(Tokens.class).loads().get())
			.as("loads of 240 calls")
			.isLessThanOrEqualTo(16);
	}

	@Test
	void firstValueOfALeaseStaysWhoeverBringsAnotherOne() throws Exception {
		assertThat(found(this.one)).isNull();
		assertThat(found(this.two)).isNull();
		cache(this.two).put(copy(this.id), "first");
		cache(this.one).put(copy(this.id), "second");
		assertFound("first");
	}

	@Test
	void valueThatAWriterHasOvertakenRemovesTheEntryButNotWhatIsLoadedSince() throws Exception {
		assertThat(found(this.one)).isNull();
		elsewhere(() -> this.two.caches().write("tokens", this.id, () -> "written"));
		elsewhere(() -> {
			cache(this.two).evict(this.id);
			return null;
		});
		assertThat(found(this.two)).isNull();
		cache(this.one).put(this.id, "older");
		assertThat(found(this.one)).isNull();
		cache(this.two).put(this.id, "loaded before the removal");
		cache(this.one).put(this.id, "loaded after it");
		assertFound("loaded after it");
	}

	@Test
	void lateValueThatMayBeAChangeRemovesTheEntry() throws Exception {
		assertThat(found(this.one)).isNull();
		assertThat(found(this.two)).isNull();
		cache(this.two).put(this.id, "loaded before the change");
		this.one.transaction().executeWithoutResult((status) -> {
		});
		cache(this.one).put(this.id, "changed");
		assertFound(null);
		this.one.transaction().executeWithoutResult((status) -> {
			assertThat(found(this.one)).isNull();
			assertThat(found(this.two)).isNull();
			cache(this.two).put(this.id, "loaded before the change");
			cache(this.one).put(this.id, "changed");
		});
		assertFound(null);
	}

	@Test
	void nullThatSpringWrapsIsNull() throws Exception {
		for (boolean asked : new boolean[] { false, true }) {
			prepare();
			if (asked) {
				assertThat(cache(this.one).get(this.id)).isNull();
			}
			cache(this.one).put(this.id, NullValue.INSTANCE);
			assertThat(cache(this.two).get(this.id)).isNotNull().extracting(Cache.ValueWrapper::get).isNull();
		}
	}

	// If absent

	@Test
	void oneOfTwoInstancesPutsIfAbsent() throws Exception {
		for (int round = 0; round < 20; round++) {
			prepare();
			CyclicBarrier begin = new CyclicBarrier(2);
			CompletableFuture<Cache.@Nullable ValueWrapper> other = CompletableFuture.supplyAsync(() -> {
				await(begin);
				return cache(this.two).putIfAbsent(copy(this.id), "two");
			}, (task) -> new Thread(task, "other").start());
			await(begin);
			Cache.ValueWrapper own = cache(this.one).putIfAbsent(copy(this.id), "one");
			Cache.ValueWrapper others = other.get(LONG.toSeconds(), TimeUnit.SECONDS);
			assertThat((own == null) != (others == null)).isTrue();
			Object winner = (own == null) ? "one" : "two";
			assertThat(((own != null) ? own : others).get()).isEqualTo(winner);
			assertFound(winner);
		}
	}

	private static void await(CyclicBarrier barrier) {
		try {
			barrier.await(LONG.toSeconds(), TimeUnit.SECONDS);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void putIfAbsentInATransactionCountsAtOnceAndIsUndoneWithIt() throws Exception {
		for (boolean rollback : new boolean[] { false, true }) {
			prepare();
			this.one.transaction().executeWithoutResult((status) -> {
				assertThat(cache(this.one).putIfAbsent(this.id, "one")).isNull();
				assertThat(cache(this.one).putIfAbsent(this.id, "again").get()).isEqualTo("one");
				this.two.transaction()
					.executeWithoutResult(
							(none) -> assertThat(cache(this.two).putIfAbsent(this.id, "two").get()).isEqualTo("one"));
				if (rollback) {
					status.setRollbackOnly();
				}
			});
			assertFound(rollback ? null : "one");
		}
	}

	// As a change

	@Test
	void putInATransactionThatIsTheFirstToUseItsCacheIsPublished() {
		for (boolean known : new boolean[] { false, true }) {
			String name = "new" + known;
			if (known) {
				long minuteAgo = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis() - 60_000);
				this.server.command("ZADD", "ge:cache:{" + name + "}:i1", String.valueOf(minuteAgo), "*");
			}
			Cache cache = this.one.bean(CacheManager.class).getCache(name);
			this.one.transaction().executeWithoutResult((status) -> cache.put(this.id, "changed"));
			assertThat(cache.get(this.id)).isNotNull().extracting(Cache.ValueWrapper::get).isEqualTo("changed");
		}
	}

	@ParameterizedTest
	@EnumSource
	void whatIsChangedWhenATransactionHasEndedTakesEffectAtOnce(Callback callback) throws Exception {
		for (Change change : Change.values()) {
			// Other instances hear of a cleared cache by a message
			CacheApplication reader = (change != Change.CLEAR) ? this.two : this.one;
			for (boolean used : new boolean[] { false, true }) {
				prepare();
				cache(this.two).put(this.id, "before");
				this.one.transaction().executeWithoutResult((status) -> {
					if (used) {
						cache(this.one).evict(copy(this.id));
					}
					callback.register(() -> {
						change.action.accept(this.one, this.id);
						assertThat(found(reader)).as("%s, %s, at once", change, used).isEqualTo(change.expected);
					});
					if (callback.rollback) {
						status.setRollbackOnly();
					}
				});
				assertThat(callback.takeFailure()).isNull();
				assertThat(found(reader)).as("%s, %s, after all", change, used).isEqualTo(change.expected);
			}
		}
	}

	/**
	 * The ways to read.
	 */
	enum Form {

		PLAIN(Tokens::plain), MONO((tokens, id) -> tokens.mono(id).block(LONG)),
		FUTURE((tokens, id) -> tokens.future(id).join()), CODE(Tokens::inCode);

		private final BiFunction<Tokens, String, String> reader;

		Form(BiFunction<Tokens, String, String> reader) {
			this.reader = reader;
		}

	}

	/**
	 * The ways to hear of the end of a transaction.
	 */
	enum Callback {

		AFTER_COMMIT(false) {

			@Override
			void registered(Runnable action) {
				TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

					@Override
					public void afterCommit() {
						action.run();
					}

				});
			}

		},

		AFTER_COMPLETION(false), AFTER_ROLLBACK(true);

		private final boolean rollback;

		private @Nullable Throwable failure;

		Callback(boolean rollback) {
			this.rollback = rollback;
		}

		void register(Runnable action) {
			this.failure = new IllegalStateException("is not called");
			registered(() -> {
				try {
					action.run();
					this.failure = null;
				}
				catch (Throwable ex) {
					this.failure = ex;
				}
			});
		}

		void registered(Runnable action) {
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCompletion(int status) {
					action.run();
				}

			});
		}

		@Nullable Throwable takeFailure() {
			return this.failure;
		}

	}

	/**
	 * The ways to change an entry, and what is found afterwards.
	 */
	enum Change {

		EVICT(null, (application, id) -> cache(application).evict(id)),

		CLEAR(null, (application, id) -> cache(application).clear()),

		PUT("after", (application, id) -> cache(application).put(id, "after")),

		EVICT_IN_CODE(null, (application, id) -> application.caches().evict("tokens", id)),

		PUT_IN_CODE(null, (application, id) -> application.caches().put("tokens", id, "after")),

		WRITE("after", (application, id) -> application.caches().write("tokens", id, () -> "after"));

		private final @Nullable String expected;

		private final BiConsumer<CacheApplication, String> action;

		Change(@Nullable String expected, BiConsumer<CacheApplication, String> action) {
			this.expected = expected;
			this.action = action;
		}

	}

	/**
	 * Values that are never the same.
	 */
	static class Tokens {

		private final CacheManager caches;

		private final AtomicInteger loads = new AtomicInteger();

		private volatile int millis;

		Tokens(CacheManager caches) {
			this.caches = caches;
		}

		void prepare(int newMillis) {
			this.loads.set(0);
			this.millis = newMillis;
		}

		private String load() {
			this.loads.incrementAndGet();
			if (this.millis > 0) {
				try {
					Thread.sleep(this.millis);
				}
				catch (InterruptedException ex) {
					throw new IllegalStateException(ex);
				}
			}
			return UUID.randomUUID().toString();
		}

		@Cacheable("tokens")
		String plain(String id) {
			return load();
		}

		@Cacheable("tokens")
		Mono<String> mono(String id) {
			return Mono.fromSupplier(this::load);
		}

		@Cacheable("tokens")
		CompletableFuture<String> future(String id) {
			return CompletableFuture.supplyAsync(this::load, (task) -> new Thread(task, "loader").start());
		}

		String inCode(String id) {
			Cache cache = this.caches.getCache("tokens");
			String found = cache.get(id, String.class);
			if (found == null) {
				found = load();
				cache.put(copy(id), found);
			}
			return found;
		}

		AtomicInteger loads() {
			return this.loads;
		}

	}

	static class Configuration extends SpringBalances.Configuration {

		@Bean
		Tokens tokens(CacheManager caches) {
			return new Tokens(caches);
		}

	}

}
