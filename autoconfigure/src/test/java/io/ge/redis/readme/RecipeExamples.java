// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;

import io.ge.redis.idempotency.IdempotencyScope;
import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.lock.DistributedLock;
import io.ge.redis.lock.LockContext;
import io.ge.redis.lock.OnNotAcquired;
import io.ge.redis.queue.JobOptions;
import io.ge.redis.queue.JobQueue;
import io.ge.redis.queue.RedisJob;
import io.ge.redis.ratelimit.RateLimited;
import io.ge.redis.ratelimit.RateLimiter;
import io.ge.redis.stream.Published;
import io.ge.redis.stream.RedisStreamListener;
import io.ge.redis.stream.StreamEnvelope;
import io.ge.redis.stream.StreamMessage;
import io.ge.redis.stream.StreamPublisher;

import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * The code of the page with recipes.
 */
final class RecipeExamples {

	private RecipeExamples() {
	}

	@RestController
	static class Logins {

		private final RateLimiter limiter;

		Logins(RateLimiter limiter) {
			this.limiter = limiter;
		}

		// @formatter:off
		@RateLimited(name = "login", key = "#login.user", limit = 5, window = "15m")
		@PostMapping("/api/login")
		public String login(@RequestBody Login login) {
			String session = authenticate(login);
			this.limiter.resetAsync("login", login.user());
			return session;
		}
		// @formatter:on

		private String authenticate(Login login) {
			if (!login.password().equals("secret")) {
				throw new ResponseStatusException(HttpStatus.UNAUTHORIZED);
			}
			return "session of " + login.user();
		}

		record Login(String user, String password) {
		}

	}

	@RestController
	static class Webhooks {

		private final JobQueue jobs;

		private final JdbcTemplate jdbc;

		Webhooks(JobQueue jobs, JdbcTemplate jdbc) {
			this.jobs = jobs;
			this.jdbc = jdbc;
		}

		// @formatter:off
		@PostMapping("/webhooks/orders")
		@ResponseStatus(HttpStatus.ACCEPTED)
		public void receive(@RequestHeader("X-Event-Id") String id, @RequestBody Paid event) {
			this.jobs.enqueue("webhooks", new Event(id, event.order()), JobOptions.defaults().key(id));
		}

		@RedisJob(queue = "webhooks")
		@Idempotent(name = "webhook", key = "#event.id", scope = IdempotencyScope.GLOBAL)
		@Transactional
		public void handle(Event event) {
			this.jdbc.update("update purchase set paid = paid + 1 where id = ?", event.order());
		}
		// @formatter:on

		record Paid(String order) {
		}

		record Event(String id, String order) {
		}

	}

	static class Billing {

		private final JdbcTemplate jdbc;

		private final Invoices invoices;

		Billing(JdbcTemplate jdbc, Invoices invoices) {
			this.jdbc = jdbc;
			this.invoices = invoices;
		}

		// @formatter:off
		@Scheduled(cron = "0 0 3 * * *")
		@DistributedLock(name = "billing", onNotAcquired = OnNotAcquired.SKIP, atLeastFor = "1m", maxHold = "2h")
		public void billAll() {
			List<String> open = this.jdbc.queryForList("select id from purchase where not billed", String.class);
			for (String order : open) {
				LockContext.current().assertHeld();
				this.invoices.bill(order);
			}
		}
		// @formatter:on

	}

	static class Invoices {

		private final JdbcTemplate jdbc;

		Invoices(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		// @formatter:off
		@Idempotent(name = "invoice", key = "#order", scope = IdempotencyScope.GLOBAL)
		@Transactional
		public void bill(String order) {
			this.jdbc.update("insert into invoice (purchase) values (?)", order);
			this.jdbc.update("update purchase set billed = true where id = ?", order);
		}
		// @formatter:on

	}

	@RestController
	static class Payments {

		private final JdbcTemplate jdbc;

		Payments(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		// @formatter:off
		@RateLimited(name = "payments", key = "#account", limit = 10, window = "1m")
		@Idempotent(name = "payment")
		@DistributedLock(name = "account", key = "#account", waitTime = "2s")
		@Transactional
		@PostMapping("/api/accounts/{account}/payments")
		@ResponseStatus(HttpStatus.CREATED)
		public Payment pay(@PathVariable String account, @RequestBody Order order) {
			int updated = this.jdbc.update("update account set cents = cents - ? where id = ? and cents >= ?",
					order.cents(), account, order.cents());
			if (updated == 0) {
				throw new ResponseStatusException(HttpStatus.PAYMENT_REQUIRED);
			}
			return new Payment(account, order.cents());
		}
		// @formatter:on

		record Order(int cents) {
		}

		record Payment(String account, int cents) {
		}

	}

	static class Agents {

		private final StreamPublisher publisher;

		private final List<String> completed = new CopyOnWriteArrayList<>();

		Agents(StreamPublisher publisher) {
			this.publisher = publisher;
		}

		// @formatter:off
		public Published trigger(String team, String agent, String workItem) {
			return this.publisher.publish("triggers", Map.of("team", team, "agent", agent),
					StreamMessage.of(new Task("plan the release"))
						.workItem(workItem)
						.context(Map.of("project", "ge"))
						.triggeredBy("alice", "release is due"));
		}

		@RedisStreamListener(stream = "triggers")
		public void work(StreamEnvelope<Task> trigger) {
			String answer = answer(trigger.payload());
			this.publisher.publish("completed", StreamMessage.of(new Result(answer))
				.triggerId(trigger.triggerId())
				.workItem(trigger.workItem()));
		}

		@RedisStreamListener(stream = "completed")
		public void complete(StreamEnvelope<Result> result) {
			this.completed.add(Objects.requireNonNull(result.workItem()));
		}
		// @formatter:on

		List<String> completed() {
			return this.completed;
		}

		private static String answer(Task task) {
			return "done: " + task.goal();
		}

		record Task(String goal) {
		}

		record Result(String answer) {
		}

	}

}
