// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.autoconfigure.IdempotencyAutoConfiguration;
import io.ge.redis.idempotency.IdempotencyEvent;
import io.ge.redis.idempotency.IdempotencyEvent.Outcome;
import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.idempotency.OnDuplicate;
import io.ge.redis.test.instance.Operation;
import io.ge.redis.test.instance.Woven;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionManagerCustomizationAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Takes payments, each of which must be taken once. Its operation {@code pay} is what
 * {@link IdempotencyScenario} asks for, the others are for {@link IdempotencyDeaths}.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, DataSourceAutoConfiguration.class,
		DataSourceTransactionManagerAutoConfiguration.class, JdbcTemplateAutoConfiguration.class,
		TransactionManagerCustomizationAutoConfiguration.class, TransactionAutoConfiguration.class,
		JacksonAutoConfiguration.class, GeRedisAutoConfiguration.class, IdempotencyAutoConfiguration.class })
public class IdempotencyApplication {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	@Bean
	Effects effects(JdbcTemplate jdbc) {
		return new Effects(jdbc);
	}

	@Bean
	Stops stops() {
		return new Stops();
	}

	@Bean
	Payments payments(Effects effects, Stops stops) {
		return new Payments(effects, stops);
	}

	/**
	 * Pays: as a publisher with {@code test.reactive}, subscribed to on a thread that
	 * must not wait.
	 */
	@Bean
	Operation pay(Payments payments, ObjectProvider<PublishedPayments> published) {
		PublishedPayments publishers = published.getIfAvailable();
		return (arguments) -> {
			long millis = Long.parseLong(arguments[1]);
			return (publishers == null) ? payments.pay(arguments[0], millis)
					: publishers.pay(arguments[0], millis).subscribeOn(Schedulers.parallel()).block();
		};
	}

	/**
	 * Only where it is asked for, since publishers have no witness.
	 */
	@Bean
	@ConditionalOnProperty("test.reactive")
	PublishedPayments publishedPayments(Effects effects, PlatformTransactionManager transactions) {
		return new PublishedPayments(effects, new TransactionTemplate(transactions));
	}

	/**
	 * Several calls with one key at once, each of which is repeated until it is answered.
	 * Takes the key, how many, and whether they wait for the first one; answers with the
	 * different answers.
	 */
	@Bean
	Operation payMany(Payments payments) {
		return (arguments) -> {
			ExecutorService threads = Executors.newCachedThreadPool();
			try {
				List<Future<String>> calls = new ArrayList<>();
				for (int i = 0; i < Integer.parseInt(arguments[1]); i++) {
					calls.add(threads
						.submit(() -> payUntilAnswered(payments, arguments[0], Boolean.parseBoolean(arguments[2]))));
				}
				Set<String> answers = new TreeSet<>();
				for (Future<String> call : calls) {
					answers.add(call.get());
				}
				return String.join(",", answers);
			}
			finally {
				threads.shutdownNow();
			}
		};
	}

	/**
	 * A call that stands still; one that is refused is repeated. Takes the key, where, if
	 * anywhere, and whether the call is one whose repetitions wait.
	 */
	@Bean
	Operation payAndStand(Payments payments, Stops stops) {
		return (arguments) -> {
			Callable<String> call = () -> payUntilAnswered(payments, arguments[0], Boolean.parseBoolean(arguments[2]));
			return arguments[1].isEmpty() ? call.call() : stops.at(Stops.Stop.valueOf(arguments[1]), call);
		};
	}

	@Bean
	Operation awaitStanding(Stops stops) {
		return (arguments) -> {
			stops.awaitStanding(Integer.parseInt(arguments[0]));
			return "";
		};
	}

	@Bean
	CutOff cutOff() {
		return new CutOff();
	}

	/**
	 * How many calls were cut off since this was asked before.
	 */
	@Bean
	Operation countCutOff(CutOff cutOff) {
		return (arguments) -> String.valueOf(cutOff.count.getAndSet(0));
	}

	@Bean
	Operation halt() {
		return (arguments) -> {
			Runtime.getRuntime().halt(Woven.HALTED);
			return "";
		};
	}

	private static String payUntilAnswered(Payments payments, String key, boolean awaited) throws InterruptedException {
		long deadline = System.nanoTime() + PATIENCE.toNanos();
		while (true) {
			try {
				return pay(payments, key, awaited);
			}
			catch (RuntimeException ex) {
				if (System.nanoTime() - deadline > 0) {
					throw ex;
				}
				TimeUnit.MILLISECONDS.sleep(25);
			}
		}
	}

	private static String pay(Payments payments, String key, boolean awaited) {
		return awaited ? payments.payAwaited(key) : payments.pay(key, 0);
	}

	/**
	 * Counts the calls that do not reach Redis.
	 */
	static class CutOff {

		private final AtomicInteger count = new AtomicInteger();

		@EventListener
		public void on(IdempotencyEvent event) {
			if (event.outcome() == Outcome.ERROR) {
				this.count.incrementAndGet();
			}
		}

	}

	/**
	 * The guarded service.
	 */
	public static class Payments {

		private final Effects effects;

		private final Stops stops;

		Payments(Effects effects, Stops stops) {
			this.effects = effects;
			this.stops = stops;
		}

		@Idempotent(name = "payments", key = "#key", fingerprint = "#key")
		@Transactional
		public String pay(String key, long millis) {
			return add(key, millis);
		}

		@Idempotent(name = "awaited-payments", key = "#key", fingerprint = "#key", onDuplicate = OnDuplicate.WAIT)
		@Transactional
		public String payAwaited(String key) {
			return add(key, 0);
		}

		private String add(String key, long millis) {
			String token = this.effects.add(key, millis);
			this.stops.pass(Stops.Stop.EFFECT);
			return token;
		}

	}

	/**
	 * The same, whose results come later and from other threads.
	 */
	public static class PublishedPayments {

		private final Effects effects;

		private final TransactionTemplate transaction;

		PublishedPayments(Effects effects, TransactionTemplate transaction) {
			this.effects = effects;
			this.transaction = transaction;
		}

		@Idempotent(name = "published-payments", key = "#key", fingerprint = "#key")
		public Mono<String> pay(String key, long millis) {
			return Mono.fromCallable(() -> this.transaction.execute((status) -> this.effects.add(key, millis)))
				.subscribeOn(Schedulers.boundedElastic());
		}

	}

}
