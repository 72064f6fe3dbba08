// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;

import com.jayway.jsonpath.JsonPath;
import io.ge.redis.autoconfigure.LockAutoConfiguration;
import io.ge.redis.lock.DistributedLocks;
import io.ge.redis.lock.LockHandle;
import io.ge.redis.lock.LockOptions;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.http.HttpStatus;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Locks over HTTP, as an operator sees them.
 */
class LockResourceIntegrationTests {

	private static final String LOCKS = "/actuator/geredis/lock";

	private final WebApplicationContextRunner reading = OperatorApplication.with(LockAutoConfiguration.class)
		.withPropertyValues(SharedRedis.standalone().properties())
		.withPropertyValues("ge.redis.outage.command-timeout=5s");

	private final WebApplicationContextRunner writing = this.reading
		.withPropertyValues("management.endpoint.geredis.access=UNRESTRICTED");

	@BeforeEach
	void emptyRedis() {
		SharedRedis.standalone().flushAll();
	}

	@Test
	void listsLocksWithoutTheirKeys() {
		run(this.reading, (locks, mvc) -> {
			try (LockHandle lock = locks.lock("orders", "anna", LockOptions.defaults())) {
				MvcTestResult result = mvc.get().uri(LOCKS).exchange();
				assertThat(result).hasStatusOk();
				assertThat(result).bodyJson().extractingPath("$.locks[*].name").asArray().containsExactly("orders");
				assertThat(result).bodyJson().extractingPath("$.locks[0].hash").asString().hasSize(12);
				assertThat(result).bodyJson().extractingPath("$.locks[0].waiters").isEqualTo(0);
				assertThat(result).bodyJson()
					.extractingPath("$.locks[0].holders[*].token")
					.asArray()
					.containsExactly(lock.token());
				assertThat(result).bodyJson()
					.extractingPath("$.locks[0].holders[0].remaining")
					.asString()
					.startsWith("PT2");
				assertThat(body(result)).doesNotContain("anna");
			}
			assertThat(mvc.get().uri(LOCKS)).bodyJson().extractingPath("$.locks").asArray().isEmpty();
			assertThat(mvc.get().uri(LOCKS + "?key=anna")).hasStatus(HttpStatus.BAD_REQUEST);
		});
	}

	@Test
	void listsLocksOfAllInstancesWithTheirHoldersAndWaiters() {
		run(this.reading, (locks, mvc) -> this.reading.run((other) -> {
			DistributedLocks theirs = other.getBean(DistributedLocks.class);
			try (LockHandle lock = theirs.lock("orders", "anna", LockOptions.defaults());
					LockHandle own = locks.lock("orders", "bert", LockOptions.defaults())) {
				FutureTask<Boolean> here = waitFor(locks);
				FutureTask<Boolean> there = waitFor(theirs);
				Awaitility.await().untilAsserted(() -> {
					MvcTestResult result = mvc.get().uri(LOCKS).exchange();
					String holder = look(mvc, "anna");
					assertThat(result).bodyJson().extractingPath("$.instances.length()").isEqualTo(2);
					assertThat(result).bodyJson().extractingPath("$.silent").asArray().isEmpty();
					assertThat(result).bodyJson().extractingPath("$.instance").isEqualTo(look(mvc, "bert"));
					assertThat(result).bodyJson()
						.extractingPath("$.locks[*].holders[*].token")
						.asArray()
						.containsExactly(lock.token(), own.token());
					assertThat(result).bodyJson().extractingPath("$.locks[0].holders[0].instance").isEqualTo(holder);
					assertThat(result).bodyJson().extractingPath("$.locks[0].waiters").isEqualTo(2);
					assertThat(result).bodyJson()
						.extractingPath("$.instances[?(@.id == '" + holder + "')].held")
						.asArray()
						.containsExactly(1);
					assertThat(body(result)).doesNotContain("anna");
				});
				lock.close();
				assertThat(List.of(join(here), join(there))).containsExactly(true, true);
			}
		}));
	}

	@Test
	@Wide
	void saysHowManyLocksAreNotListed() {
		run(this.reading, (locks, mvc) -> this.reading.run((other) -> {
			DistributedLocks theirs = other.getBean(DistributedLocks.class);
			List<Integer> keys = IntStream.range(0, 150).boxed().toList();
			try (LockHandle many = theirs.lockAll("orders", keys, LockOptions.defaults())) {
				Awaitility.await().untilAsserted(() -> {
					MvcTestResult result = mvc.get().uri(LOCKS).exchange();
					assertThat(result).bodyJson().extractingPath("$.locks.length()").isEqualTo(100);
					assertThat(result).bodyJson().extractingPath("$.instances[*].held").asArray().contains(150, 0);
					assertThat(result).bodyJson()
						.extractingPath("$.instances[*].holdersListed")
						.asArray()
						.contains(100, 0);
				});
			}
		}));
	}

	@Test
	@Wide
	void listsHolderThatHasDiedWhileSomebodyWaits() {
		run(this.reading, (locks, mvc) -> {
			String dead = "ge:bus:dead";
			SharedRedis.standalone()
				.endpoints()
				.get(0)
				.command("SET", "ge:lock:{orders:anna}", dead + " 1 17 17", "PX", "20000");
			FutureTask<Boolean> waiter = waitFor(locks);
			Awaitility.await().untilAsserted(() -> {
				MvcTestResult result = mvc.get().uri(LOCKS).exchange();
				assertThat(result).bodyJson()
					.extractingPath("$.locks[*].holders[*].instance")
					.asArray()
					.containsExactly("dead");
				assertThat(result).bodyJson().extractingPath("$.locks[0].waiters").isEqualTo(1);
			});
			SharedRedis.standalone().endpoints().get(0).command("DEL", "ge:lock:{orders:anna}");
			assertThat(join(waiter)).isTrue();
		});
	}

	@Test
	@Wide
	void releasesLockByTheHashThatIsListed() {
		run(this.writing, (locks, mvc) -> this.writing.run((other) -> {
			DistributedLocks theirs = other.getBean(DistributedLocks.class);
			LockHandle lock = theirs.lock("orders", List.of("an", "na}"), LockOptions.defaults());
			Awaitility.await()
				.untilAsserted(() -> assertThat(mvc.get().uri(LOCKS)).bodyJson()
					.extractingPath("$.locks.length()")
					.isEqualTo(1));
			// The other instance may be too late for a list, so that it names no lock
			String hash = Awaitility.await()
				.ignoreExceptions()
				.until(() -> text(mvc.get().uri(LOCKS).exchange(), "$.locks[0].hash"), Objects::nonNull);
			Awaitility.await()
				.untilAsserted(() -> assertThat(mvc.get().uri(LOCKS + "/orders?hash=" + hash)).bodyJson()
					.extractingPath("$.token")
					.isEqualTo(lock.token()));
			assertThat(mvc.delete().uri(LOCKS + "/orders?key=an&hash=" + hash)).hasStatus(HttpStatus.BAD_REQUEST);
			assertThat(mvc.delete().uri(LOCKS + "/sales?hash=" + hash)).hasStatus(HttpStatus.NOT_FOUND);
			assertThat(lock.isValid()).isTrue();
			Awaitility.await()
				.untilAsserted(() -> assertThat(mvc.delete().uri(LOCKS + "/orders?hash=" + hash)).hasStatusOk()
					.bodyJson()
					.extractingPath("$.released")
					.isEqualTo(true));
			Awaitility.await().until(() -> !lock.isValid());
			lock.close();
			assertThat(mvc.delete().uri(LOCKS + "/orders?hash=" + hash)).hasStatus(HttpStatus.NOT_FOUND);
		}));
	}

	@Test
	@Wide
	void findsLockWhoseNameIsAPath() {
		WebApplicationContextRunner runner = this.reading
			.withPropertyValues("ge.redis.lock.locks.[/orders/new].wait-time=0s");
		run(runner, (locks, mvc) -> {
			try (LockHandle lock = locks.lock("/orders/new", "anna", LockOptions.defaults())) {
				assertThat(mvc.get().uri(LOCKS + "/orders/new?key=anna")).bodyJson()
					.extractingPath("$.token")
					.isEqualTo(lock.token());
			}
		});
	}

	private static FutureTask<Boolean> waitFor(DistributedLocks locks) {
		FutureTask<Boolean> task = new FutureTask<>(() -> {
			locks.lock("orders", "anna", LockOptions.defaults().waitTime(Duration.ofSeconds(30))).close();
			return true;
		});
		new Thread(task).start();
		return task;
	}

	private static boolean join(FutureTask<Boolean> task) {
		try {
			return task.get(30, TimeUnit.SECONDS);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static String look(MockMvcTester mvc, String key) {
		return text(mvc.get().uri(LOCKS + "/orders?key=" + key).exchange(), "$.holder");
	}

	private static String text(MvcTestResult result, String path) {
		return JsonPath.read(body(result), path);
	}

	@Test
	void looksAtOneLock() {
		run(this.reading.withPropertyValues("ge.redis.lock.locks.orders.wait-time=1s"), (locks, mvc) -> {
			assertThat(mvc.get().uri(LOCKS + "/orders?key=anna")).hasStatusOk()
				.bodyJson()
				.extractingPath("$.held")
				.isEqualTo(false);
			try (LockHandle lock = locks.lock("orders", List.of("anna", "x"), LockOptions.defaults())) {
				MvcTestResult result = mvc.get().uri(LOCKS + "/orders?key=anna&key=x").exchange();
				assertThat(result).bodyJson().extractingPath("$.held").isEqualTo(true);
				assertThat(result).bodyJson().extractingPath("$.token").isEqualTo(lock.token());
				assertThat(result).bodyJson().extractingPath("$.holder").asString().isNotBlank();
				assertThat(result).bodyJson().extractingPath("$.remaining").asString().startsWith("PT");
				assertThat(result).bodyJson().extractingPath("$.waitingInstances").isEqualTo(0);
			}
			assertThat(mvc.get().uri(LOCKS + "/orders?owner=anna")).hasStatus(HttpStatus.BAD_REQUEST);
		});
	}

	@Test
	void releasesALockOfAnotherAndTellsItsHolder() {
		run(this.writing, (locks, mvc) -> {
			LockHandle lock = locks.lock("orders", "anna", LockOptions.defaults());
			assertThat(mvc.delete().uri(LOCKS + "/orders?key=anna")).hasStatusOk()
				.bodyJson()
				.extractingPath("$.released")
				.isEqualTo(true);
			Awaitility.await().until(() -> !lock.isValid());
			assertThat(mvc.delete().uri(LOCKS + "/orders?key=anna")).bodyJson()
				.extractingPath("$.released")
				.isEqualTo(false);
			locks.lock("orders", "anna", LockOptions.defaults()).close();
			lock.close();
			assertThat(mvc.delete().uri(LOCKS)).hasStatus(HttpStatus.NOT_FOUND);
		});
	}

	@Test
	@Wide
	void looksAtALockOfSeveralHoldersAndReleasesIt() {
		run(this.writing, (locks, mvc) -> {
			LockOptions options = LockOptions.defaults().permits(3);
			LockHandle one = locks.lock("slots", "anna", options);
			LockHandle two = locks.lock("slots", "anna", options);
			MvcTestResult result = mvc.get().uri(LOCKS + "/slots?key=anna").exchange();
			assertThat(result).bodyJson().extractingPath("$.held").isEqualTo(true);
			assertThat(result).bodyJson().extractingPath("$.shared.holders").isEqualTo(2);
			assertThat(result).bodyJson().extractingPath("$.shared.waiters").isEqualTo(0);
			assertThat(result).bodyJson()
				.extractingPath("$.shared.shares[*].token")
				.asArray()
				.containsExactlyInAnyOrder(one.token(), two.token());
			assertThat(result).bodyJson().extractingPath("$.shared.shares[0].holder").asString().isNotBlank();
			assertThat(result).bodyJson().extractingPath("$.shared.shares[0].held").isEqualTo(true);
			assertThat(result).bodyJson().extractingPath("$.shared.shares[0].remaining").asString().startsWith("PT");
			assertThat(body(result)).doesNotContain("anna");
			assertThat(mvc.delete().uri(LOCKS + "/slots?key=anna")).bodyJson()
				.extractingPath("$.released")
				.isEqualTo(true);
			Awaitility.await().until(() -> !one.isValid() && !two.isValid());
			one.close();
			two.close();
		});
	}

	@Test
	@Wide
	void releasesNothingWithoutWriteAccess() {
		run(this.reading, (locks, mvc) -> {
			try (LockHandle lock = locks.lock("orders", "anna", LockOptions.defaults())) {
				assertThat(mvc.delete().uri(LOCKS + "/orders?key=anna").exchange().getResponse().getStatus())
					.isBetween(400, 499);
				assertThat(lock.isValid()).isTrue();
				assertThat(locks.tryLock("orders", "anna")).isEmpty();
			}
		});
	}

	private static void run(WebApplicationContextRunner runner, BiConsumer<DistributedLocks, MockMvcTester> use) {
		runner.run((context) -> {
			assertThat(context).hasNotFailed();
			use.accept(context.getBean(DistributedLocks.class), MockMvcTester.from(context));
		});
	}

	private static String body(MvcTestResult result) {
		return new String(result.getResponse().getContentAsByteArray(), StandardCharsets.UTF_8);
	}

}
