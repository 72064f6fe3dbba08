// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.behind;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.ge.redis.cache.Change;
import io.ge.redis.cache.internal.behind.RedisWriteBehind.Partition;
import io.ge.redis.cache.internal.behind.WriteBehindApplication.Rows;
import io.ge.redis.cache.internal.behind.WriteBehindApplication.Score;
import io.ge.redis.cache.internal.behind.WriteBehindApplication.Scores;
import io.ge.redis.test.RedisEndpoint;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.dao.TransientDataAccessResourceException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What happens to changes on every Redis.
 */
abstract class WriteBehindContract {

	private static final int MANY = 200;

	private RedisFixture redis;

	private WriteBehindApplication application;

	private Scores scores;

	private Rows rows;

	@BeforeEach
	void start(RedisFixture redis) {
		this.redis = redis;
		this.application = WriteBehindApplication.start(redis.properties());
		this.scores = this.application.scores();
		this.rows = this.application.rows();
	}

	@AfterEach
	void stop() {
		this.rows.noObstacle();
		this.application.close();
	}

	static ConditionFactory await(String what) {
		return Awaitility.await(what).atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(10));
	}

	/**
	 * Asks Redis: an instance that has not looked yet knows nothing of a change.
	 */
	private void awaitWritten() {
		await("all is written").until(() -> length("c1", "HLEN") == 0);
	}

	private long length(String suffix, String command) {
		long length = 0;
		for (int i = 0; i < RedisWriteBehind.PARTITIONS; i++) {
			length += (Long) primaryOf(i).command(command, "ge:cache:{scores:p" + i + "}:" + suffix);
		}
		return length;
	}

	private RedisEndpoint primaryOf(int partition) {
		for (RedisEndpoint endpoint : this.redis.endpoints()) {
			try {
				endpoint.command("EXISTS", "ge:cache:{scores:p" + partition + "}:c1");
				if (endpoint.isPrimary()) {
					return endpoint;
				}
			}
			catch (RuntimeException ex) {
				// moved
			}
		}
		throw new IllegalStateException("No primary of partition " + partition);
	}

	@Test
	void valueIsReadAtOnceAndWrittenSoon() {
		this.rows.obstacle((changes) -> {
			throw new TransientDataAccessResourceException("not yet");
		});
		this.scores.set("ann", 7);
		assertThat(this.scores.find("ann")).isEqualTo(new Score("ann", 7));
		assertThat(this.scores.loads()).hasValue(0);
		assertThat(this.rows.has("ann")).isFalse();
		this.rows.noObstacle();
		await("written").until(() -> this.rows.points("ann") == 7);
		assertThat(this.rows.written("ann").get(0).parts()).containsExactly("ann");
		awaitWritten();
		assertThat(this.scores.find("ann")).isEqualTo(new Score("ann", 7));
		await("told").untilAsserted(
				() -> assertThat(this.application.events().results()).contains("started", "waiting", "hit", "written"));
	}

	@Test
	void manyKeysAreWrittenOnceEachInBatches() {
		List<Integer> sizes = new CopyOnWriteArrayList<>();
		CountDownLatch all = new CountDownLatch(1);
		this.rows.obstacle((changes) -> {
			awaitOpen(all);
			sizes.add(changes.size());
		});
		IntStream.range(0, MANY).forEach((i) -> this.scores.set("player" + i, i));
		all.countDown();
		IntStream.range(0, MANY).forEach((i) -> await("written").until(() -> this.rows.points("player" + i) == i));
		assertThat(sizes.size()).isLessThan(MANY);
		IntStream.range(0, MANY).forEach((i) -> assertThat(this.rows.written("player" + i)).hasSize(1));
		awaitWritten();
		assertThat(length("s1", "XLEN")).isZero();
		assertThat(length("c1", "HLEN")).isZero();
	}

	@Test
	void newestValueWinsAndVersionsRise() {
		AtomicInteger tried = new AtomicInteger();
		this.rows.obstacle((changes) -> {
			tried.set(changes.get(0).value().points());
			throw new TransientDataAccessResourceException("not yet");
		});
		IntStream.rangeClosed(1, MANY).forEach((i) -> this.scores.set("ann", i));
		assertThat(length("s1", "XLEN")).as("a key waits at most twice: once given out, once not").isLessThan(3);
		await("no older value is given out").until(() -> tried.get() == MANY);
		this.rows.noObstacle();
		await("written").until(() -> this.rows.points("ann") == MANY);
		this.scores.set("ann", 0);
		await("written").until(() -> this.rows.points("ann") == 0);
		List<Change<Score>> written = this.rows.written("ann");
		assertThat(written).hasSize(2);
		assertThat(written).extracting(Change::version).isSorted().doesNotHaveDuplicates();
		awaitWritten();
	}

	@Test
	@Wide
	void changeThatComesWhileItsKeyIsWrittenIsWrittenNext() {
		this.rows.obstacle((changes) -> {
			this.rows.noObstacle();
			this.scores.set("ann", 2);
		});
		this.scores.set("ann", 1);
		await("written").until(() -> this.rows.points("ann") == 2);
		assertThat(this.rows.written("ann")).extracting((change) -> change.value().points()).containsExactly(1, 2);
		awaitWritten();
	}

	@Test
	void changeThatCannotBeWrittenKeepsNoOtherFromBeingWritten() {
		this.rows.obstacle((changes) -> refuse(changes, 13));
		this.scores.set("bad", 13);
		IntStream.range(0, MANY).forEach((i) -> this.scores.set("player" + i, 100 + i));
		IntStream.range(0, MANY)
			.forEach((i) -> await("written").until(() -> this.rows.points("player" + i) == 100 + i));
		await("given up").until(() -> this.application.events().results().contains("dead"));
		assertThat(this.application.events().results()).contains("retried");
		assertThat(length("x1", "XLEN")).isEqualTo(1);
		awaitWritten();
		assertThat(this.scores.find("bad")).as("as the database has it").isNull();
		assertThat(this.rows.has("bad")).isFalse();
		this.scores.set("bad", 14);
		await("written").until(() -> this.rows.points("bad") == 14);
		awaitWritten();
	}

	@Test
	void newerValueTakesThePlaceOfOneThatCannotBeWritten() {
		CountDownLatch newer = new CountDownLatch(1);
		this.rows.obstacle((changes) -> {
			if (this.application.events().results().contains("retried")) {
				awaitOpen(newer);
			}
			refuse(changes, 13);
		});
		this.scores.set("ann", 13);
		await("failed").until(() -> this.application.events().results().contains("retried"));
		this.scores.set("ann", 14);
		newer.countDown();
		await("written").until(() -> this.rows.points("ann") == 14);
		awaitWritten();
		assertThat(length("x1", "XLEN")).isZero();
		assertThat(length("d1", "ZCARD")).isZero();
	}

	private static void awaitOpen(CountDownLatch latch) {
		try {
			assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void refuse(List<Change<Score>> changes, int points) {
		if (changes.stream().anyMatch((change) -> change.value().points() == points)) {
			throw new IllegalArgumentException("unlucky");
		}
	}

	@Test
	void storeThatIsAwayCostsNoChangeItsAttempts() {
		this.rows.obstacle((changes) -> {
			throw new TransientDataAccessResourceException("away");
		});
		this.scores.set("ann", 1);
		await("tried again and again")
			.until(() -> this.application.events().results().stream().filter("retried"::equals).count() > 12);
		assertThat(length("x1", "XLEN")).isZero();
		this.rows.noObstacle();
		await("written").until(() -> this.rows.points("ann") == 1);
		awaitWritten();
	}

	@Test
	@Wide
	void entryThatIsGoneComesBackFromItsChange() {
		this.scores.database().put("ann", new Score("ann", 1));
		this.rows.obstacle((changes) -> {
			throw new TransientDataAccessResourceException("not yet");
		});
		this.scores.set("ann", 2);
		this.application.caches().evict(WriteBehindApplication.CACHE, "ann");
		assertThat(this.scores.find("ann")).isEqualTo(new Score("ann", 2));
		assertThat(this.scores.find("ann")).isEqualTo(new Score("ann", 2));
		assertThat(this.scores.loads()).hasValue(0);
		this.rows.noObstacle();
		awaitWritten();
		this.application.caches().evict(WriteBehindApplication.CACHE, "ann");
		assertThat(this.scores.find("ann")).as("nothing waits, so the database is asked")
			.isEqualTo(new Score("ann", 1));
	}

	@Test
	@Wide
	void severalEntriesThatAreGoneComeBackFromTheirChanges() {
		this.rows.obstacle((changes) -> {
			throw new TransientDataAccessResourceException("not yet");
		});
		this.scores.set("ann", 2);
		this.scores.set("bob", 3);
		this.application.caches().evict(WriteBehindApplication.CACHE, "ann");
		this.application.caches().evict(WriteBehindApplication.CACHE, "bob");
		List<List<String>> loaded = new CopyOnWriteArrayList<>();
		for (int i = 0; i < 2; i++) {
			assertThat(this.application.caches()
				.getAll(WriteBehindApplication.CACHE, List.of("ann", "bob", "cy"), Score.class, (missing) -> {
					loaded.add(List.copyOf(missing));
					return Map.of("cy", new Score("cy", 1));
				})).containsEntry("ann", new Score("ann", 2))
				.containsEntry("bob", new Score("bob", 3))
				.containsEntry("cy", new Score("cy", 1));
		}
		assertThat(loaded).containsExactly(List.of("cy"));
		this.rows.noObstacle();
		awaitWritten();
	}

	@Test
	void invalidatedEntriesComeBackFromTheirChanges() {
		this.scores.database().put("ann", new Score("ann", 1));
		this.rows.obstacle((changes) -> {
			throw new TransientDataAccessResourceException("not yet");
		});
		this.scores.set("ann", 2);
		for (Runnable invalidation : List.<Runnable>of(this.scores::invalidateAll, () -> this.scores.invalidate("ann"),
				() -> this.application.caches().clear(WriteBehindApplication.CACHE))) {
			invalidation.run();
			this.application.events().clear();
			assertThat(this.scores.find("ann")).isEqualTo(new Score("ann", 2));
			assertThat(this.scores.find("ann")).isEqualTo(new Score("ann", 2));
			assertThat(this.application.events().results()).contains("miss", "hit");
		}
		assertThat(this.scores.loads()).hasValue(0);
		this.rows.noObstacle();
		awaitWritten();
		this.scores.invalidateAll();
		assertThat(this.scores.find("ann")).as("nothing waits, so the database is asked")
			.isEqualTo(new Score("ann", 1));
	}

	@Test
	@Wide
	void whatIsWrittenAfterAnInvalidationIsAHit() {
		this.scores.invalidateAll();
		this.scores.set("ann", 2);
		this.application.events().clear();
		assertThat(this.scores.find("ann")).isEqualTo(new Score("ann", 2));
		assertThat(this.application.caches()
			.getAll(WriteBehindApplication.CACHE, List.of("ann"), Score.class, (missing) -> Map.of()))
			.containsEntry("ann", new Score("ann", 2));
		assertThat(this.application.events().results()).filteredOn((result) -> !result.equals("written"))
			.containsExactly("hit", "hit");
		awaitWritten();
	}

	@Test
	void absenceIsWrittenBehindToo() {
		this.scores.database().put("ann", new Score("ann", 1));
		this.scores.forget("ann");
		assertThat(this.scores.find("ann")).isNull();
		this.application.caches().evict(WriteBehindApplication.CACHE, "ann");
		await("written").until(() -> this.rows.has("ann"));
		assertThat(this.rows.written("ann").get(0).value()).isNull();
		awaitWritten();
	}

	@Test
	void readerThatLoadedBeforeAChangeDoesNotStoreTheOldValue() {
		this.scores.database().put("ann", new Score("ann", 1));
		this.scores.whileLoading(() -> {
			this.scores.whileLoading(() -> {
			});
			this.scores.set("ann", 2);
			awaitWritten();
		});
		assertThat(this.scores.find("ann")).isEqualTo(new Score("ann", 1));
		assertThat(this.scores.find("ann")).isEqualTo(new Score("ann", 2));
	}

	@Test
	void transactionThatBeganBeforeAChangeWasWrittenDoesNotStoreWhatItSees() {
		this.scores.database().put("ann", new Score("ann", 1));
		this.application.transaction().executeWithoutResult((status) -> {
			this.scores.set("ann", 2);
			await("written").until(() -> this.rows.points("ann") == 2);
			awaitWritten();
			expire("ann");
			assertThat(this.scores.find("ann")).as("what its snapshot has").isEqualTo(new Score("ann", 1));
		});
		this.scores.database().put("ann", new Score("ann", 2));
		assertThat(this.scores.find("ann")).isEqualTo(new Score("ann", 2));
	}

	private void expire(String player) {
		int partition = Partition.of(WriteBehindApplication.CACHE, List.of(player)).number();
		String entry = "ge:cache:{scores:p" + partition + "}:" + player + ":e1";
		assertThat(primaryOf(partition).command("DEL", entry)).isEqualTo(1L);
	}

	@Test
	void writeIsOneScriptCallAndReadIsOne() {
		try (WriteBehindApplication front = WriteBehindApplication.startWithoutStore(this.redis.properties())) {
			for (int i = 0; i < 50; i++) {
				front.scores().set("warm" + i, i);
				front.scores().find("warm" + i);
			}
			awaitWarm();
			this.application.close();
			this.redis.configResetStat();
			front.scores().set("ann", 1);
			assertThat(this.redis.commandCalls("evalsha") + this.redis.commandCalls("eval")).isEqualTo(1);
			front.scores().find("ann");
			assertThat(this.redis.commandCalls("evalsha") + this.redis.commandCalls("eval")).isEqualTo(2);
			assertThat(front.scores().loads()).hasValue(0);
		}
		this.application = WriteBehindApplication.start(this.redis.properties());
		this.rows = this.application.rows();
		await("found by an instance that starts").until(() -> this.rows.points("ann") == 1);
	}

	private void awaitWarm() {
		await("warm").until(() -> this.rows.points("warm49") == 49);
		awaitWritten();
	}

	@Test
	@Wide
	void changesOfAnInstanceWithoutStoreAreWrittenByOneThatHasIt() {
		try (WriteBehindApplication front = WriteBehindApplication.startWithoutStore(this.redis.properties())) {
			IntStream.range(0, MANY).forEach((i) -> front.scores().set("player" + i, i));
			IntStream.range(0, MANY).forEach((i) -> await("written").until(() -> this.rows.points("player" + i) == i));
			assertThat(this.scores.find("player7")).isEqualTo(new Score("player7", 7));
			assertThat(this.scores.loads()).hasValue(0);
		}
	}

}
