// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.autoconfigure.CacheAutoConfiguration;
import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.cache.AsyncApplication.Account;
import io.ge.redis.cache.AsyncApplication.Accounts;
import io.ge.redis.test.ReactiveDatabase;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Stopwatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.ParameterizedTypeReference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Readers whose values come later.
 */
class CacheFormsIntegrationTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private static final ReactiveDatabase DATABASE = ReactiveDatabase.create();

	private static AsyncApplication application;

	private static AsyncApplication other;

	private Accounts accounts;

	@BeforeAll
	static void start() {
		application = AsyncApplication.start(DATABASE, SharedRedis.standalone().properties(),
				"ge.redis.cache.caches.near.near.enabled=true");
		other = AsyncApplication.start(DATABASE, SharedRedis.standalone().properties(),
				"ge.redis.cache.caches.near.near.enabled=true");
		application.accounts().self(application.accounts());
		learnScripts(application);
		learnScripts(other);
	}

	private static void learnScripts(AsyncApplication one) {
		one.accounts().find("learn").block(LONG);
		one.accounts().setInOperator("learn", 1).block(LONG);
		one.accounts().chosen("learn", "secret").block(LONG);
		one.accounts().several("learn").blockLast(LONG);
		one.caches().evict("accounts", "learn");
	}

	@AfterAll
	static void stop() {
		application.close();
		other.close();
	}

	@BeforeEach
	void prepare() {
		this.accounts = application.accounts();
		this.accounts.afterRead((read) -> Mono.empty());
		other.accounts().afterRead((read) -> Mono.empty());
		DATABASE.put("a", 100).block(LONG);
		SharedRedis.standalone().flushAll();
		// Whoever finds no versions takes all entries for outdated
		for (String cache : List.of("accounts", "several", "chosen", "tagged", "kept", "brief", "near")) {
			application.caches().clear(cache);
		}
		application.awaitHeardBy(other);
		// Those who have waited in an earlier test do not count
		SharedRedis.standalone().configResetStat();
		this.accounts.loads().set(0);
		this.accounts.threads().clear();
		other.accounts().loads().set(0);
		application.events().takeResults();
	}

	private static long calls(Runnable work) {
		SharedRedis.standalone().configResetStat();
		work.run();
		return SharedRedis.standalone().commandCalls("evalsha") + SharedRedis.standalone().commandCalls("eval");
	}

	@ParameterizedTest
	@EnumSource
	void missIsLoadedOnceAtTwoScriptCallsAndHitCostsNone(Form form) {
		assertThat(calls(() -> assertThat(form.find(this.accounts, "a")).isEqualTo(new Account("a", 100))))
			.isEqualTo(2);
		assertThat(calls(() -> assertThat(form.find(this.accounts, "a")).isEqualTo(new Account("a", 100)))).isZero();
		assertThat(this.accounts.loads()).hasValue(1);
		assertThat(application.events().takeResults()).containsExactly("miss", "loaded", "hit");
	}

	@ParameterizedTest
	@EnumSource
	void absenceIsCached(Form form) {
		assertThat(form.find(this.accounts, "none")).isNull();
		assertThat(calls(() -> assertThat(form.find(this.accounts, "none")).isNull())).isZero();
		assertThat(this.accounts.loads()).hasValue(1);
	}

	@Test
	void nothingIsAskedBeforeSubscriptionAndEachSubscriptionAsksAnew() {
		Mono<Account> mono = this.accounts.find("a");
		assertThat(calls(() -> assertThat(this.accounts.find("a")).isNotNull())).isZero();
		mono.block(LONG);
		application.caches().evict("accounts", "a");
		mono.block(LONG);
		assertThat(this.accounts.loads()).hasValue(2);
	}

	@Test
	void entriesAreThoseOfPlainCallers() {
		Account read = application.caches().get("accounts", "a", Account.class, () -> new Account("a", 7));
		assertThat(this.accounts.find("a").block(LONG)).isEqualTo(read);
		assertThat(this.accounts.loads()).hasValue(0);
	}

	@Test
	void oneCallerOfTheFleetLoadsAndTheOthersAreWokenWithoutThreads() {
		Sinks.Empty<Void> gate = Sinks.empty();
		this.accounts.afterRead((read) -> gate.asMono());
		other.accounts().afterRead((read) -> gate.asMono());
		List<CompletableFuture<Account>> readers = new ArrayList<>();
		readers.add(this.accounts.find("a").toFuture());
		Awaitility.await().until(() -> this.accounts.loads().get() == 1);
		for (int i = 0; i < 500; i++) {
			readers.add(this.accounts.find("a").toFuture());
			readers.add(this.accounts.findFuture("a"));
			readers.add(other.accounts().find("a").toFuture());
		}
		Awaitility.await().until(() -> SharedRedis.standalone().commandCalls("sadd") > 0);
		Awaitility.await().until(() -> AsyncApplication.readersThatBlock().isEmpty());
		Stopwatch watch = Stopwatch.start();
		gate.tryEmitEmpty();
		readers.forEach((reader) -> assertThat(reader).succeedsWithin(LONG).isEqualTo(new Account("a", 100)));
		assertThat(watch.elapsed()).isLessThan(Duration.ofSeconds(10));
		assertThat(this.accounts.loads().get() + other.accounts().loads().get()).isEqualTo(1);
	}

	@ParameterizedTest
	@EnumSource
	void whoeverWaitsTakesOverAtOnceWhenTheLoaderIsCancelled(Form form) {
		AtomicBoolean hanging = new AtomicBoolean();
		this.accounts.afterRead((read) -> Mono.never().doOnSubscribe((subscription) -> hanging.set(true)));
		Runnable cancel = form.cancellable(this.accounts, "a");
		Awaitility.await().untilTrue(hanging);
		SharedRedis.standalone().configResetStat();
		CompletableFuture<Account> here = this.accounts.find("a").toFuture();
		CompletableFuture<Account> there = other.accounts().find("a").toFuture();
		Awaitility.await().until(() -> SharedRedis.standalone().commandCalls("sadd") > 0);
		this.accounts.afterRead((read) -> Mono.empty());
		cancel.run();
		// Not after the lease, which is a minute
		assertThat(here).succeedsWithin(LONG).isEqualTo(new Account("a", 100));
		assertThat(there).succeedsWithin(LONG).isEqualTo(new Account("a", 100));
		assertThat(this.accounts.loads().get() + other.accounts().loads().get()).isEqualTo(2);
	}

	@Test
	void failureIsTheLoadersAndTheNextOneLoads() {
		this.accounts.afterRead((read) -> Mono.error(new IllegalStateException("no database")));
		assertThatIllegalStateException().isThrownBy(() -> this.accounts.find("a").block(LONG))
			.withMessage("no database");
		assertThat(this.accounts.findFuture("a")).failsWithin(LONG)
			.withThrowableThat()
			.havingRootCause()
			.withMessage("no database");
		this.accounts.afterRead((read) -> Mono.empty());
		assertThat(this.accounts.find("a").block(LONG)).isNotNull();
		assertThat(application.events().takeResults()).containsExactly("miss", "load_failed", "miss", "load_failed",
				"miss", "loaded");
	}

	@Test
	void loaderThatReadsItsOwnEntryDoesNotWaitForItself() {
		assertThat(this.accounts.findByReadingItself("a").block(LONG)).isEqualTo(new Account("a", 100));
		assertThat(application.events().takeResults()).contains("bypass");
		assertThat(this.accounts.find("a").block(LONG)).isEqualTo(new Account("a", 100));
		assertThat(this.accounts.loads()).hasValue(1);
	}

	@Test
	void conditionAndUnlessSeeWhatIsInside() {
		assertThat(calls(() -> this.accounts.chosen("never", "value").block(LONG))).isZero();
		this.accounts.chosen("1", "secret").block(LONG);
		assertThat(this.accounts.chosen("1", "open").block(LONG)).isEqualTo("open");
		assertThat(this.accounts.chosen("1", "other").block(LONG)).isEqualTo("open");
	}

	@Test
	void entriesWithTagsAreLoadedAnewAfterTheirInvalidation() {
		assertThat(this.accounts.tagged("1", "red").block(LONG)).isEqualTo("load 1");
		assertThat(this.accounts.tagged("2", "blue").block(LONG)).isEqualTo("load 2");
		assertThat(calls(() -> this.accounts.invalidateGroup("red").block(LONG))).isEqualTo(1);
		assertThat(this.accounts.tagged("1", "red").block(LONG)).isEqualTo("load 3");
		assertThat(this.accounts.tagged("2", "blue").block(LONG)).isEqualTo("load 2");
		assertThat(this.accounts.tagged("1", "red").block(LONG)).isEqualTo("load 3");
		assertThat(calls(() -> assertThat(this.accounts.invalidateAll()).succeedsWithin(LONG))).isEqualTo(1);
		assertThat(this.accounts.tagged("2", "blue").block(LONG)).isEqualTo("load 4");
		assertThat(this.accounts.invalidateResults("blue", "green").collectList().block(LONG)).hasSize(2);
		assertThat(this.accounts.tagged("2", "blue").block(LONG)).isEqualTo("load 5");
	}

	@Test
	void valueThatHasExpiredStandsInForAFailure() {
		this.accounts.kept("1", Mono.just("old")).block(LONG);
		Mono<String> failing = Mono.error(new IllegalStateException("no database"));
		Awaitility.await().until(() -> {
			assertThat(this.accounts.kept("1", failing).block(LONG)).isEqualTo("old");
			return application.events().takeResults().contains("stale");
		});
		assertThat(this.accounts.keptFuture("1", CompletableFuture.failedFuture(new IllegalStateException())))
			.succeedsWithin(LONG)
			.isEqualTo("old");
		Awaitility.await().until(() -> "new".equals(this.accounts.kept("1", Mono.just("new")).block(LONG)));
	}

	@Test
	void valueThatIsReadIsReplacedBeforeItExpires() {
		Awaitility.await().atMost(LONG).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(5)).until(() -> {
			this.accounts.brief("1").block(LONG);
			List<String> results = application.events().results();
			return results.lastIndexOf("loaded") > results.lastIndexOf("miss") + 1;
		});
	}

	@Test
	void valueInMemoryCostsNothing() {
		this.accounts.near("1").block(LONG);
		this.accounts.near("1").block(LONG);
		Awaitility.await().until(() -> calls(() -> this.accounts.near("1").block(LONG)) == 0);
		assertThat(this.accounts.loads()).hasValue(1);
		this.accounts.nearWrite("1", "new").block(LONG);
		assertThat(this.accounts.near("1").block(LONG)).isEqualTo("new");
	}

	@Test
	void severalValuesAreCachedAsTheListOfThem() {
		DATABASE.put("s1", 1).then(DATABASE.put("s2", 2)).then(DATABASE.put("s3", 3)).block(LONG);
		List<Account> all = List.of(new Account("s1", 1), new Account("s2", 2), new Account("s3", 3));
		assertThat(calls(() -> assertThat(this.accounts.several("s").collectList().block(LONG)).isEqualTo(all)))
			.isEqualTo(2);
		assertThat(calls(() -> assertThat(this.accounts.several("s").collectList().block(LONG)).isEqualTo(all)))
			.isZero();
		assertThat(this.accounts.several("s").take(2).collectList().block(LONG)).hasSize(2);
		assertThat(this.accounts.several("none").collectList().block(LONG)).isEmpty();
		assertThat(this.accounts.several("none").collectList().block(LONG)).isEmpty();
		assertThat(this.accounts.loads()).hasValue(6);
	}

	@Test
	void changeThatIsWrittenBehindIsReadBeforeTheDatabaseHasIt() {
		Account first = new Account("b", 1);
		Account second = new Account("b", 2);
		Account third = new Account("b", 3);
		assertThat(this.accounts.setBehind("b", 1).block(LONG)).isEqualTo(first);
		assertThat(this.accounts.findBehind("b").block(LONG)).isEqualTo(first);
		assertThat(this.accounts.setBehind(second)).succeedsWithin(LONG);
		application.caches().evict("behind", "b");
		// The entry is gone, the change waits for its store
		assertThat(this.accounts.findBehind("b").block(LONG)).isEqualTo(second);
		assertThat(application.caches().writeBehindAsync("behind", "b", third)).succeedsWithin(LONG);
		assertThat(this.accounts.findBehind("b").block(LONG)).isEqualTo(third);
		assertThat(this.accounts.loads()).hasValue(0);
	}

	@Test
	void valueThatIsWrittenBehindIsReplacedBeforeItExpiresAndNotByAnOlderOne() {
		DATABASE.put("brief", 1).block(LONG);
		// How long it takes to load decides how early it is replaced
		assertThat(this.accounts.findBehindBrief("brief").block(LONG)).isEqualTo(new Account("brief", 1));
		awaitReplaced(new Account("brief", 1));
		assertThat(this.accounts.setBehindBrief("brief", 2).block(LONG)).isEqualTo(new Account("brief", 2));
		int loads = this.accounts.loads().get();
		awaitReplaced(new Account("brief", 2));
		assertThat(this.accounts.loads()).hasValue(loads);
	}

	private void awaitReplaced(Account expected) {
		application.events().takeResults();
		Awaitility.await().atMost(LONG).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(5)).until(() -> {
			assertThat(this.accounts.findBehindBrief("brief").block(LONG)).isEqualTo(expected);
			List<String> results = application.events().results();
			return Collections.frequency(results, "loaded") > Collections.frequency(results, "miss");
		});
		assertThat(this.accounts.findBehindBrief("brief").block(LONG)).isEqualTo(expected);
	}

	@Test
	void valueIsReadAnewByWhoeverTakesIt() {
		this.accounts.find("a").block(LONG);
		application.events().takeResults();
		application.caches().evict("accounts", "a");
		// On the same thread, while the first load is being subscribed to
		this.accounts.find("a").flatMap((first) -> this.accounts.find("a")).block(LONG);
		assertThat(application.events().takeResults()).containsExactly("invalidated", "miss", "loaded", "hit");
	}

	@Test
	void apiHasTwinsThatDoNotBlock() {
		GeCaches caches = application.caches();
		Account read = new Account("a", 1);
		CompletableFuture<Account> loading = new CompletableFuture<>();
		CompletableFuture<Account> first = caches.getAsync("accounts", "a", Account.class, () -> loading)
			.toCompletableFuture();
		CompletableFuture<Account> second = caches.getAsync("accounts", "a", new ParameterizedTypeReference<Account>() {
		}, () -> CompletableFuture.failedFuture(new IllegalStateException("loaded twice"))).toCompletableFuture();
		assertThat(first).isNotDone();
		loading.complete(read);
		assertThat(first).succeedsWithin(LONG).isEqualTo(read);
		assertThat(second).succeedsWithin(LONG).isEqualTo(read);
		Account written = new Account("a", 2);
		assertThat(calls(
				() -> assertThat(caches.writeAsync("accounts", "a", () -> CompletableFuture.completedFuture(written)))
					.succeedsWithin(LONG)
					.isEqualTo(written)))
			.isEqualTo(2);
		assertThat(this.accounts.find("a").block(LONG)).isEqualTo(written);
		assertThat(calls(() -> assertThat(caches.evictAsync("accounts", "a")).succeedsWithin(LONG))).isEqualTo(1);
		assertThat(this.accounts.find("a").block(LONG)).isEqualTo(new Account("a", 100));
		assertThat(calls(() -> assertThat(caches.putAsync("accounts", "a", written)).succeedsWithin(LONG)))
			.isEqualTo(1);
		assertThat(this.accounts.find("a").block(LONG)).isEqualTo(new Account("a", 100));
		assertThat(calls(() -> assertThat(caches.clearAsync("accounts")).succeedsWithin(LONG))).isEqualTo(1);
		this.accounts.tagged("1", "red").block(LONG);
		assertThat(calls(() -> assertThat(caches.invalidateTagsAsync("tagged", "red")).succeedsWithin(LONG)))
			.isEqualTo(1);
		this.accounts.loads().set(0);
		this.accounts.find("a").block(LONG);
		this.accounts.tagged("1", "red").block(LONG);
		assertThat(this.accounts.loads()).hasValue(2);
	}

	@Test
	void methodNeverRunsOnAThreadOfTheDriver() {
		for (int i = 0; i < 20; i++) {
			this.accounts.find("thread " + i).block(LONG);
			assertThat(this.accounts.findFuture("future " + i)).succeedsWithin(LONG);
		}
		assertThat(this.accounts.threads()).hasSize(40).noneMatch((name) -> name.contains("lettuce"));
	}

	@Test
	void whatCannotBeFollowedOrCachedIsRefusedAtTheStart() {
		ApplicationContextRunner runner = new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
					GeRedisAutoConfiguration.class, CacheAutoConfiguration.class))
			.withPropertyValues(SharedRedis.properties());
		runner.withBean(WithFuture.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(GuardConfigurationException.class)
				.hasMessageContaining("WithFuture.future()")
				.hasMessageContaining("the return type Future cannot be guarded"));
		runner.withBean(WithNothing.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(GuardConfigurationException.class)
				.hasMessageContaining("WithNothing.nothing()")
				.hasMessageContaining("the method returns nothing that could be cached"));
	}

	static class WithFuture {

		@CacheAside(cache = "futures", key = "1")
		Future<String> future() {
			return CompletableFuture.completedFuture("");
		}

	}

	static class WithNothing {

		@CacheAside(cache = "nothing", key = "1")
		Mono<Void> nothing() {
			return Mono.empty();
		}

	}

	/**
	 * The forms of a reader.
	 */
	enum Form {

		MONO((accounts) -> (id) -> accounts.find(id).toFuture()),

		FUTURE((accounts) -> accounts::findFuture),

		STAGE((accounts) -> (id) -> accounts.findStage(id).toCompletableFuture()),

		OPTIONAL((accounts) -> (id) -> accounts.findOptional(id).flatMap(Mono::justOrEmpty).toFuture()),

		IN_TRANSACTION((accounts) -> (id) -> accounts.findInTransaction(id).toFuture());

		private final Function<Accounts, Function<String, CompletableFuture<Account>>> finder;

		Form(Function<Accounts, Function<String, CompletableFuture<Account>>> finder) {
			this.finder = finder;
		}

		Account find(Accounts accounts, String id) {
			return this.finder.apply(accounts).apply(id).orTimeout(30, TimeUnit.SECONDS).join();
		}

		Runnable cancellable(Accounts accounts, String id) {
			CompletableFuture<Account> begun = this.finder.apply(accounts).apply(id);
			return () -> begun.cancel(true);
		}

	}

}
