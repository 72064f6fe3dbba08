// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

import io.ge.redis.cache.AsyncApplication.Account;
import io.ge.redis.cache.AsyncApplication.Accounts;
import io.ge.redis.test.FirstRun;
import io.ge.redis.test.ReactiveDatabase;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Readers and writers that take long, or are cancelled.
 */
@Wide
class CacheFormsCancellationIntegrationTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private static final int CANCELLATIONS = Wide.RUN ? 10_000 : 1_000;

	private static final ReactiveDatabase DATABASE = ReactiveDatabase.create();

	private static AsyncApplication application;

	private Accounts accounts;

	@BeforeAll
	static void start() {
		application = AsyncApplication.start(DATABASE, SharedRedis.standalone().properties(),
				"ge.redis.cache.intent-timeout=4s");
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@BeforeEach
	void prepare() {
		this.accounts = application.accounts();
		this.accounts.afterRead((read) -> Mono.empty());
		this.accounts.afterChange(Mono.empty());
		application.caches().clear("accounts");
		application.events().takeResults();
	}

	@Test
	@FirstRun
	void announcementOfALongWriterIsRenewed() {
		Sinks.Empty<Void> changing = Sinks.empty();
		this.accounts.afterChange(changing.asMono());
		CompletableFuture<Account> writer = this.accounts.setInOperator("long", 7).toFuture();
		Awaitility.await().until(() -> deadline("long") > 0);
		long first = deadline("long");
		Awaitility.await().atMost(LONG).until(() -> deadline("long") > first);
		assertThat(this.accounts.find("long").block(LONG)).isNull();
		assertThat(application.events().takeResults()).containsOnly("bypass", "loaded");
		changing.tryEmitEmpty();
		assertThat(writer).succeedsWithin(LONG);
		assertThat(application.events().takeResults()).containsExactly("published");
	}

	/**
	 * Until when the one writer of an account is announced, 0 if there is none.
	 */
	private static long deadline(String id) {
		List<?> fields = (List<?>) SharedRedis.standalone()
			.primary()
			.command("HGETALL", "ge:cache:{accounts:" + id + "}:w1");
		for (int i = 0; i < fields.size(); i += 2) {
			if (fields.get(i).toString().startsWith("t:")) {
				return Long.parseLong(fields.get(i + 1).toString().split(" ")[1]);
			}
		}
		return 0;
	}

	@Test
	void nobodyReadsTheOldValueAfterAWriterThatNeverSaysThatItHasCommitted() {
		DATABASE.put("dead", 1).block(LONG);
		assertThat(this.accounts.find("dead").block(LONG)).isEqualTo(new Account("dead", 1));
		Disposable writer = this.accounts.setAndHang("dead", 2).subscribe();
		Awaitility.await().until(() -> new Account("dead", 2).equals(this.accounts.stored("dead").block(LONG)));
		assertThat(this.accounts.find("dead").block(LONG)).isEqualTo(new Account("dead", 2));
		application.events().takeResults();
		assertThat(this.accounts.find("dead").block(LONG)).isEqualTo(new Account("dead", 2));
		assertThat(application.events().takeResults()).containsExactly("bypass", "loaded");
		writer.dispose();
		assertThat(this.accounts.find("dead").block(LONG)).isEqualTo(new Account("dead", 2));
		// Its announcement lasts for four seconds more
		Awaitility.await().atMost(LONG).until(() -> {
			assertThat(this.accounts.find("dead").block(LONG)).isEqualTo(new Account("dead", 2));
			return application.events().takeResults().equals(List.of("hit"));
		});
	}

	@Test
	void tenThousandCancellationsOfSeveralValuesAtOnceLeaveNothingBehind() {
		AsyncBatches batches = application.batches();
		Random random = new Random(43);
		List<Future<?>> begun = new ArrayList<>();
		batches.afterRead((ids) -> Mono.delay(Duration.ofMillis(random.nextInt(3))));
		this.accounts.afterRead((read) -> Mono.delay(Duration.ofMillis(1)));
		AsyncBatches.Form[] forms = AsyncBatches.Form.values();
		for (int i = 0; i < CANCELLATIONS; i++) {
			List<String> ids = random.ints(4, 0, 50).mapToObj((id) -> "b" + id).distinct().toList();
			begun.add((i % 10 == 0) ? this.accounts.find(ids.get(0)).toFuture()
					: forms[i % forms.length].begin(batches, ids));
			if (random.nextInt(3) > 0) {
				begun.remove(random.nextInt(begun.size())).cancel(true);
			}
		}
		begun.forEach((call) -> call.cancel(true));
		batches.reset();
		this.accounts.afterRead((read) -> Mono.empty());
		List<String> all = IntStream.range(0, 50).mapToObj((id) -> "b" + id).toList();
		// Leases last a minute
		Awaitility.await().atMost(LONG).untilAsserted(() -> {
			assertThat(batches.findAll(all).block(Duration.ofSeconds(10))).isEmpty();
			batches.loaded().clear();
			assertThat(batches.findAll(all).block(Duration.ofSeconds(10))).isEmpty();
			assertThat(batches.loaded()).isEmpty();
		});
	}

	@Test
	void cancellationsLeaveNothingBehind() {
		Random random = new Random(42);
		List<Disposable> begun = new ArrayList<>();
		this.accounts.afterRead((read) -> Mono.delay(Duration.ofMillis(random.nextInt(3))));
		this.accounts.afterChange(Mono.delay(Duration.ofMillis(1)));
		for (int i = 0; i < CANCELLATIONS; i++) {
			int number = random.nextInt(50);
			String id = "c" + number;
			// Writers remove what readers have left behind: half of the entries have none
			Mono<Account> work = (i % 5 == 0 && number < 25) ? this.accounts.setInOperator(id, i)
					: this.accounts.find(id);
			begun.add(work.onErrorComplete().subscribe());
			if (random.nextInt(3) > 0) {
				begun.remove(random.nextInt(begun.size())).dispose();
			}
		}
		begun.forEach(Disposable::dispose);
		this.accounts.afterRead((read) -> Mono.empty());
		this.accounts.afterChange(Mono.empty());
		// Leases last a minute and announcements four seconds: nobody waits for the
		// former
		Awaitility.await().atMost(LONG).untilAsserted(() -> {
			for (int i = 0; i < 50; i++) {
				String id = "c" + i;
				this.accounts.find(id).block(LONG);
				int loads = this.accounts.loads().get();
				Account read = this.accounts.find(id).block(Duration.ofSeconds(10));
				assertThat(this.accounts.loads()).hasValue(loads);
				assertThat(read).isEqualTo(this.accounts.stored(id).block(LONG));
			}
		});
	}

}
