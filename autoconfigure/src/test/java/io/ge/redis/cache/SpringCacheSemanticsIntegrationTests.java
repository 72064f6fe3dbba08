// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.ge.redis.test.OnRedis;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.CachePut;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.Caching;
import org.springframework.cache.interceptor.CacheInterceptor;
import org.springframework.cache.interceptor.SimpleKey;
import org.springframework.context.annotation.Bean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Spring's cache annotations and its {@link Cache}, as Spring's reference describes them,
 * through Spring's own interceptor. Who waits for what nobody brings waits for longer
 * than any test.
 */
@OnRedis
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SpringCacheSemanticsIntegrationTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private CacheApplication application;

	private Books books;

	private Library library;

	private final AtomicInteger numbers = new AtomicInteger();

	@BeforeAll
	void start(RedisFixture redis) {
		this.application = SpringBalances.start(Configuration.class, redis.properties(), "ge.redis.cache.load-wait=10m",
				"ge.redis.cache.lease-time=10m");
		this.books = this.application.bean(Books.class);
		this.library = this.books.library();
		// A first look after everything was flushed would make all entries outdated
		List.of("books", "titles", "pairs", "nothing", "maybe", "shelves", "objects", "booklists", "anything")
			.forEach((name) -> this.application.bean(CacheManager.class).getCache(name).get("warm"));
	}

	@AfterAll
	void stop() {
		this.application.close();
	}

	@BeforeEach
	void prepare() {
		this.library.failing = false;
		this.library.loads.set(0);
	}

	private String newId() {
		return "id" + this.numbers.incrementAndGet();
	}

	private Cache cache() {
		return this.application.bean(CacheManager.class).getCache("books");
	}

	private void assertLoads(int expected) {
		assertThat(this.library.loads.getAndSet(0)).isEqualTo(expected);
	}

	private void assertCached(String id, Book expected) {
		this.library.loads.set(0);
		assertThat(this.books.find(id)).isEqualTo(expected);
		assertLoads(0);
	}

	private void assertNotCached(String id) {
		this.library.loads.set(0);
		this.books.find(id);
		assertLoads(1);
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
		return get(result);
	}

	private static <T> T get(CompletableFuture<T> future) throws Exception {
		return future.get(LONG.toSeconds(), TimeUnit.SECONDS);
	}

	@Test
	void interceptorIsSpringsOwn() {
		assertThat(this.application.bean(CacheInterceptor.class).getClass()).isSameAs(CacheInterceptor.class);
	}

	// Keys and values

	@Test
	void nullAndBlankArgumentsAreKeysOfTheirOwn() {
		List<@Nullable String> ids = Arrays.asList(null, "", " ", "null");
		for (int i = 0; i < 2; i++) {
			for (String first : ids) {
				assertThat(this.books.find(first)).isEqualTo(Book.of(first));
				for (String second : ids) {
					assertThat(this.books.pair(first, second)).isEqualTo(first + "|" + second);
				}
			}
		}
		assertLoads(ids.size() + ids.size() * ids.size());
	}

	@Test
	void severalArgumentsAreTheListOfThemAndNoArgumentsAreAKey() {
		assertThat(this.books.pair("a, b", "c")).isEqualTo("a, b|c");
		assertThat(this.books.pair("a", "b, c")).isEqualTo("a|b, c");
		assertLoads(2);
		Cache pairs = this.application.bean(CacheManager.class).getCache("pairs");
		assertThat(pairs.get(new SimpleKey("a", "b, c"), String.class)).isEqualTo("a|b, c");
		assertThat(pairs.get(List.of("a", "b, c"), String.class)).isEqualTo("a|b, c");
		this.books.all();
		assertThat(this.books.all()).hasSize(1);
		assertLoads(1);
	}

	@Test
	void nullValuesAreCached() throws Exception {
		assertThat(this.books.nothing("n")).isNull();
		assertThat(this.books.nothing("n")).isNull();
		assertThat(get(this.books.nothingLater("l"))).isNull();
		assertThat(get(this.books.nothingLater("l"))).isNull();
		assertThat(this.books.nothingMono("m").block(LONG)).isNull();
		assertThat(this.books.nothingMono("m").block(LONG)).isNull();
		assertThat(this.books.maybe("o")).isEmpty();
		assertThat(this.books.maybe("o")).isEmpty();
		assertLoads(4);
	}

	@Test
	void resultMayBeTheKeyOfAPut() {
		String id = newId();
		Book saved = this.books.save(new Book(id, "written", BigDecimal.ONE));
		assertCached(id, saved);
	}

	@Test
	void unlessKeepsResultsOut() throws Exception {
		String id = newId();
		this.books.findUnlessFree(id, BigDecimal.ZERO);
		// Nobody waits for it either
		elsewhere(() -> this.books.findUnlessFree(id, BigDecimal.ZERO));
		assertLoads(2);
		Book paid = elsewhere(() -> this.books.findUnlessFree(id, BigDecimal.ONE));
		assertCached(id, paid);
		this.books.saveUnlessFree(new Book(id, "free", BigDecimal.ZERO));
		assertCached(id, paid);
	}

	@Test
	void conditionDecidesWhetherTheCacheIsUsed() {
		String id = newId();
		this.books.findIf(id, false);
		this.books.findIf(id, false);
		assertLoads(2);
		this.books.findIf(id, true);
		this.books.findIf(id, true);
		assertLoads(1);
		this.books.evictIf(id, false);
		assertCached(id, Book.of(id));
		this.books.evictIf(id, true);
		assertNotCached(id);
	}

	// Eviction and failure

	@Test
	void evictionComesAfterTheMethodAndNotIfItFails() {
		String id = newId();
		Book book = this.books.find(id);
		this.library.failing = true;
		assertThatIllegalStateException().isThrownBy(() -> this.books.evict(id));
		assertThatIllegalStateException().isThrownBy(() -> this.books.evictAll());
		this.library.failing = false;
		assertCached(id, book);
		this.books.evict(id);
		assertNotCached(id);
		this.books.evictAll();
		assertNotCached(id);
	}

	@Test
	void evictionBeforeTheMethodComesAlthoughItFails() {
		String id = newId();
		this.books.find(id);
		this.library.failing = true;
		assertThatIllegalStateException().isThrownBy(() -> this.books.evictFirst(id));
		this.library.failing = false;
		assertNotCached(id);
		this.library.failing = true;
		assertThatIllegalStateException().isThrownBy(() -> this.books.evictAllFirst());
		this.library.failing = false;
		assertNotCached(id);
	}

	@Test
	@Wide
	void failureIsNotCachedAndNobodyWaitsForIt() throws Exception {
		List<Function<String, Book>> readers = List.of(this.books::find, this.books::findInSync,
				(id) -> this.books.findLater(id).join(), (id) -> this.books.findLaterInSync(id).join(),
				(id) -> this.books.findMono(id).block(LONG), (id) -> this.books.findMonoInSync(id).block(LONG));
		for (Function<String, Book> reader : readers) {
			for (Function<String, Book> next : readers) {
				String id = newId();
				this.library.failing = true;
				assertThat(catchThrowable(() -> reader.apply(id))).hasStackTraceContaining("no books");
				this.library.failing = false;
				assertThat(elsewhere(() -> next.apply(id))).isEqualTo(Book.of(id));
				assertCached(id, Book.of(id));
			}
		}
	}

	@Test
	void putOfAMethodThatFailsChangesNothing() {
		String id = newId();
		Book book = this.books.find(id);
		this.library.failing = true;
		assertThatIllegalStateException().isThrownBy(() -> this.books.save(new Book(id, "lost", BigDecimal.ONE)));
		this.library.failing = false;
		assertCached(id, book);
	}

	// Several operations

	@Test
	void severalOperationsOnOneMethod() {
		String id = newId();
		String other = newId();
		this.books.find(other);
		Book saved = this.books.saveBothAndEvict(new Book(id, "written", BigDecimal.ONE), other);
		assertCached(id, saved);
		assertThat(this.books.byTitle("written")).isEqualTo(saved);
		assertLoads(0);
		assertNotCached(other);
	}

	// Later

	@Test
	void futuresAreCachedPutAndEvicted() throws Exception {
		String id = newId();
		assertThat(get(this.books.findLater(id))).isEqualTo(Book.of(id));
		assertThat(get(this.books.findLater(id))).isEqualTo(Book.of(id));
		assertThat(get(this.books.findLaterInSync(id))).isEqualTo(Book.of(id));
		assertLoads(1);
		Book saved = get(this.books.saveLater(new Book(id, "later", BigDecimal.TEN)));
		assertCached(id, saved);
		this.library.failing = true;
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> get(this.books.evictLater(id)));
		this.library.failing = false;
		assertCached(id, saved);
		get(this.books.evictLater(id));
		assertNotCached(id);
	}

	@Test
	void futureThatCompletesElsewhereIsStoredByTheLeaseOfItsMiss() throws Exception {
		String id = new String(newId());
		CompletableFuture<Book> gate = new CompletableFuture<>();
		this.library.next = () -> gate;
		CompletableFuture<Book> found = this.books.findNextLater(id);
		Awaitility.await().until(() -> this.library.loads.get() == 1);
		// A change that the loader has not seen
		Book saved = this.books.save(new Book(new String(id), "newer", BigDecimal.TEN));
		elsewhere(() -> gate.complete(Book.of(id)));
		assertThat(get(found)).isEqualTo(Book.of(id));
		assertNotCached(id);
		this.books.evict(id);
		CompletableFuture<Book> again = new CompletableFuture<>();
		this.library.next = () -> again;
		found = this.books.findNextLater(id);
		elsewhere(() -> again.complete(saved));
		get(found);
		assertCached(id, saved);
	}

	@Test
	void monosAreCachedPutAndEvicted() {
		String id = newId();
		assertThat(this.books.findMono(id).block(LONG)).isEqualTo(Book.of(id));
		assertThat(this.books.findMono(id).block(LONG)).isEqualTo(Book.of(id));
		assertThat(this.books.findMonoInSync(id).block(LONG)).isEqualTo(Book.of(id));
		assertLoads(1);
		Book saved = this.books.saveMono(new Book(id, "mono", BigDecimal.TEN)).block(LONG);
		assertCached(id, saved);
		this.books.evictMono(id).block(LONG);
		assertNotCached(id);
	}

	@Test
	void fluxIsCachedAsAWholeAlsoIfItIsTakenInPart() {
		String id = newId();
		List<Book> all = List.of(Book.of(id + 1), Book.of(id + 2), Book.of(id + 3));
		assertThat(this.books.several(id).collectList().block(LONG)).isEqualTo(all);
		assertThat(this.books.several(id).collectList().block(LONG)).isEqualTo(all);
		assertThat(this.books.several(id).take(1).collectList().block(LONG)).hasSize(1);
		assertLoads(1);
		String part = newId();
		assertThat(this.books.several(part).take(1).collectList().block(LONG)).hasSize(1);
		Awaitility.await().untilAsserted(() -> {
			this.library.loads.set(0);
			assertThat(this.books.several(part).collectList().block(LONG)).hasSize(3);
			assertLoads(0);
		});
	}

	@Test
	void nothingWaitsOnAThreadThatMustNot() {
		String id = newId();
		assertThat(this.books.findSoon(id).block(LONG)).isEqualTo(Book.of(id));
		Awaitility.await().untilAsserted(() -> assertCached(id, Book.of(id)));
		Book saved = this.books.saveSoon(new Book(id, "soon", BigDecimal.TEN)).block(LONG);
		Awaitility.await().untilAsserted(() -> assertCached(id, saved));
		this.books.evictSoon(id).block(LONG);
		Awaitility.await().untilAsserted(() -> assertNotCached(id));
		this.books.evictAllSoon().block(LONG);
		Awaitility.await().untilAsserted(() -> assertNotCached(id));
	}

	// One load

	@Test
	@Wide
	void syncLoadsOnce() throws Exception {
		String id = newId();
		CountDownLatch release = new CountDownLatch(1);
		this.library.whileLoading = () -> CacheContract.await(release);
		Executor threads = (task) -> new Thread(task, "reader").start();
		List<CompletableFuture<Book>> all = List.of(
				CompletableFuture.supplyAsync(() -> this.books.findInSync(id), threads),
				CompletableFuture.supplyAsync(() -> this.books.findInSync(id), threads),
				CompletableFuture.supplyAsync(() -> this.books.findLaterInSync(id).join(), threads),
				CompletableFuture.supplyAsync(() -> this.books.findMonoInSync(id).block(LONG), threads));
		Awaitility.await().until(() -> this.library.loads.get() == 1);
		release.countDown();
		for (CompletableFuture<Book> each : all) {
			assertThat(get(each)).isEqualTo(Book.of(id));
		}
		this.library.whileLoading = () -> {
		};
		assertLoads(1);
	}

	@Test
	void plainReadersLoadBesideEachOtherAndTheFirstIsStored() throws Exception {
		String id = newId();
		CountDownLatch loading = new CountDownLatch(3);
		this.library.whileLoading = () -> {
			loading.countDown();
			CacheContract.await(loading);
		};
		Executor threads = (task) -> new Thread(task, "reader").start();
		List<CompletableFuture<Book>> all = List.of(CompletableFuture.supplyAsync(() -> this.books.find(id), threads),
				CompletableFuture.supplyAsync(() -> this.books.find(id), threads),
				CompletableFuture.supplyAsync(() -> this.books.findMono(id).block(LONG), threads));
		for (CompletableFuture<Book> each : all) {
			assertThat(get(each)).isEqualTo(Book.of(id));
		}
		this.library.whileLoading = () -> {
		};
		assertCached(id, Book.of(id));
	}

	// The cache itself

	@Test
	void whatIsPutIsFound() {
		String id = newId();
		Cache cache = cache();
		cache.put(id, Book.of(id));
		assertThat(cache.get(id)).isNotNull().extracting(Cache.ValueWrapper::get).isEqualTo(Book.of(id));
		assertThat(cache.get(id, Book.class)).isEqualTo(Book.of(id));
		assertThat(cache.get(id, Object.class)).isEqualTo(Book.of(id));
		assertThat(cache.get(id, (Class<Object>) null)).isEqualTo(Book.of(id));
		assertThatIllegalStateException().isThrownBy(() -> cache.get(id, String.class));
		cache.put(id, new Book(id, "other", BigDecimal.ONE));
		assertThat(cache.get(id, Book.class).title()).isEqualTo("other");
		cache.put(id, null);
		assertThat(cache.get(id)).isNotNull().extracting(Cache.ValueWrapper::get).isNull();
		assertThat(cache.get(id, Book.class)).isNull();
	}

	@Test
	void putIfAbsentStoresWhatIsNotThere() {
		String id = newId();
		Cache cache = cache();
		assertThat(cache.putIfAbsent(id, Book.of(id))).isNull();
		assertThat(cache.get(id, Book.class)).isEqualTo(Book.of(id));
		assertThat(cache.putIfAbsent(id, new Book(id, "late", BigDecimal.ONE))).isNotNull()
			.extracting(Cache.ValueWrapper::get)
			.isEqualTo(Book.of(id));
		assertThat(cache.get(id, Book.class)).isEqualTo(Book.of(id));
	}

	@Test
	void whatIsRemovedIsGone() {
		for (BiConsumer<Cache, String> remove : List.<BiConsumer<Cache, String>>of(Cache::evict, Cache::evictIfPresent,
				(cache, id) -> cache.clear(), (cache, id) -> cache.invalidate())) {
			String id = newId();
			Cache cache = cache();
			cache.get(id);
			remove.accept(cache, id);
			cache.put(id, Book.of(id));
			assertThat(cache.get(id)).isNotNull();
			remove.accept(cache, id);
			assertThat(cache.get(id)).isNull();
			cache.put(id, Book.of(id));
			assertThat(cache.get(id)).isNotNull();
		}
	}

	@Test
	void loaderIsCalledOnceAndItsFailureIsTold() {
		String id = newId();
		Cache cache = cache();
		assertThat(cache.get(id, () -> Book.of(id))).isEqualTo(Book.of(id));
		assertThat(cache.<Book>get(id, () -> {
			throw new IllegalStateException("is there");
		})).isEqualTo(Book.of(id));
		UnsupportedOperationException failure = new UnsupportedOperationException("no books");
		assertThatExceptionOfType(Cache.ValueRetrievalException.class).isThrownBy(() -> cache.get(newId(), () -> {
			throw failure;
		})).withCause(failure);
	}

	// Types

	@Test
	void valuesOfManyTypesAreReadAsTheyWere() {
		Cache cache = this.application.bean(CacheManager.class).getCache("anything");
		Map<String, List<Book>> shelves = new LinkedHashMap<>();
		shelves.put("one", List.of(Book.of("a"), Book.of("b")));
		shelves.put("two", List.of(Book.of("c")));
		List<Object> values = List.of("text", 1, 2L, 1.5, true, BigDecimal.TEN, Instant.EPOCH, Duration.ofDays(1),
				TimeUnit.DAYS, Book.of("a"), List.of(Book.of("a")), List.of(), Map.of(), Optional.of(Book.of("a")),
				Set.of(1L, 2L), shelves, new int[] { 1, 2 }, new TreeMap<>(Map.of("b", 2, "a", 1)));
		for (Object value : values) {
			String id = newId();
			cache.put(id, value);
			assertThat(cache.get(id)).as(value.toString()).isNotNull();
			assertThat(cache.get(id).get()).isEqualTo(value);
		}
		assertThat(cache.get("nothing", TreeMap.class)).isNull();
	}

	@Test
	void valueWithoutOneTypeIsNotStoredAndRemovesWhatWasThere() {
		Cache cache = this.application.bean(CacheManager.class).getCache("anything");
		for (Object value : List.of(List.of(1, "one"), new Object(), new Box<>("text"))) {
			String id = newId();
			cache.put(id, "before");
			cache.put(id, value);
			assertThat(cache.get(id)).isNull();
		}
	}

	@Test
	void genericResultsOfMethodsAreCached() {
		assertThat(this.books.shelves("s")).isEqualTo(Map.of("s", List.of(Book.of("s"))));
		assertThat(this.books.shelves("s")).isEqualTo(Map.of("s", List.of(Book.of("s"))));
		assertThat(this.books.maybe("m")).contains(Book.of("m"));
		assertThat(this.books.maybe("m")).contains(Book.of("m"));
		assertThat(this.books.anything("x")).isEqualTo(Book.of("x"));
		assertThat(this.books.anything("x")).isEqualTo(Book.of("x"));
		assertLoads(3);
	}

	/**
	 * A value.
	 */
	record Book(String id, String title, BigDecimal price) {

		static Book of(@Nullable String id) {
			return new Book(String.valueOf(id), "title of " + id, BigDecimal.ONE);
		}

	}

	/**
	 * A value whose content nobody tells.
	 */
	record Box<T>(T content) {
	}

	/**
	 * What the methods do.
	 */
	private static final class Library {

		private final AtomicInteger loads = new AtomicInteger();

		private volatile boolean failing;

		private volatile Runnable whileLoading = () -> {
		};

		private volatile Supplier<CompletableFuture<Book>> next = CompletableFuture::new;

	}

	/**
	 * Methods with Spring's annotations.
	 */
	static class Books {

		private final Library library = new Library();

		Library library() {
			return this.library;
		}

		private <T extends @Nullable Object> T load(T value) {
			this.library.loads.incrementAndGet();
			this.library.whileLoading.run();
			return unlessFailing(value);
		}

		private <T extends @Nullable Object> T unlessFailing(T value) {
			if (this.library.failing) {
				throw new IllegalStateException("no books");
			}
			return value;
		}

		@Cacheable("books")
		Book find(@Nullable String id) {
			return load(Book.of(id));
		}

		@Cacheable(cacheNames = "books", sync = true)
		Book findInSync(String id) {
			return load(Book.of(id));
		}

		@Cacheable("pairs")
		String pair(@Nullable String first, @Nullable String second) {
			return load(first + "|" + second);
		}

		@Cacheable("booklists")
		List<Book> all() {
			return load(List.of(Book.of("all")));
		}

		@Cacheable("nothing")
		@Nullable Book nothing(String id) {
			return load(null);
		}

		@Cacheable("nothing")
		CompletableFuture<@Nullable Book> nothingLater(String id) {
			return CompletableFuture.supplyAsync(() -> load(null));
		}

		@Cacheable("nothing")
		Mono<Book> nothingMono(String id) {
			return Mono.fromCallable(() -> load(null));
		}

		@Cacheable("maybe")
		Optional<Book> maybe(String id) {
			return load(id.equals("o") ? Optional.empty() : Optional.of(Book.of(id)));
		}

		@Cacheable("shelves")
		Map<String, List<Book>> shelves(String id) {
			return load(Map.of(id, List.of(Book.of(id))));
		}

		@Cacheable("objects")
		Object anything(String id) {
			return load(Book.of(id));
		}

		@Cacheable(cacheNames = "books", key = "#id", unless = "#result.price.signum() == 0")
		Book findUnlessFree(String id, BigDecimal price) {
			return load(new Book(id, "priced", price));
		}

		@Cacheable(cacheNames = "books", key = "#id", condition = "#cached")
		Book findIf(String id, boolean cached) {
			return load(Book.of(id));
		}

		@Cacheable("titles")
		Book byTitle(String title) {
			return load(Book.of(title));
		}

		@CachePut(cacheNames = "books", key = "#result.id")
		Book save(Book book) {
			return unlessFailing(book);
		}

		@CachePut(cacheNames = "books", key = "#result.id", unless = "#result.price.signum() == 0")
		Book saveUnlessFree(Book book) {
			return book;
		}

		@Caching(
				put = { @CachePut(cacheNames = "books", key = "#book.id"),
						@CachePut(cacheNames = "titles", key = "#result.title") },
				evict = @CacheEvict(cacheNames = "books", key = "#other"))
		Book saveBothAndEvict(Book book, String other) {
			return book;
		}

		@CacheEvict("books")
		void evict(String id) {
			unlessFailing(id);
		}

		@CacheEvict(cacheNames = "books", key = "#id", condition = "#evicting")
		void evictIf(String id, boolean evicting) {
		}

		@CacheEvict(cacheNames = "books", allEntries = true)
		void evictAll() {
			unlessFailing("");
		}

		@CacheEvict(cacheNames = "books", beforeInvocation = true)
		void evictFirst(String id) {
			unlessFailing(id);
		}

		@CacheEvict(cacheNames = "books", allEntries = true, beforeInvocation = true)
		void evictAllFirst() {
			unlessFailing("");
		}

		@Cacheable("books")
		CompletableFuture<Book> findLater(String id) {
			return CompletableFuture.supplyAsync(() -> load(Book.of(id)));
		}

		@Cacheable("books")
		CompletableFuture<Book> findNextLater(String id) {
			this.library.loads.incrementAndGet();
			return this.library.next.get();
		}

		@Cacheable(cacheNames = "books", sync = true)
		CompletableFuture<Book> findLaterInSync(String id) {
			return CompletableFuture.supplyAsync(() -> load(Book.of(id)));
		}

		@CachePut(cacheNames = "books", key = "#result.id")
		CompletableFuture<Book> saveLater(Book book) {
			return CompletableFuture.supplyAsync(() -> book);
		}

		@CacheEvict("books")
		CompletableFuture<Void> evictLater(String id) {
			return CompletableFuture.runAsync(() -> unlessFailing(id));
		}

		@Cacheable("books")
		Mono<Book> findMono(String id) {
			return Mono.fromCallable(() -> load(Book.of(id)));
		}

		@Cacheable(cacheNames = "books", sync = true)
		Mono<Book> findMonoInSync(String id) {
			return Mono.fromCallable(() -> load(Book.of(id)));
		}

		@CachePut(cacheNames = "books", key = "#result.id")
		Mono<Book> saveMono(Book book) {
			return Mono.just(book);
		}

		@CacheEvict("books")
		Mono<Void> evictMono(String id) {
			return Mono.fromRunnable(() -> unlessFailing(id));
		}

		private static <T> Mono<T> onEventLoop(Supplier<T> value) {
			return Mono.fromSupplier(value).subscribeOn(Schedulers.parallel());
		}

		@Cacheable("books")
		Mono<Book> findSoon(String id) {
			return onEventLoop(() -> load(Book.of(id)));
		}

		@CachePut(cacheNames = "books", key = "#result.id")
		Mono<Book> saveSoon(Book book) {
			return onEventLoop(() -> book);
		}

		@CacheEvict("books")
		Mono<String> evictSoon(String id) {
			return onEventLoop(() -> id);
		}

		@CacheEvict(cacheNames = "books", allEntries = true)
		Mono<String> evictAllSoon() {
			return onEventLoop(() -> "all");
		}

		@Cacheable("booklists")
		Flux<Book> several(String id) {
			this.library.loads.incrementAndGet();
			return Flux.range(1, 3).map((number) -> Book.of(id + number));
		}

	}

	static class Configuration extends SpringBalances.Configuration {

		@Bean
		Books books() {
			return new Books();
		}

	}

}
