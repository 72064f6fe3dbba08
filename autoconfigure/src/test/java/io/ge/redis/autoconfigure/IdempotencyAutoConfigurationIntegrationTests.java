// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.io.InputStream;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.ge.redis.PrincipalProvider;
import io.ge.redis.RedisUnavailableException;
import io.ge.redis.actuate.GeRedisEndpoint;
import io.ge.redis.actuate.GeRedisEndpointAutoConfiguration;
import io.ge.redis.actuate.GeRedisMetricsAutoConfiguration;
import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.idempotency.FailureWithoutTransaction;
import io.ge.redis.idempotency.Idempotency;
import io.ge.redis.idempotency.IdempotencyCallerException;
import io.ge.redis.idempotency.IdempotencyEvent;
import io.ge.redis.idempotency.IdempotencyInFlightException;
import io.ge.redis.idempotency.IdempotencyKeyException;
import io.ge.redis.idempotency.IdempotencyMismatchException;
import io.ge.redis.idempotency.IdempotencyScope;
import io.ge.redis.idempotency.IdempotencySettings;
import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.idempotency.OutcomeUnknownException;
import io.ge.redis.idempotency.ResponseLostException;
import io.ge.redis.test.OneMethod;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Wide;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.server.resource.authentication.JwtAuthenticationToken;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Idempotent methods in an application, from annotation and property to Redis and meters.
 */
class IdempotencyAutoConfigurationIntegrationTests {

	/** The pool of all futures may have one thread only, and these calls wait. */
	private static final Executor THREAD_EACH = (task) -> new Thread(task).start();

	private static final Duration RECOVERY = Duration.ofSeconds(10);

	/** Short where it has to run out, and still more than a busy machine needs. */
	private static final String BUDGET = "ge.redis.outage.command-timeout=2500ms";

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
				GeRedisAutoConfiguration.class, GeRedisPrincipalAutoConfiguration.class,
				IdempotencyAutoConfiguration.class, GeRedisMetricsAutoConfiguration.class,
				GeRedisEndpointAutoConfiguration.class))
		.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
		.withPropertyValues(SharedRedis.properties())
		.withPropertyValues("management.endpoints.web.exposure.include=geredis");

	@BeforeEach
	void emptyRedis() {
		SharedRedis.standalone().flushAll();
	}

	@Test
	void resultsOfEveryTypeAreGivenAgain() {
		this.runner.withUserConfiguration(Results.class).run((context) -> {
			Results results = context.getBean(Results.class);
			for (Supplier<?> call : List.<Supplier<?>>of(() -> results.record("k"), () -> results.list("k"),
					() -> results.optional("k"), () -> results.empty("k"), () -> results.nothing("k"),
					() -> results.number("k"), () -> results.map("k"), () -> results.shape("k"))) {
				Object first = call.get();
				assertThat(call.get()).isEqualTo(first);
			}
			results.run("k");
			results.run("k");
			assertThat(results.calls()).isEqualTo(9);
		});
	}

	@Test
	void resultThatReadsBackAsSomethingElseIsNeverGivenAgain() {
		this.runner.withUserConfiguration(Results.class).run((context) -> {
			Results results = context.getBean(Results.class);
			assertThat(results.hidden("k").getName()).isEqualTo("anna");
			assertThatExceptionOfType(ResponseLostException.class).isThrownBy(() -> results.hidden("k"));
		});
	}

	@Test
	@Wide
	void furtherResultsOfATypeAreReadBackIfAskedFor() {
		this.runner.withUserConfiguration(Results.class)
			.withPropertyValues("ge.redis.verify-round-trip=1")
			.run((context) -> {
				Results results = context.getBean(Results.class);
				results.hidden("nothing");
				assertThat(results.hidden("nothing").getName()).isNull();
				results.hidden("k");
				assertThatExceptionOfType(ResponseLostException.class).isThrownBy(() -> results.hidden("k"));
			});
	}

	@Test
	void payloadIsComparedByItsFields() {
		this.runner.withUserConfiguration(Desk.class).run((context) -> {
			Desk desk = context.getBean(Desk.class);
			desk.order("k", new Order("SOL", new Secret("1")));
			assertThat(desk.order("k", new Order("SOL", new Secret("1")))).isEqualTo("order 1");
			assertThatExceptionOfType(IdempotencyMismatchException.class)
				.isThrownBy(() -> desk.order("k", new Order("SOL", new Secret("2"))));
			assertThat(desk.byId("k", new Order("SOL", null)))
				.isEqualTo(desk.byId("k", new Order("SOL", new Secret("2"))));
			assertThatExceptionOfType(IdempotencyMismatchException.class)
				.isThrownBy(() -> desk.byId("k", new Order("USDC", null)))
				.withMessageNotContaining("k ");
		});
	}

	@Test
	void callWithoutKeyIsRefusedUnlessOptional() {
		this.runner.withUserConfiguration(Desk.class).run((context) -> {
			Desk desk = context.getBean(Desk.class);
			for (String key : new String[] { null, "", " ", "a".repeat(256), "a\nb" }) {
				assertThatExceptionOfType(IdempotencyKeyException.class).isThrownBy(() -> desk.order(key, null));
			}
			assertThat(desk.optional(null)).isEqualTo("order 1");
			assertThat(desk.optional(null)).isEqualTo("order 2");
			assertThat(desk.optional("k")).isEqualTo(desk.optional("k"));
		});
	}

	@Test
	void principalIsPartOfTheKey() {
		this.runner.withUserConfiguration(Desk.class).run((context) -> {
			Desk desk = context.getBean(Desk.class);
			try {
				SecurityContextHolder.getContext()
					.setAuthentication(new TestingAuthenticationToken("anna", "", "USER"));
				assertThat(desk.order("k", null)).isEqualTo("order 1");
				SecurityContextHolder.getContext()
					.setAuthentication(new TestingAuthenticationToken("boris", "", "USER"));
				assertThat(desk.order("k", null)).isEqualTo("order 2");
				SecurityContextHolder.getContext()
					.setAuthentication(new AnonymousAuthenticationToken("key", "anna",
							List.of(new org.springframework.security.core.authority.SimpleGrantedAuthority("NOBODY"))));
				assertThat(desk.order("k", null)).isEqualTo("order 3");
			}
			finally {
				SecurityContextHolder.clearContext();
			}
			assertThat(desk.order("k", null)).isEqualTo("order 3");
		});
	}

	@Test
	@Wide
	void sameNameFromAnotherIssuerIsAnotherPrincipal() {
		this.runner.withUserConfiguration(Desk.class).run((context) -> {
			Desk desk = context.getBean(Desk.class);
			try {
				authenticate("https://one.example");
				assertThat(desk.order("k", null)).isEqualTo("order 1");
				authenticate("https://other.example");
				assertThat(desk.order("k", null)).isEqualTo("order 2");
				SecurityContextHolder.getContext()
					.setAuthentication(new TestingAuthenticationToken("anna", "", "USER"));
				assertThat(desk.order("k", null)).isEqualTo("order 3");
				authenticate("https://one.example");
				assertThat(desk.order("k", null)).isEqualTo("order 1");
			}
			finally {
				SecurityContextHolder.clearContext();
			}
		});
	}

	@Test
	@Wide
	void tokenWithoutSubjectStandsForItsClientElseForNobody() {
		this.runner.withUserConfiguration(Desk.class)
			.withPropertyValues("ge.redis.idempotency.operations.code.scope=global")
			.run((context) -> {
				Desk desk = context.getBean(Desk.class);
				Idempotency idempotency = context.getBean(Idempotency.class);
				try {
					authenticate((jwt) -> jwt.claim("client_id", "one").claim("azp", "app"));
					assertThat(desk.order("k", null)).isEqualTo("order 1");
					authenticate((jwt) -> jwt.subject(" ").claim("client_id", "other"));
					assertThat(desk.order("k", null)).isEqualTo("order 2");
					authenticate((jwt) -> jwt.claim("azp", "app"));
					assertThat(desk.order("k", null)).isEqualTo("order 3");
					authenticate((jwt) -> jwt.claim("client_id", "one"));
					assertThat(desk.order("k", null)).isEqualTo("order 1");
					authenticate((jwt) -> jwt.claim("client_id", "").claim("scope", "sell"));
					assertThatExceptionOfType(IdempotencyCallerException.class).isThrownBy(() -> desk.order("k", null))
						.withMessageContaining("'orders'");
					assertThat(idempotency.execute("code", 1, null, Integer.class, () -> 1)).isEqualTo(1);
				}
				finally {
					SecurityContextHolder.clearContext();
				}
				assertThat(desk.order("k", null)).isEqualTo("order 4");
			});
	}

	private static void authenticate(String issuer) {
		authenticate((jwt) -> jwt.issuer(issuer).subject("anna"));
	}

	private static void authenticate(Consumer<Jwt.Builder> claims) {
		Jwt.Builder jwt = Jwt.withTokenValue("token").header("alg", "none");
		claims.accept(jwt);
		SecurityContextHolder.getContext().setAuthentication(new JwtAuthenticationToken(jwt.build(), List.of()));
	}

	@Test
	void worksWithoutSpringSecurityAndWithoutTheWeb() {
		this.runner
			.withClassLoader(new FilteredClassLoader("org.springframework.security", "org.springframework.web",
					"jakarta.servlet"))
			.run((context) -> {
				assertThat(context).hasNotFailed().doesNotHaveBean(PrincipalProvider.class);
				Idempotency idempotency = context.getBean(Idempotency.class);
				AtomicInteger calls = new AtomicInteger();
				for (int i = 0; i < 2; i++) {
					assertThat(idempotency.execute("code", "k", null, Integer.class, calls::incrementAndGet))
						.isEqualTo(1);
				}
			});
	}

	@Test
	void callInCodeIsOneWithTheSettingsOfItsName() {
		this.runner.withUserConfiguration(Desk.class)
			.withPropertyValues("ge.redis.idempotency.operations.code.on-failure-without-transaction=release",
					"ge.redis.idempotency.operations.code.scope=global")
			.run((context) -> {
				Idempotency idempotency = context.getBean(Idempotency.class);
				AtomicInteger calls = new AtomicInteger();
				assertThat(idempotency.settings("code").scope()).isEqualTo(IdempotencyScope.GLOBAL);
				assertThatIllegalStateException()
					.isThrownBy(() -> idempotency.execute("code", 1, "payload", String.class, () -> {
						throw new IllegalStateException("failed");
					}));
				for (int i = 0; i < 2; i++) {
					assertThat(idempotency.execute("code", 1, "payload", Integer.class, calls::incrementAndGet))
						.isEqualTo(1);
				}
				assertThatExceptionOfType(IdempotencyMismatchException.class)
					.isThrownBy(() -> idempotency.execute("code", 1, "other", Integer.class, calls::incrementAndGet));
				IdempotencySettings own = IdempotencySettings.of("own");
				ParameterizedTypeReference<List<Order>> type = new ParameterizedTypeReference<>() {
				};
				List<Order> orders = List.of(new Order("SOL", null));
				for (int i = 0; i < 2; i++) {
					assertThat(idempotency.execute(own, List.of("a", 2), null, type, () -> orders)).isEqualTo(orders);
				}
				idempotency.run("run", "k", null, calls::incrementAndGet);
				idempotency.run("run", "k", null, calls::incrementAndGet);
				assertThat(calls).hasValue(2);
				assertThatIllegalStateException().isThrownBy(() -> idempotency.run("fails", "k", null, () -> {
					throw new IllegalStateException("failed");
				}));
				assertThatExceptionOfType(OutcomeUnknownException.class)
					.isThrownBy(() -> idempotency.run("fails", "k", null, () -> {
					}));
				assertThat(idempotency.settings("orders").ttl()).isEqualTo(Duration.ofHours(2));
			});
	}

	@Test
	void propertiesWinOverTheAnnotationAndTheEndpointTells() {
		this.runner.withUserConfiguration(Desk.class)
			.withPropertyValues("ge.redis.idempotency.operations.orders.lease=5s", "ge.redis.idempotency.lease=10s")
			.run((context) -> {
				Desk desk = context.getBean(Desk.class);
				desk.order("k", null);
				desk.order("k", null);
				assertThat(context.getBean(GeRedisEndpoint.class).report().guards())
					.filteredOn((guard) -> guard.name().equals("orders"))
					.singleElement()
					.satisfies((guard) -> {
						assertThat(guard.annotation()).isEqualTo("Idempotent");
						assertThat(guard.settings().get("witness")).hasToString("Setting[value=AUTO, origin=DEFAULT]");
						assertThat(guard.settings().get("lease")).hasToString("Setting[value=PT5S, origin=PROPERTIES]");
						assertThat(guard.settings().get("ttl")).hasToString("Setting[value=PT2H, origin=ANNOTATION]");
						assertThat(guard.settings().get("scope"))
							.hasToString("Setting[value=PRINCIPAL, origin=DEFAULT]");
						assertThat(guard.figures()).containsEntry("executed", 1L).containsEntry("replayed", 1L);
					});
				assertThat(context.getBean(Idempotency.class).settings("other").lease())
					.isEqualTo(Duration.ofSeconds(10));
			});
	}

	@Test
	void countsOutcomesAndPublishesThem() {
		this.runner.withUserConfiguration(Desk.class).run((context) -> {
			Desk desk = context.getBean(Desk.class);
			desk.order("k", null);
			desk.order("k", null);
			assertThatExceptionOfType(IdempotencyMismatchException.class)
				.isThrownBy(() -> desk.order("k", new Order("SOL", null)));
			assertThatIllegalStateException().isThrownBy(() -> desk.fail("k"));
			assertThatExceptionOfType(OutcomeUnknownException.class).isThrownBy(() -> desk.fail("k"));
			MeterRegistry meters = context.getBean(MeterRegistry.class);
			for (Map.Entry<String, Integer> outcome : Map.of("executed", 1, "replayed", 1, "mismatch", 1).entrySet()) {
				assertThat(meters.get("ge.redis.idempotency.requests")
					.tags("operation", "orders", "outcome", outcome.getKey())
					.counter()
					.count()).as(outcome.getKey()).isEqualTo(outcome.getValue().doubleValue());
			}
			assertThat(desk.events()).extracting(IdempotencyEvent::result)
				.containsExactly("executed", "replayed", "mismatch", "unknown", "unknown");
		});
	}

	@Test
	@Wide
	void callThatOutlivesItsLeaseWithoutHeartbeatIsTold() {
		ApplicationContextRunner instance = this.runner.withUserConfiguration(Desk.class);
		instance.run(
				(context) -> instance.run((second) -> isTold(context.getBean(Desk.class), second.getBean(Desk.class))));
	}

	private static void isTold(Desk desk, Desk later) throws Exception {
		CompletableFuture<String> first = CompletableFuture.supplyAsync(() -> desk.slow("k"), THREAD_EACH);
		desk.awaitEntered();
		// Another owner takes over, as if this process had been paused for its lease
		String key = String.valueOf(((List<?>) SharedRedis.standalone().primary().command("KEYS", "*slow*")).get(0));
		SharedRedis.standalone().primary().command("HSET", key, "d", "1", "x", "2");
		later.skipNumber();
		CompletableFuture<String> second = CompletableFuture.supplyAsync(() -> later.slow("k"), THREAD_EACH);
		later.awaitEntered();
		desk.leave();
		later.leave();
		assertThat(first.get(10, TimeUnit.SECONDS)).startsWith("order");
		assertThat(second.get(10, TimeUnit.SECONDS)).startsWith("order");
		assertThat(desk.events()).extracting(IdempotencyEvent::result).containsExactly("lease_lost");
		assertThat(later.events()).extracting(IdempotencyEvent::result).containsExactly("executed");
		assertThat(desk.slow("k")).isEqualTo(second.get());
	}

	@Test
	void repetitionsWaitForTheFirstCallIfTheyAreTo() {
		this.runner.withUserConfiguration(Desk.class)
			.withPropertyValues("ge.redis.idempotency.operations.slow.on-duplicate=wait",
					"ge.redis.idempotency.wait-timeout=10s")
			.run((context) -> {
				Desk desk = context.getBean(Desk.class);
				List<CompletableFuture<String>> calls = new ArrayList<>();
				calls.add(CompletableFuture.supplyAsync(() -> desk.slow("k"), THREAD_EACH));
				desk.awaitEntered();
				for (int i = 0; i < 20; i++) {
					calls.add(CompletableFuture.supplyAsync(() -> desk.slow("k"), THREAD_EACH));
				}
				desk.leave();
				for (CompletableFuture<String> call : calls) {
					assertThat(call.get(10, TimeUnit.SECONDS)).isEqualTo("order 1");
				}
				assertThat(desk.calls()).isEqualTo(1);
			});
	}

	@Test
	@Wide
	void whoWaitsForTooLongOrIsInterruptedIsRefused() {
		this.runner.withUserConfiguration(Desk.class)
			.withPropertyValues("ge.redis.idempotency.operations.slow.on-duplicate=wait",
					"ge.redis.idempotency.wait-timeout=100ms")
			.run((context) -> {
				Desk desk = context.getBean(Desk.class);
				CompletableFuture<String> first = CompletableFuture.supplyAsync(() -> desk.slow("k"), THREAD_EACH);
				desk.awaitEntered();
				assertThatExceptionOfType(IdempotencyInFlightException.class).isThrownBy(() -> desk.slow("k"));
				Thread.currentThread().interrupt();
				assertThatExceptionOfType(IdempotencyInFlightException.class).isThrownBy(() -> desk.slow("k"));
				assertThat(Thread.interrupted()).isTrue();
				desk.leave();
				assertThat(first.get(10, TimeUnit.SECONDS)).isEqualTo("order 1");
				assertThat(desk.slow("k")).isEqualTo("order 1");
			});
	}

	@Test
	@Wide
	void heartbeatHoldsTheLeaseOfALongCall() {
		this.runner.withUserConfiguration(Desk.class)
			.withPropertyValues("ge.redis.idempotency.operations.slow.lease=2s")
			.run((context) -> {
				Desk desk = context.getBean(Desk.class);
				CompletableFuture<String> first = CompletableFuture.supplyAsync(() -> desk.slow("k"), THREAD_EACH);
				desk.awaitEntered();
				long end = System.nanoTime() + Duration.ofMillis(3500).toNanos();
				Awaitility.await().pollInterval(Duration.ofMillis(20)).until(() -> {
					assertThatExceptionOfType(IdempotencyInFlightException.class).isThrownBy(() -> desk.slow("k"));
					return System.nanoTime() - end >= 0;
				});
				desk.leave();
				assertThat(first.get(10, TimeUnit.SECONDS)).isEqualTo("order 1");
				assertThat(desk.slow("k")).isEqualTo("order 1");
			});
	}

	@Test
	void deniesOrAllowsWhileRedisIsDown() {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			redis.primary().kill();
			this.runner.withUserConfiguration(Desk.class).withPropertyValues(redis.properties()).run((context) -> {
				Desk desk = context.getBean(Desk.class);
				assertThatExceptionOfType(RedisUnavailableException.class).isThrownBy(() -> desk.order("k", null));
				assertThat(desk.calls()).isZero();
				assertThat(desk.unprotected("k")).isEqualTo("order 1");
				assertThat(desk.unprotected("k")).isEqualTo("order 2");
				assertThat(desk.events()).extracting(IdempotencyEvent::result).containsOnly("error");
				redis.primary().start();
				Awaitility.await()
					.atMost(RECOVERY)
					.ignoreExceptions()
					.untilAsserted(() -> assertThat(desk.order("k", null)).isEqualTo("order 3"));
			});
		}
	}

	@Test
	void claimOfUnknownOutcomeDoesNotBlockItsKey() {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			this.runner.withUserConfiguration(Desk.class)
				.withPropertyValues(redis.properties())
				.withPropertyValues(BUDGET)
				.run((context) -> {
					Desk desk = context.getBean(Desk.class);
					desk.unprotected("warm");
					redis.primary().pause();
					assertThatExceptionOfType(RedisUnavailableException.class).isThrownBy(() -> desk.order("k", null));
					redis.primary().resume();
					Awaitility.await()
						.atMost(RECOVERY)
						.ignoreExceptionsInstanceOf(RedisUnavailableException.class)
						.untilAsserted(() -> assertThat(desk.order("k", null)).isEqualTo("order 2"));
					assertThat(desk.events()).extracting(IdempotencyEvent::result).doesNotContain("in_flight");
				});
		}
	}

	@Test
	void completionThatRedisDidNotTakeReachesItLater() {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			this.runner.withUserConfiguration(Desk.class)
				.withPropertyValues(redis.properties())
				.withPropertyValues(BUDGET)
				.run((context) -> {
					Desk desk = context.getBean(Desk.class);
					desk.unprotected("warm");
					CompletableFuture<String> call = CompletableFuture.supplyAsync(() -> desk.slow("k"), THREAD_EACH);
					desk.awaitEntered();
					redis.primary().pause();
					desk.leave();
					assertThat(call.get(10, TimeUnit.SECONDS)).isEqualTo("order 2");
					redis.primary().resume();
					Awaitility.await()
						.atMost(RECOVERY)
						.ignoreExceptionsInstanceOf(RedisUnavailableException.class)
						.ignoreExceptionsInstanceOf(IdempotencyInFlightException.class)
						.untilAsserted(() -> assertThat(desk.slow("k")).isEqualTo("order 2"));
					assertThat(desk.calls()).isEqualTo(2);
				});
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "6.2", "7.0" })
	void whoWasAdmittedFinishesWithoutMemory(String version) {
		try (StandaloneRedis redis = RedisServers.version(version).standalone()) {
			this.runner.withUserConfiguration(Desk.class).withPropertyValues(redis.properties()).run((context) -> {
				Desk desk = context.getBean(Desk.class);
				CompletableFuture<String> call = CompletableFuture.supplyAsync(() -> desk.slow("k"), THREAD_EACH);
				desk.awaitEntered();
				redis.primary().exhaustMemory();
				assertThatExceptionOfType(RedisUnavailableException.class).isThrownBy(() -> desk.order("k", null));
				desk.leave();
				assertThat(call.get(10, TimeUnit.SECONDS)).isEqualTo("order 1");
				assertThat(desk.slow("k")).isEqualTo("order 1");
			});
		}
	}

	@Test
	void keyIsClosedIfTheServerRefusesTheCompletion() {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			this.runner.withUserConfiguration(Desk.class).withPropertyValues(redis.properties()).run((context) -> {
				Desk desk = context.getBean(Desk.class);
				CompletableFuture<String> call = CompletableFuture.supplyAsync(() -> desk.slow("k"), THREAD_EACH);
				desk.awaitEntered();
				redis.primary().command("ACL", "SETUSER", "default", "-hset");
				desk.leave();
				assertThat(call.get(10, TimeUnit.SECONDS)).isEqualTo("order 1");
				Awaitility.await()
					.untilAsserted(() -> assertThatExceptionOfType(OutcomeUnknownException.class)
						.isThrownBy(() -> desk.slow("k")));
			});
		}
	}

	@Test
	void wrongUseFailsTheStart() {
		assertRefused("noKey", "it has no key", "#message.id");
		assertRefused("asynchronous", "the return type Future cannot be guarded", "CompletableFuture");
		assertRefused("streaming", "InputStream", "holds the whole result");
		assertRefused("untyped", "java.lang.Object", "Declare the type");
		assertRefused("unknownParameter", "#order", "#id");
		assertRefused("shortTtl", "the ttl (PT10S) must not be below the lease (PT30S)", "Correct");
		assertRefused("localPolicy", "ALLOW or DENY", "Correct");
		assertRefused("noData", "Runnable", "Set fingerprint");
		assertRefused("twoSettings", "the name 'same' is used with other settings", "Use another name");
	}

	private void assertRefused(String method, String problem, String remedy) {
		Class<?> bean = OneMethod.of(Mistakes.class, method);
		this.runner.withClassLoader(bean.getClassLoader())
			.withUserConfiguration(bean)
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("@Idempotent on " + bean.getName() + "." + method)
				.hasStackTraceContaining(problem)
				.hasStackTraceContaining(remedy));
	}

	@Test
	@Wide
	void runsUnguardedWhenSwitchedOff() {
		for (String setting : List.of("ge.redis.enabled=false", "ge.redis.idempotency.enabled=false")) {
			this.runner.withUserConfiguration(Desk.class).withPropertyValues(setting).run((context) -> {
				assertThat(context).hasNotFailed().doesNotHaveBean(Idempotency.class);
				Desk desk = context.getBean(Desk.class);
				assertThat(desk.order("k", null)).isNotEqualTo(desk.order("k", null));
			});
		}
		this.runner.withUserConfiguration(Desk.class)
			.withClassLoader(new FilteredClassLoader(RedisConnectionFactory.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(Idempotency.class));
	}

	@Test
	void stepsBackForTheUsersOwnApi() {
		this.runner.withUserConfiguration(OwnApi.class)
			.run((context) -> assertThat(context).getBean(Idempotency.class).isSameAs(OwnApi.API));
	}

	record Order(String token, @Nullable Secret secret) {
	}

	static final class Secret {

		@com.fasterxml.jackson.annotation.JsonIgnore
		private final String value;

		Secret(String value) {
			this.value = value;
		}

	}

	static class Desk {

		private final List<IdempotencyEvent> events = new CopyOnWriteArrayList<>();

		private final AtomicInteger calls = new AtomicInteger();

		private final CountDownLatch entered = new CountDownLatch(1);

		private final CountDownLatch leave = new CountDownLatch(1);

		@Idempotent(name = "orders", key = "#key", ttl = "${none:2h}")
		public String order(@Nullable String key, @Nullable Order order) {
			return "order " + this.calls.incrementAndGet();
		}

		@Idempotent(key = "#key", fingerprint = "#order.token")
		public String byId(String key, Order order) {
			return "order " + this.calls.incrementAndGet();
		}

		@Idempotent(key = "#key", required = false)
		public String optional(@Nullable String key) {
			return "order " + this.calls.incrementAndGet();
		}

		@Idempotent(key = "#key", onOutage = OutagePolicy.ALLOW,
				onFailureWithoutTransaction = FailureWithoutTransaction.RELEASE)
		public String unprotected(String key) {
			return "order " + this.calls.incrementAndGet();
		}

		@Idempotent(key = "#key")
		public String fail(String key) {
			throw new IllegalStateException("failed");
		}

		@Idempotent(name = "slow", key = "#key")
		public String slow(String key) {
			String result = "order " + this.calls.incrementAndGet();
			this.entered.countDown();
			await(this.leave);
			return result;
		}

		public void awaitEntered() {
			await(this.entered);
		}

		public void leave() {
			this.leave.countDown();
		}

		public void skipNumber() {
			this.calls.incrementAndGet();
		}

		public int calls() {
			return this.calls.get();
		}

		public List<IdempotencyEvent> events() {
			return this.events;
		}

		@EventListener
		public void on(IdempotencyEvent event) {
			this.events.add(event);
		}

		private static void await(CountDownLatch latch) {
			try {
				assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

	@com.fasterxml.jackson.annotation.JsonTypeInfo(use = com.fasterxml.jackson.annotation.JsonTypeInfo.Id.NAME)
	@com.fasterxml.jackson.annotation.JsonSubTypes(@com.fasterxml.jackson.annotation.JsonSubTypes.Type(Square.class))
	interface Figure {

	}

	record Square(int side) implements Figure {
	}

	static class Hidden {

		@com.fasterxml.jackson.annotation.JsonProperty(
				access = com.fasterxml.jackson.annotation.JsonProperty.Access.READ_ONLY)
		private String name;

		public String getName() {
			return this.name;
		}

	}

	record Entry(int id, BigDecimal amount, OffsetDateTime at, List<String> tags) {
	}

	static class Results {

		private final AtomicInteger calls = new AtomicInteger();

		@Idempotent(key = "#key")
		public Entry record(String key) {
			return new Entry(this.calls.incrementAndGet(), new BigDecimal("1.500"),
					OffsetDateTime.parse("2026-01-01T10:00:00+02:00"), List.of("a"));
		}

		@Idempotent(key = "#key")
		public List<Entry> list(String key) {
			return List.of(record("other"), new Entry(this.calls.get(), BigDecimal.ONE, OffsetDateTime.MAX, List.of()));
		}

		@Idempotent(key = "#key")
		public Optional<Integer> optional(String key) {
			return Optional.of(this.calls.incrementAndGet());
		}

		@Idempotent(key = "#key")
		public Optional<Integer> empty(String key) {
			return (this.calls.incrementAndGet() > 0) ? Optional.empty() : Optional.of(1);
		}

		@Idempotent(key = "#key")
		public @Nullable String nothing(String key) {
			return (this.calls.incrementAndGet() > 0) ? null : "";
		}

		@Idempotent(key = "#key")
		public long number(String key) {
			return this.calls.incrementAndGet();
		}

		@Idempotent(key = "#key")
		public Map<String, List<Integer>> map(String key) {
			return Map.of("a", List.of(this.calls.incrementAndGet()));
		}

		@Idempotent(key = "#key")
		public Figure shape(String key) {
			return new Square(this.calls.incrementAndGet());
		}

		@Idempotent(key = "#key")
		public void run(String key) {
			this.calls.incrementAndGet();
		}

		@Idempotent(key = "#key")
		public Hidden hidden(String key) {
			Hidden hidden = new Hidden();
			hidden.name = key.equals("nothing") ? null : "anna";
			return hidden;
		}

		public int calls() {
			return this.calls.get();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnApi {

		static final Idempotency API = new Idempotency() {

			@Override
			public IdempotencySettings settings(String name) {
				return IdempotencySettings.of(name);
			}

			@Override
			public <T extends @Nullable Object> T execute(IdempotencySettings settings, Object key,
					@Nullable Object payload, ParameterizedTypeReference<T> type, Supplier<T> action) {
				return action.get();
			}

		};

		@Bean
		Idempotency ownApi() {
			return API;
		}

	}

	interface Mistakes {

		@Idempotent
		String noKey(String id);

		@Idempotent(key = "#id")
		Future<String> asynchronous(String id);

		@Idempotent(key = "#id")
		InputStream streaming(String id);

		@Idempotent(key = "#id")
		Object untyped(String id);

		@Idempotent(key = "#id", fingerprint = "#order")
		String unknownParameter(String id);

		@Idempotent(key = "#id", ttl = "10s")
		String shortTtl(String id);

		@Idempotent(key = "#id", onOutage = OutagePolicy.LOCAL)
		String localPolicy(String id);

		@Idempotent(key = "#id")
		String noData(String id, Runnable action);

		@Idempotent(name = "same", key = "#id")
		String twoSettings(String id);

		@Idempotent(name = "same", key = "#id", ttl = "1h")
		String twoSettings(String id, String other);

	}

}
