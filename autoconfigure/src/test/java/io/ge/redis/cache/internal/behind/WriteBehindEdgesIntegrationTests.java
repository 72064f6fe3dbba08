// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.behind;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import io.ge.redis.RedisUnavailableException;
import io.ge.redis.cache.Change;
import io.ge.redis.cache.WriteBehindFullException;
import io.ge.redis.cache.internal.behind.RedisWriteBehind.Partition;
import io.ge.redis.cache.internal.behind.WriteBehindApplication.Score;
import io.ge.redis.test.OnRedis;
import io.ge.redis.test.RedisEndpoint;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.TcpProxy;
import io.ge.redis.test.Wide;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.dao.TransientDataAccessResourceException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What settings do, and what happens at the edges.
 */
@Wide
@OnRedis
class WriteBehindEdgesIntegrationTests {

	private static final String PARTITION = "ge:cache:{scores:p"
			+ Partition.of(WriteBehindApplication.CACHE, List.of("ann")).number() + "}:";

	private RedisFixture redis;

	private RedisEndpoint server;

	private @Nullable WriteBehindApplication application;

	@BeforeEach
	void setUp(RedisFixture redis) {
		this.redis = redis;
		this.server = redis.endpoints().get(0);
	}

	@AfterEach
	void stop() {
		this.server.command("CONFIG", "SET", "maxmemory", "0");
		if (this.application != null) {
			this.application.rows().noObstacle();
			this.application.close();
		}
	}

	private WriteBehindApplication start(String... properties) {
		this.application = WriteBehindApplication.start(this.redis.properties(), properties);
		return this.application;
	}

	private static void away(WriteBehindApplication application) {
		application.rows().obstacle((changes) -> {
			throw new TransientDataAccessResourceException("away");
		});
	}

	private static void awaitWritten(WriteBehindApplication application, String player, int points) {
		WriteBehindContract.await("written").until(() -> application.rows().points(player) == points);
		WriteBehindContract.await("settled").until(() -> application.writeBehind().waiting("scores") == 0);
	}

	/**
	 * Returns keys of ann's partition.
	 */
	private static List<String> neighbours(int number) {
		return IntStream.iterate(0, (i) -> i + 1)
			.mapToObj((i) -> "player" + i)
			.filter((player) -> PARTITION.equals(
					"ge:cache:{scores:p" + Partition.of(WriteBehindApplication.CACHE, List.of(player)).number() + "}:"))
			.limit(number)
			.toList();
	}

	@Test
	void oneKeyMoreThanMayWaitIsRefused() {
		WriteBehindApplication app = start("ge.redis.cache.write-behind.max-pending=16");
		away(app);
		app.scores().set("ann", 1);
		String other = neighbours(1).get(0);
		assertThatExceptionOfType(WriteBehindFullException.class).isThrownBy(() -> app.scores().set(other, 1))
			.satisfies((full) -> assertThat(full.waiting()).isEqualTo(1))
			.withMessageContaining("ge.redis.cache.write-behind.max-pending");
		assertThat(app.scores().find(other)).as("is as if nothing had been").isNull();
		app.scores().set("ann", 2);
		app.rows().noObstacle();
		awaitWritten(app, "ann", 2);
		app.scores().set(other, 3);
		awaitWritten(app, other, 3);
	}

	@Test
	void writesFailWhenMemoryIsFullAndWhatWaitsIsWrittenAllTheSame() {
		WriteBehindApplication app = start();
		away(app);
		app.scores().set("ann", 1);
		this.server.command("CONFIG", "SET", "maxmemory", "1");
		assertThatExceptionOfType(RedisUnavailableException.class).isThrownBy(() -> app.scores().set("bob", 1));
		app.rows().noObstacle();
		WriteBehindContract.await("written").until(() -> app.rows().points("ann") == 1);
		WriteBehindContract.await("confirmed").until(() -> (Long) this.server.command("HLEN", PARTITION + "c1") == 0);
		assertThat(app.rows().has("bob")).isFalse();
	}

	@Test
	void changesAreWrittenAlsoIfTheirQueueIsLost() {
		WriteBehindApplication app = start();
		away(app);
		app.scores().set("ann", 1);
		this.server.command("DEL", PARTITION + "s1", PARTITION + "b1", PARTITION + "d1");
		app.rows().noObstacle();
		awaitWritten(app, "ann", 1);
	}

	@Test
	void changeThatMakesTheStoreSeemAwayKeepsNoOtherFromBeingWritten() {
		WriteBehindApplication app = start("ge.redis.cache.write-behind.lease-time=5m",
				"ge.redis.cache.write-behind.max-attempts=2");
		app.rows().obstacle((changes) -> {
			if (changes.stream().anyMatch((change) -> change.key().equals("ann"))) {
				throw new TransientDataAccessResourceException("away");
			}
		});
		app.scores().set("ann", 1);
		String other = neighbours(1).get(0);
		AtomicInteger points = new AtomicInteger();
		WriteBehindContract.await("dead letter").until(() -> {
			app.scores().set(other, points.incrementAndGet());
			return (Long) this.server.command("XLEN", PARTITION + "x1") == 1;
		});
		awaitWritten(app, other, points.get());
	}

	@Test
	void largeChangesAreTakenFewAtATimeAndAllAreWritten() {
		WriteBehindApplication app = start("ge.redis.cache.write-behind.lease-time=5m");
		away(app);
		List<String> players = neighbours(13);
		players.subList(0, 12)
			.forEach((player) -> app.caches().writeBehind("scores", player, new Score("x".repeat(200_000), 1)));
		app.caches().writeBehind("scores", players.get(12), new Score("x".repeat(1_020_000), 1));
		List<Integer> sizes = new CopyOnWriteArrayList<>();
		app.rows().obstacle((changes) -> sizes.add(changes.size()));
		players.forEach((player) -> awaitWritten(app, player, 1));
		assertThat(sizes).allSatisfy((size) -> assertThat(size).isLessThanOrEqualTo(5));
		players.forEach((player) -> assertThat(app.rows().written(player)).hasSize(1));
	}

	@Test
	void keyIsMentionedNoMoreThanTwiceWhileTheStoreIsAway() {
		WriteBehindApplication app = start("ge.redis.cache.write-behind.batch-size=1");
		AtomicInteger rounds = new AtomicInteger();
		app.rows().obstacle((changes) -> {
			rounds.incrementAndGet();
			throw new TransientDataAccessResourceException("away");
		});
		for (int i = 1; i <= 4; i++) {
			app.scores().set("ann", i);
			int before = rounds.get();
			WriteBehindContract.await("tried").until(() -> rounds.get() > before + 1);
		}
		assertThat((Long) this.server.command("XLEN", PARTITION + "s1")).isLessThanOrEqualTo(2);
		app.rows().noObstacle();
		awaitWritten(app, "ann", 4);
	}

	@Test
	void mentionsOfWhatIsWrittenKeepNothingFromBeingWritten() {
		WriteBehindApplication app = start("ge.redis.cache.write-behind.batch-size=1",
				"ge.redis.cache.write-behind.lease-time=5m");
		this.server.command("EVAL",
				"for i = 1, 9500 do redis.call('XADD', KEYS[1], '*', 'key', 'ghost' .. i) end return 1", "1",
				PARTITION + "s1");
		app.scores().set("ann", 1);
		awaitWritten(app, "ann", 1);
		assertThat((Long) this.server.command("XLEN", PARTITION + "s1")).isZero();
	}

	@Test
	void versionsRiseAlsoIfEverythingIsLost() {
		WriteBehindApplication app = start();
		// As after a server whose clock was ahead
		this.server.command("HSET", PARTITION + "b1", "v", "9000000000000000");
		long before = app.caches().writeBehind("scores", "ann", new Score("ann", 1));
		awaitWritten(app, "ann", 1);
		this.redis.flushAll();
		long after = app.caches().writeBehind("scores", "ann", new Score("ann", 2));
		assertThat(before).isEqualTo(9000000000000001L);
		assertThat(after).isGreaterThan(before);
		awaitWritten(app, "ann", 2);
	}

	@Test
	void shutdownWritesWhatWaits() {
		WriteBehindApplication app = start("ge.redis.cache.write-behind.linger=1m",
				"ge.redis.cache.write-behind.lease-time=5m");
		WriteBehindContract.await("looked around once").until(() -> app.events().results().contains("started"));
		IntStream.range(0, 300).forEach((i) -> app.scores().set("player" + i, i));
		WriteBehindApplication.Rows rows = app.rows();
		app.close();
		this.application = null;
		IntStream.range(0, 300).forEach((i) -> assertThat(rows.points("player" + i)).isEqualTo(i));
		assertThat(this.server.command("EXISTS", PARTITION + "l1")).as("given up").isEqualTo(0L);
	}

	@Test
	void shutdownWaitsNoLongerThanToldAndLosesNothing() {
		WriteBehindApplication app = start("ge.redis.cache.write-behind.drain-timeout=100ms",
				"ge.redis.cache.write-behind.lease-time=2s");
		away(app);
		app.scores().set("ann", 1);
		app.close();
		WriteBehindApplication next = start();
		awaitWritten(next, "ann", 1);
		assertThat(next.scores().find("ann")).isEqualTo(new Score("ann", 1));
	}

	@Test
	void storeThatIsAwayIsLeftAloneForTheDelay() {
		WriteBehindApplication app = start("ge.redis.cache.write-behind.retry-delay=1m",
				"ge.redis.cache.write-behind.max-retry-delay=1m", "ge.redis.cache.write-behind.lease-time=200ms");
		AtomicInteger attempts = new AtomicInteger();
		app.rows().obstacle((changes) -> {
			attempts.incrementAndGet();
			throw new TransientDataAccessResourceException("away");
		});
		app.scores().set("ann", 1);
		WriteBehindContract.await("tried").until(() -> attempts.get() > 0);
		app.scores().set("ann", 2);
		long leases = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
		WriteBehindContract.await("some leases").until(() -> System.nanoTime() - leases > 0);
		assertThat(attempts).hasValue(1);
		WriteBehindApplication.Rows rows = app.rows();
		rows.noObstacle();
		app.close();
		this.application = null;
		assertThat(rows.points("ann")).as("written at the end all the same").isEqualTo(2);
	}

	@Test
	void storeThatWasAwayBeforeAStopIsTriedAtTheStart() {
		WriteBehindApplication app = start("ge.redis.cache.write-behind.retry-delay=1h",
				"ge.redis.cache.write-behind.max-retry-delay=1h");
		away(app);
		app.scores().set("ann", 1);
		app.writeBehind().stop();
		assertThat(app.events().results()).contains("retried");
		app.rows().noObstacle();
		app.writeBehind().start();
		awaitWritten(app, "ann", 1);
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void callThatHangsOverAStopKeepsItsPartition(CapturedOutput output) {
		WriteBehindApplication app = start("ge.redis.cache.write-behind.drain-timeout=100ms");
		CountDownLatch writing = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		AtomicInteger atOnce = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		app.rows().obstacle((changes) -> {
			most.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
			writing.countDown();
			await(release);
			atOnce.decrementAndGet();
		});
		app.scores().set("ann", 1);
		await(writing);
		app.writeBehind().stop();
		app.writeBehind().start();
		assertThat(output).contains("A call of the store of cache 'scores' has been writing since before the stop.");
		app.scores().set("ann", 2);
		release.countDown();
		awaitWritten(app, "ann", 2);
		assertThat(most).hasValue(1);
	}

	@Test
	void readerThatHasWaitedForARedisThatHangsDoesNotAskForItsChange() {
		try (TcpProxy network = new TcpProxy(this.server);
				WriteBehindApplication app = WriteBehindApplication.startWithoutStore(
						new String[] { "spring.data.redis.host=" + network.host(),
								"spring.data.redis.port=" + network.port() },
						"ge.redis.outage.command-timeout=1s", "ge.redis.outage.failure-threshold=10")) {
			app.scores().find("ann");
			assertThat(network.commands("hget")).isEqualTo(1);
			network.hang(TcpProxy.Direction.REPLIES);
			assertThat(app.scores().find("bob")).isNull();
			assertThat(app.scores().loads()).hasValue(2);
			assertThat(network.commands("hget")).isEqualTo(1);
			network.resume();
		}
	}

	@Test
	void onlyOneOfTwoInstancesWritesAPartition() throws InterruptedException {
		String lease = "ge.redis.cache.write-behind.lease-time=5s";
		WriteBehindApplication one = start(lease);
		try (WriteBehindApplication two = WriteBehindApplication.start(this.redis.properties(), lease)) {
			CountDownLatch writing = new CountDownLatch(1);
			CountDownLatch release = new CountDownLatch(1);
			List<Integer> order = new CopyOnWriteArrayList<>();
			List<WriteBehindApplication> holders = new CopyOnWriteArrayList<>();
			for (WriteBehindApplication each : List.of(one, two)) {
				each.rows().obstacle((changes) -> {
					holders.add(each);
					order.add(changes.get(0).value().points());
					writing.countDown();
					await(release);
				});
			}
			one.scores().set("ann", 1);
			await(writing);
			two.scores().set("ann", 2);
			awaitExtensions(4); // which takes longer than the lease
			assertThat(order).containsExactly(1);
			release.countDown();
			WriteBehindContract.await("written").until(() -> order.size() == 2);
			assertThat(order).containsExactly(1, 2);
			assertThat(new ArrayList<>(holders).get(1)).as("goes on").isSameAs(holders.get(0));
			one.rows().noObstacle();
			two.rows().noObstacle();
			WriteBehindContract.await("settled").until(() -> (Long) this.server.command("HLEN", PARTITION + "c1") == 0);
		}
	}

	private void awaitExtensions(int number) {
		AtomicLong before = new AtomicLong(Long.MAX_VALUE);
		AtomicInteger seen = new AtomicInteger();
		WriteBehindContract.await("extended").until(() -> {
			long left = (Long) this.server.command("PTTL", PARTITION + "l1");
			return left > before.getAndSet(left) && seen.incrementAndGet() == number;
		});
	}

	private static void await(CountDownLatch latch) {
		try {
			assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void deadLetterSaysWhatItWas() {
		WriteBehindApplication app = start("ge.redis.cache.write-behind.max-attempts=2",
				"ge.redis.cache.write-behind.dead-letter-ttl=1h");
		app.rows().obstacle((changes) -> {
			throw new IllegalArgumentException("unlucky");
		});
		this.server.command("XADD", PARTITION + "x1", "1-1", "key", "one whose time is over");
		long version = app.caches().writeBehind("scores", "ann", new Score("ann", 13));
		WriteBehindContract.await("given up").until(() -> app.events().results().contains("dead"));
		List<?> letters = (List<?>) this.server.command("XRANGE", PARTITION + "x1", "-", "+");
		assertThat(letters).hasSize(1);
		assertThat(String.valueOf(((List<?>) letters.get(0)).get(1))).contains("key, ann", "version, " + version,
				"{\"player\":\"ann\",\"points\":13}", "java.lang.IllegalArgumentException: unlucky", "attempts, 2");
		assertThat((Long) this.server.command("PTTL", PARTITION + "x1")).isBetween(3_000_000L, 3_600_000L);
		WriteBehindContract.await("settled").until(() -> app.writeBehind().waiting("scores") == 0);
	}

	@Test
	void changeThatCannotBeReadIsADeadLetter() {
		WriteBehindApplication app = start("ge.redis.cache.write-behind.max-attempts=1");
		app.rows().obstacle((changes) -> {
			app.rows().noObstacle();
			this.server.command("HSET", PARTITION + "c1", "ann", changes.get(0).version() + " {\"points\":\"many\"}");
			throw new TransientDataAccessResourceException("away");
		});
		app.scores().set("ann", 1);
		WriteBehindContract.await("given up").until(() -> app.events().results().contains("dead"));
		assertThat((Long) this.server.command("XLEN", PARTITION + "x1")).isEqualTo(1);
		assertThat(app.rows().has("ann")).isFalse();
		WriteBehindContract.await("settled").until(() -> app.writeBehind().waiting("scores") == 0);
	}

	@Test
	void readersGiveChangesThatWaitTheirTags() {
		WriteBehindApplication app = WriteBehindApplication.startWithTags(this.redis.properties());
		this.application = app;
		away(app);
		app.scores().set("ann", 1);
		app.scores().set("bob", 2);
		List<String> players = List.of("ann", "bob");
		players.forEach(app.teams()::find);
		app.events().clear();
		players.forEach(app.teams()::find);
		assertThat(app.events().results()).filteredOn((result) -> !result.equals("retried"))
			.containsExactly("hit", "hit");
		app.caches().invalidateTags("scores", "a");
		app.events().clear();
		assertThat(app.teams().find("ann")).isEqualTo(new Score("ann", 1));
		assertThat(app.teams().find("bob")).isEqualTo(new Score("bob", 2));
		assertThat(app.events().results()).contains("miss", "hit");
		assertThat(app.scores().loads()).hasValue(0);
	}

	@Test
	void keyOfSeveralPartsArrivesAsItWas() {
		WriteBehindApplication app = start();
		List<Change<Score>> arrived = new CopyOnWriteArrayList<>();
		app.rows().obstacle((changes) -> {
			arrived.addAll(changes);
			throw new IllegalArgumentException("seen");
		});
		app.caches().writeBehind("scores", List.of("a,b", "%c:{d}"), new Score("e", 1));
		WriteBehindContract.await("arrived").until(() -> !arrived.isEmpty());
		assertThat(arrived.get(0).parts()).containsExactly("a,b", "%c:{d}");
		assertThat(arrived.get(0).value()).isEqualTo(new Score("e", 1));
		WriteBehindContract.await("given up").until(() -> app.events().results().contains("dead"));
		WriteBehindContract.await("settled").until(() -> app.writeBehind().waiting("scores") == 0);
	}

}
