// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Function;

import com.jayway.jsonpath.JsonPath;
import io.ge.redis.autoconfigure.GeRedisPrincipalAutoConfiguration;
import io.ge.redis.autoconfigure.IdempotencyAutoConfiguration;
import io.ge.redis.autoconfigure.IdempotencyWebAutoConfiguration;
import io.ge.redis.idempotency.Idempotency;
import io.ge.redis.idempotency.IdempotencyEvent;
import io.ge.redis.idempotency.OutcomeUnknownException;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.core.io.ClassPathResource;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Idempotency keys over HTTP, as an operator sees them.
 */
class IdempotencyResourceIntegrationTests {

	private static final String KEYS = "/actuator/geredis/idempotency";

	private static final String TRANSFER = KEYS + "/transfer";

	private final WebApplicationContextRunner reading = OperatorApplication
		.withDatabase(IdempotencyAutoConfiguration.class, IdempotencyWebAutoConfiguration.class,
				GeRedisPrincipalAutoConfiguration.class)
		.withUserConfiguration(Application.class)
		.withPropertyValues(SharedRedis.standalone().properties())
		.withPropertyValues("ge.redis.outage.command-timeout=5s",
				"ge.redis.idempotency.operations.transfer.scope=global", "spring.datasource.url=jdbc:h2:mem:keys",
				"spring.datasource.generate-unique-name=false");

	private final WebApplicationContextRunner writing = this.reading
		.withPropertyValues("management.endpoint.geredis.access=UNRESTRICTED");

	@BeforeEach
	void emptyRedis() {
		SharedRedis.standalone().flushAll();
	}

	@Test
	void listsKeysWithoutShowingThem() {
		run(this.reading, (desk, mvc) -> {
			desk.transfer("secret-1");
			desk.transfer("secret-2");
			desk.transfer("secret-1");
			MvcTestResult result = mvc.get().uri(KEYS).exchange();
			assertThat(result).hasStatusOk();
			assertThat(result).bodyJson().extractingPath("$.keys[*].operation").asArray().containsOnly("transfer");
			assertThat(result).bodyJson().extractingPath("$.keys[*].state").asArray().containsOnly("completed");
			assertThat(result).bodyJson().extractingPath("$.keys.length()").isEqualTo(2);
			assertThat(result).bodyJson().extractingPath("$.keys[0].hash").asString().hasSize(64);
			assertThat(result).bodyJson().extractingPath("$.keys[0].retention").asString().startsWith("PT23H");
			assertThat(result).bodyJson().doesNotHavePath("$.keys[0].lease");
			assertThat(result).bodyJson().extractingPath("$.silent").asArray().isEmpty();
			assertThat(body(result)).doesNotContain("secret");
			String last = text(mvc.get().uri(TRANSFER + "?key=secret-2").exchange(), "$.hash");
			assertThat(result).bodyJson().extractingPath("$.keys[0].hash").isEqualTo(last);
		});
	}

	@Test
	@Wide
	void listsCallsInFlightOfAllInstancesFirst() {
		run(this.reading, (desk, mvc) -> run(this.reading, (other, theirMvc) -> {
			long started = System.nanoTime();
			CompletableFuture<String> running = other.transferAndPause("secret-1");
			desk.transfer("secret-2");
			Awaitility.await().untilAsserted(() -> {
				MvcTestResult result = mvc.get().uri(KEYS).exchange();
				assertThat(result).bodyJson()
					.extractingPath("$.keys[*].state")
					.asArray()
					.containsExactly("in_flight", "completed");
				assertThat(result).bodyJson().extractingPath("$.instances[*].inFlight").asArray().contains(1, 0);
				assertThat(result).bodyJson().extractingPath("$.keys[0].lease").asString().startsWith("PT2");
				assertThat(Duration.parse(text(result, "$.keys[0].age"))).isBetween(Duration.ofNanos(1),
						Duration.ofNanos(System.nanoTime() - started));
				assertThat(text(result, "$.keys[0].instance"))
					.isEqualTo(text(theirMvc.get().uri(KEYS).exchange(), "$.instance"));
			});
			other.resume.countDown();
			join(running);
		}));
	}

	@Test
	@Wide
	void looksAtOneKeyByItsPartsOrItsHash() {
		run(this.reading, (desk, mvc) -> {
			desk.transfer(List.of("a", "b"));
			MvcTestResult look = mvc.get().uri(TRANSFER + "?key=a&key=b").exchange();
			assertThat(look).bodyJson().extractingPath("$.state").isEqualTo("completed");
			assertThat(mvc.get().uri(TRANSFER + "?hash=" + text(look, "$.hash"))).hasStatusOk()
				.bodyJson()
				.extractingPath("$.state")
				.isEqualTo("completed");
			assertThat(mvc.get().uri(TRANSFER + "?key=a")).bodyJson().extractingPath("$.state").isEqualTo("none");
			assertThat(mvc.get().uri(TRANSFER + "?hash=none")).hasStatus(HttpStatus.NOT_FOUND);
			assertThat(mvc.get().uri(TRANSFER)).hasStatus(HttpStatus.BAD_REQUEST);
			assertThat(mvc.get().uri(TRANSFER + "?key=a&hash=b")).hasStatus(HttpStatus.BAD_REQUEST);
			assertThat(mvc.get().uri(TRANSFER + "?key=a&principal=anna")).hasStatus(HttpStatus.BAD_REQUEST);
			assertThat(mvc.get().uri(KEYS + "?key=a")).hasStatus(HttpStatus.BAD_REQUEST);
		});
	}

	@Test
	@Wide
	void looksAtTheKeyOfAPrincipal() {
		run(this.reading, (desk, mvc) -> {
			SecurityContextHolder.getContext().setAuthentication(new TestingAuthenticationToken("anna", "", "user"));
			try {
				desk.idempotency.run("order", "42", null, () -> {
				});
			}
			finally {
				SecurityContextHolder.clearContext();
			}
			String order = KEYS + "/order?key=42";
			assertThat(mvc.get().uri(order)).bodyJson().extractingPath("$.state").isEqualTo("none");
			assertThat(mvc.get().uri(order + "&principal=anna")).bodyJson()
				.extractingPath("$.state")
				.isEqualTo("completed");
			assertThat(mvc.get().uri(order + "&principal=anna&issuer=https://id")).bodyJson()
				.extractingPath("$.state")
				.isEqualTo("none");
			assertThat(mvc.get().uri(order + "&issuer=https://id")).hasStatus(HttpStatus.BAD_REQUEST);
		});
	}

	@Test
	void clearsAKeyOfUnknownOutcome() {
		run(this.writing, (desk, mvc) -> {
			assertThatIllegalStateException()
				.isThrownBy(() -> desk.idempotency.run("transfer", "42", null, Application::fail));
			assertThatExceptionOfType(OutcomeUnknownException.class).isThrownBy(() -> desk.transfer("42"));
			assertThat(mvc.get().uri(TRANSFER + "?key=42")).bodyJson().extractingPath("$.state").isEqualTo("unknown");
			assertThat(mvc.delete().uri(TRANSFER + "?key=42")).hasStatusOk()
				.bodyJson()
				.extractingPath("$.cleared")
				.isEqualTo(true);
			assertThat(mvc.delete().uri(TRANSFER + "?key=42")).bodyJson().extractingPath("$.cleared").isEqualTo(false);
			MvcTestResult free = mvc.get().uri(TRANSFER + "?key=42").exchange();
			assertThat(free).bodyJson().extractingPath("$.state").isEqualTo("free");
			assertThat(free).bodyJson().extractingPath("$.takenOver").isEqualTo(true);
			assertThat(desk.transfer("42")).isEqualTo("done");
		});
	}

	@Test
	@Wide
	void clearsACompletedKeyWhoseEffectTheDatabaseStillKnows() {
		run(this.writing, (desk, mvc) -> {
			desk.insert("42");
			assertThat(mvc.delete().uri(TRANSFER + "?key=42")).bodyJson().extractingPath("$.cleared").isEqualTo(true);
			desk.insert("42");
			assertThat(desk.effects()).isOne();
			String hash = text(mvc.get().uri(TRANSFER + "?key=42").exchange(), "$.hash");
			assertThat(desk.jdbc.update("delete from ge_idempotency where id = ?", hash)).isOne();
			mvc.delete().uri(TRANSFER + "?key=42").exchange();
			desk.insert("42");
			assertThat(desk.effects()).isEqualTo(2);
		});
	}

	@Test
	void takesACallInFlightItsKeyOnlyIfThatIsNamed() {
		run(this.writing, (desk, mvc) -> {
			CompletableFuture<String> running = desk.transferAndPause("42");
			MvcTestResult look = mvc.get().uri(TRANSFER + "?key=42").exchange();
			assertThat(look).bodyJson().extractingPath("$.state").isEqualTo("in_flight");
			Number fence = JsonPath.read(body(look), "$.fence");
			assertThat(mvc.delete().uri(TRANSFER + "?key=42")).hasStatus(HttpStatus.BAD_REQUEST)
				.bodyJson()
				.extractingPath("$.detail")
				.asString()
				.contains("?fence=" + fence);
			assertThat(mvc.delete().uri(TRANSFER + "?key=42&fence=17")).hasStatus(HttpStatus.BAD_REQUEST);
			assertThat(desk.outcomes).isEmpty();
			assertThat(mvc.delete().uri(TRANSFER + "?key=42&fence=" + fence)).hasStatusOk();
			desk.resume.countDown();
			assertThat(join(running)).isEqualTo("done");
			assertThat(desk.outcomes).containsExactly("lease_lost");
			assertThat(mvc.get().uri(TRANSFER + "?key=42")).bodyJson().extractingPath("$.state").isEqualTo("free");
		});
	}

	@Test
	@Wide
	void witnessKeepsOutASecondEffectOfACallThatHasLostItsKey() {
		run(this.writing, (desk, mvc) -> run(this.writing, (other, theirMvc) -> {
			CompletableFuture<String> running = desk.insertAndPause("42");
			Number fence = JsonPath.read(body(mvc.get().uri(TRANSFER + "?key=42").exchange()), "$.fence");
			assertThat(mvc.delete().uri(TRANSFER + "?key=42&fence=" + fence)).hasStatusOk();
			CompletableFuture<String> next = other.insertAndPause("42");
			desk.resume.countDown();
			String done = join(running);
			other.resume.countDown();
			assertThatExceptionOfType(Exception.class).isThrownBy(() -> join(next))
				.withMessageContaining("EffectAlreadyCommittedException");
			assertThat(desk.effects()).isOne();
			assertThat(other.insert("42")).isEqualTo(done);
		}));
	}

	@Test
	@Wide
	void clearsNothingWithoutWriteAccess() {
		run(this.reading, (desk, mvc) -> {
			desk.transfer("42");
			assertThat(mvc.delete().uri(TRANSFER + "?key=42").exchange().getResponse().getStatus()).isBetween(400, 499);
			assertThat(mvc.get().uri(TRANSFER + "?key=42")).bodyJson().extractingPath("$.state").isEqualTo("completed");
		});
	}

	private static String join(CompletableFuture<String> call) {
		return call.orTimeout(30, TimeUnit.SECONDS).join();
	}

	private static String text(MvcTestResult result, String path) {
		return JsonPath.read(body(result), path);
	}

	private static String body(MvcTestResult result) {
		return new String(result.getResponse().getContentAsByteArray(), StandardCharsets.UTF_8);
	}

	private static void run(WebApplicationContextRunner runner, BiConsumer<Desk, MockMvcTester> use) {
		runner.run((context) -> {
			assertThat(context).hasNotFailed();
			use.accept(context.getBean(Desk.class), MockMvcTester.from(context));
		});
	}

	/**
	 * An application whose database has the table of the witness.
	 */
	@Configuration(proxyBeanMethods = false)
	static class Application {

		@Bean
		Desk desk(JdbcTemplate jdbc, PlatformTransactionManager transactions, Idempotency idempotency) {
			return new Desk(jdbc, new TransactionTemplate(transactions), idempotency);
		}

		static void fail() {
			throw new IllegalStateException("half done");
		}

	}

	/**
	 * The calls.
	 */
	static class Desk {

		final List<String> outcomes = new CopyOnWriteArrayList<>();

		final CountDownLatch resume = new CountDownLatch(1);

		final JdbcTemplate jdbc;

		final TransactionTemplate transactions;

		final Idempotency idempotency;

		Desk(JdbcTemplate jdbc, TransactionTemplate transactions, Idempotency idempotency) {
			this.jdbc = jdbc;
			this.transactions = transactions;
			this.idempotency = idempotency;
			jdbc.execute("create table if not exists effect (id varchar(40))");
			new ResourceDatabasePopulator(new ClassPathResource("db/ge-redis/h2/R__ge_idempotency.sql"))
				.execute(jdbc.getDataSource());
		}

		String transfer(Object key) {
			return this.idempotency.execute("transfer", key, null, String.class, () -> "done");
		}

		CompletableFuture<String> transferAndPause(String key) {
			return pausing((pause) -> this.idempotency.execute("transfer", key, null, String.class, () -> {
				pause.run();
				return "done";
			}));
		}

		String insert(String key) {
			return insert(key, () -> {
			});
		}

		CompletableFuture<String> insertAndPause(String key) {
			return pausing((pause) -> insert(key, pause));
		}

		private String insert(String key, Runnable pause) {
			return this.transactions
				.execute((status) -> this.idempotency.execute("transfer", key, null, String.class, () -> {
					this.jdbc.update("insert into effect (id) values (?)", key);
					pause.run();
					return "inserted";
				}));
		}

		private CompletableFuture<String> pausing(Function<Runnable, String> call) {
			CountDownLatch entered = new CountDownLatch(1);
			CompletableFuture<String> result = CompletableFuture.supplyAsync(() -> call.apply(() -> {
				entered.countDown();
				await(this.resume);
			}), (task) -> new Thread(task).start());
			await(entered);
			return result;
		}

		private static void await(CountDownLatch latch) {
			try {
				if (!latch.await(30, TimeUnit.SECONDS)) {
					throw new AssertionError("Nobody came");
				}
			}
			catch (InterruptedException ex) {
				throw new AssertionError(ex);
			}
		}

		int effects() {
			return this.jdbc.queryForObject("select count(*) from effect", Integer.class);
		}

		@EventListener
		public void on(IdempotencyEvent event) {
			this.outcomes.add(event.result());
		}

	}

}
