// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

import io.ge.redis.blacklist.BlacklistCheck;
import io.ge.redis.blacklist.SubjectBlockedException;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.cache.CacheAside;
import io.ge.redis.cache.CacheInvalidate;
import io.ge.redis.idempotency.IdempotencyScope;
import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.lock.DistributedLock;
import io.ge.redis.lock.DistributedLocks;
import io.ge.redis.lock.LockAssert;
import io.ge.redis.lock.LockHandle;
import io.ge.redis.lock.LockOptions;
import io.ge.redis.lock.OnNotAcquired;
import io.ge.redis.ratelimit.RateLimitExceededException;
import io.ge.redis.ratelimit.RateLimited;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Wide;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.aop.interceptor.AsyncUncaughtExceptionHandler;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.kafka.annotation.EnableKafka;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.listener.AcknowledgingConsumerAwareMessageListener;
import org.springframework.kafka.listener.ListenerExecutionFailedException;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.AsyncConfigurer;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.context.SecurityContextImpl;
import org.springframework.security.task.DelegatingSecurityContextAsyncTaskExecutor;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Guards on methods that Spring invokes: asynchronously, by schedule, for an event or for
 * a record.
 */
class InvokedMethodsIntegrationTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, JacksonAutoConfiguration.class,
				DataRedisAutoConfiguration.class, GeRedisAutoConfiguration.class,
				GeRedisPrincipalAutoConfiguration.class, BlacklistAutoConfiguration.class,
				RateLimitAutoConfiguration.class, IdempotencyAutoConfiguration.class, LockAutoConfiguration.class,
				CacheAutoConfiguration.class))
		.withPropertyValues(SharedRedis.properties())
		// A busy machine is no outage
		.withPropertyValues("ge.redis.outage.command-timeout=5s");

	@BeforeEach
	void emptyRedis() {
		SharedRedis.standalone().flushAll();
	}

	@Test
	@Wide
	void asynchronousMethodsAreDecidedOnTheirOwnThread() {
		this.runner.withUserConfiguration(Asynchronous.class).withBean(AsyncDesk.class).run((context) -> {
			AsyncDesk desk = context.getBean(AsyncDesk.class);
			desk.limited("anna");
			desk.once("anna");
			desk.locked("anna");
			desk.checked("anna");
			Awaitility.await()
				.untilAsserted(() -> assertThat(desk.runs()).containsExactlyInAnyOrder("limited async", "once async",
						"locked async", "checked async"));
			Background background = context.getBean(Background.class);
			// Until its result is stored, the key is in flight
			Awaitility.await().until(() -> background.finished() == 4);
			context.getBean(TokenBlacklist.class).block("accounts", "anna", Duration.ofMinutes(1));
			desk.limited("anna");
			desk.once("anna");
			desk.checked("anna");
			// The caller hears nothing of it
			Awaitility.await().until(() -> background.failures().size() == 2 && background.finished() == 7);
			assertThat(background.failures()).hasOnlyElementsOfTypes(RateLimitExceededException.class,
					SubjectBlockedException.class);
			assertThat(desk.runs()).hasSize(4);
		});
	}

	@Test
	void futureOfAnAsynchronousMethodFailsWithTheRefusal() {
		this.runner.withUserConfiguration(Asynchronous.class).withBean(AsyncDesk.class).run((context) -> {
			AsyncDesk desk = context.getBean(AsyncDesk.class);
			assertThat(desk.future("anna")).succeedsWithin(LONG).isEqualTo("done");
			assertThat(desk.future("anna")).failsWithin(LONG)
				.withThrowableOfType(ExecutionException.class)
				.withCauseInstanceOf(RateLimitExceededException.class);
		});
	}

	@Test
	@Wide
	void principalIsFoundOnlyWhereTheExecutorTakesItAlong() {
		ApplicationContextRunner async = this.runner.withUserConfiguration(Asynchronous.class)
			.withBean(AsyncDesk.class);
		async.run((context) -> assertThat(twoPrincipals(context)).containsExactly("mine of null"));
		emptyRedis();
		async.withPropertyValues("delegating=true")
			.run((context) -> assertThat(twoPrincipals(context)).containsExactlyInAnyOrder("mine of anna",
					"mine of boris"));
	}

	/**
	 * Uses the same key for two principals, which are none to whom they are unknown.
	 */
	private static List<String> twoPrincipals(ApplicationContext context) {
		AsyncDesk desk = context.getBean(AsyncDesk.class);
		Background background = context.getBean(Background.class);
		try {
			for (String user : List.of("anna", "boris")) {
				SecurityContext security = new SecurityContextImpl(new TestingAuthenticationToken(user, "", "user"));
				SecurityContextHolder.setContext(security);
				int finished = background.finished();
				desk.mine("key");
				Awaitility.await().until(() -> background.finished() == finished + 1);
			}
		}
		finally {
			SecurityContextHolder.clearContext();
		}
		return desk.runs();
	}

	@Test
	void scheduledMethodIsSkippedWhileSomebodyElseHasItsLock() {
		this.runner.withUserConfiguration(Scheduling.class).withBean(Reports.class).run((context) -> {
			Reports reports = context.getBean(Reports.class);
			Awaitility.await().until(() -> reports.written() > 0);
			LockOptions patient = LockOptions.defaults().waitTime(LONG);
			try (LockHandle held = context.getBean(DistributedLocks.class).lock("report", "all", patient)) {
				int written = reports.written();
				int ticks = reports.ticks();
				Awaitility.await().until(() -> reports.ticks() > ticks + 5);
				assertThat(reports.written()).isEqualTo(written);
			}
			int written = reports.written();
			Awaitility.await().until(() -> reports.written() > written);
		});
	}

	@Test
	void refusedListenerFailsItsPublisher() {
		this.runner.withBean(Listeners.class).run((context) -> {
			context.publishEvent(new Ordered("anna"));
			assertThatExceptionOfType(RateLimitExceededException.class)
				.isThrownBy(() -> context.publishEvent(new Ordered("anna")));
			assertThat(context.getBean(Listeners.class).runs()).containsExactly("ordered");
		});
	}

	@Test
	@Wide
	void listenersAfterTheCommitAreGuardedAndFailNobody() {
		this.runner
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
					DataSourceTransactionManagerAutoConfiguration.class, TransactionAutoConfiguration.class))
			.withBean(Listeners.class)
			.run((context) -> {
				Listeners listeners = context.getBean(Listeners.class);
				assertThat(listeners.name("anna")).isEqualTo("anna 1");
				TransactionTemplate transaction = new TransactionTemplate(
						context.getBean(PlatformTransactionManager.class));
				for (int i = 0; i < 2; i++) {
					transaction.executeWithoutResult((status) -> context.publishEvent(new Paid("anna")));
				}
				assertThat(listeners.runs()).containsExactlyInAnyOrder("limited", "once", "locked", "locked",
						"invalidated", "invalidated");
				assertThat(listeners.name("anna")).isEqualTo("anna 2");
				assertThat(context.getBean(DistributedLocks.class).tryLock("paid", "anna"))
					.hasValueSatisfying(LockHandle::close);
			});
	}

	@Test
	@Wide
	void listenersOfRecordsAreGuarded() {
		this.runner.withUserConfiguration(Kafka.class).withBean(Records.class).run((context) -> {
			receive(context, "limited", "anna");
			assertThatExceptionOfType(ListenerExecutionFailedException.class)
				.isThrownBy(() -> receive(context, "limited", "anna"))
				.havingRootCause()
				.isInstanceOf(RateLimitExceededException.class);
			receive(context, "once", "first");
			// Delivered again
			receive(context, "once", "first");
			receive(context, "once", "second");
			assertThat(context.getBean(Records.class).runs()).containsExactly("limited anna", "once first",
					"once second");
		});
	}

	/**
	 * Gives a record to what a container calls for each that it has fetched.
	 */
	@SuppressWarnings("unchecked")
	private static void receive(ApplicationContext context, String listener, String value) {
		MessageListenerContainer container = context.getBean(KafkaListenerEndpointRegistry.class)
			.getListenerContainer(listener);
		((AcknowledgingConsumerAwareMessageListener<String, String>) container.getContainerProperties()
			.getMessageListener()).onMessage(new ConsumerRecord<>("orders", 0, 0, "key", value), null, null);
	}

	@Test
	void whatABeanCallsItselfIsNotGuarded() {
		this.runner.withBean(Listeners.class).run((context) -> {
			Listeners listeners = context.getBean(Listeners.class);
			listeners.itself("anna");
			listeners.itself("anna");
			assertThat(listeners.runs()).containsExactly("ordered", "ordered");
		});
	}

	record Ordered(String user) {
	}

	record Paid(String user) {
	}

	/**
	 * What becomes of asynchronous calls.
	 */
	static class Background implements AsyncUncaughtExceptionHandler {

		private final List<Throwable> failures = new CopyOnWriteArrayList<>();

		private final AtomicInteger finished = new AtomicInteger();

		List<Throwable> failures() {
			return this.failures;
		}

		int finished() {
			return this.finished.get();
		}

		@Override
		public void handleUncaughtException(Throwable failure, Method method, Object... arguments) {
			this.failures.add(failure);
		}

		Runnable counted(Runnable task) {
			return () -> {
				task.run();
				this.finished.incrementAndGet();
			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	static class Asynchronous implements AsyncConfigurer {

		private final Background background = new Background();

		private final boolean delegating;

		Asynchronous(Environment environment) {
			this.delegating = environment.getProperty("delegating", Boolean.class, false);
		}

		@Bean
		Background background() {
			return this.background;
		}

		@Override
		public Executor getAsyncExecutor() {
			SimpleAsyncTaskExecutor executor = new SimpleAsyncTaskExecutor("async-");
			executor.setTaskDecorator(this.background::counted);
			return this.delegating ? new DelegatingSecurityContextAsyncTaskExecutor(executor) : executor;
		}

		@Override
		public AsyncUncaughtExceptionHandler getAsyncUncaughtExceptionHandler() {
			return this.background;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class Scheduling {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableKafka
	static class Kafka {

		@Bean
		ConcurrentKafkaListenerContainerFactory<String, String> kafkaListenerContainerFactory() {
			ConcurrentKafkaListenerContainerFactory<String, String> factory = new ConcurrentKafkaListenerContainerFactory<>();
			factory.setConsumerFactory(new DefaultKafkaConsumerFactory<>(Map.of()));
			// There is no broker
			factory.setAutoStartup(false);
			return factory;
		}

	}

	static class AsyncDesk {

		private final List<String> runs = new CopyOnWriteArrayList<>();

		List<String> runs() {
			return this.runs;
		}

		private void run(String name) {
			this.runs.add(name + (Thread.currentThread().getName().startsWith("async-") ? " async" : ""));
		}

		@Async
		@RateLimited(name = "limited", key = "#user", limit = 1, window = "1h")
		public void limited(String user) {
			run("limited");
		}

		@Async
		@Idempotent(key = "#user")
		public void once(String user) {
			run("once");
		}

		@Async
		@DistributedLock(name = "locked", key = "#user")
		public void locked(String user) {
			LockAssert.assertHeld("locked");
			run("locked");
		}

		@Async
		@BlacklistCheck(name = "accounts", subject = "#user")
		public void checked(String user) {
			run("checked");
		}

		@Async
		@RateLimited(name = "future", key = "#user", limit = 1, window = "1h")
		public CompletableFuture<String> future(String user) {
			return CompletableFuture.completedFuture("done");
		}

		@Async
		@Idempotent(key = "#key")
		public void mine(String key) {
			Authentication user = SecurityContextHolder.getContext().getAuthentication();
			this.runs.add("mine of " + ((user != null) ? user.getName() : null));
		}

	}

	static class Reports {

		private final AtomicInteger written = new AtomicInteger();

		private final AtomicInteger ticks = new AtomicInteger();

		int written() {
			return this.written.get();
		}

		int ticks() {
			return this.ticks.get();
		}

		@Scheduled(fixedDelay = 5)
		@DistributedLock(name = "report", key = "'all'", onNotAcquired = OnNotAcquired.SKIP)
		public void report() {
			this.written.incrementAndGet();
		}

		/** By the same thread, in turn. */
		@Scheduled(fixedDelay = 5)
		public void tick() {
			this.ticks.incrementAndGet();
		}

	}

	static class Listeners {

		private final List<String> runs = new CopyOnWriteArrayList<>();

		private final AtomicInteger loads = new AtomicInteger();

		List<String> runs() {
			return this.runs;
		}

		@EventListener
		@RateLimited(name = "ordered", key = "#event.user", limit = 1, window = "1h")
		public void ordered(Ordered event) {
			this.runs.add("ordered");
		}

		public void itself(String user) {
			ordered(new Ordered(user));
		}

		@TransactionalEventListener
		@RateLimited(name = "paid", key = "#event.user", limit = 1, window = "1h")
		public void limited(Paid event) {
			this.runs.add("limited");
		}

		@TransactionalEventListener
		@Idempotent(key = "#event.user")
		public void once(Paid event) {
			this.runs.add("once");
		}

		@TransactionalEventListener
		@DistributedLock(name = "paid", key = "#event.user")
		public void locked(Paid event) {
			LockAssert.assertHeld("paid");
			this.runs.add("locked");
		}

		@TransactionalEventListener
		@CacheInvalidate(cache = "names", key = "#event.user")
		public void invalidated(Paid event) {
			this.runs.add("invalidated");
		}

		@CacheAside(cache = "names", key = "#user", ttl = "1h")
		public String name(String user) {
			return user + ' ' + this.loads.incrementAndGet();
		}

	}

	static class Records {

		private final List<String> runs = new CopyOnWriteArrayList<>();

		List<String> runs() {
			return this.runs;
		}

		@KafkaListener(id = "limited", topics = "orders")
		@RateLimited(name = "limited", key = "#user", limit = 1, window = "1h")
		public void limited(String user) {
			this.runs.add("limited " + user);
		}

		@KafkaListener(id = "once", topics = "orders")
		@Idempotent(key = "#order", scope = IdempotencyScope.GLOBAL)
		public void once(String order) {
			this.runs.add("once " + order);
		}

	}

}
