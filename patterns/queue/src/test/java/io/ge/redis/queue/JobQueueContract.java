// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.queue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import java.util.stream.IntStream;

import io.ge.redis.Acknowledgment;
import io.ge.redis.DeliveryAttempt;
import io.ge.redis.NotRetryableException;
import io.ge.redis.core.consume.UnwritableException;
import io.ge.redis.queue.JobEvent.Outcome;
import io.ge.redis.queue.JobStatus.State;
import io.ge.redis.test.RedisFixture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * The promises of job queues.
 */
abstract class JobQueueContract {

	private static final String[] MAIL = { "mail.visibility-timeout", "600ms", "mail.max-attempts", "3",
			"mail.backoff.initial", "20ms", "mail.backoff.max", "100ms", "mail.aging", "0s" };

	private final List<QueueInstance> instances = new ArrayList<>();

	private RedisFixture redis;

	@BeforeEach
	void connect(RedisFixture redis) {
		this.redis = redis;
	}

	@AfterEach
	void close() {
		this.instances.forEach(QueueInstance::close);
	}

	private QueueInstance start(String... more) {
		List<String> all = new ArrayList<>(List.of(MAIL));
		all.addAll(List.of(more));
		QueueInstance instance = new QueueInstance(this.redis, all.toArray(String[]::new));
		this.instances.add(instance);
		return instance;
	}

	private static JobStatus status(QueueInstance instance, EnqueuedJob job) {
		return instance.jobQueue().status("mail", job.id());
	}

	private static void awaitState(QueueInstance instance, EnqueuedJob job, State state) {
		await().untilAsserted(() -> assertThat(status(instance, job).state()).isEqualTo(state));
	}

	@Test
	void doesAJobAndKeepsItsResult() {
		QueueInstance instance = start();
		EnqueuedJob job = instance.jobQueue().enqueue("mail", new Mail("a", 1));
		assertThat(job.duplicate()).isFalse();
		assertThat(status(instance, job).state()).isEqualTo(State.QUEUED);
		Mailer mailer = new Mailer();
		instance.listen(mailer);
		awaitState(instance, job, State.DONE);
		JobStatus done = status(instance, job);
		assertThat(done.attempts()).isEqualTo(1);
		assertThat(String.valueOf(done.result())).isEqualTo("{\"to\":\"a\",\"number\":2}");
		assertThat(mailer.done).singleElement()
			.satisfies((each) -> assertThat(each.payload()).isEqualTo(new Mail("a", 1)))
			.satisfies((each) -> assertThat(each.priority()).isEqualTo(5));
		assertThat(instance.jobQueue().status("mail", "other").state()).isEqualTo(State.UNKNOWN);
	}

	@Test
	void enqueuesManyJobsWithOneCommandAllOrNone() {
		QueueInstance instance = start("mail.max-length", "100", "mail.max-payload-size", "100B");
		JobQueue jobs = instance.jobQueue();
		List<Mail> mails = IntStream.range(0, 60).mapToObj((i) -> new Mail("m", i)).toList();
		Function<Mail, JobOptions> keyed = (mail) -> JobOptions.defaults().key("mail-" + mail.number());
		List<EnqueuedJob> first = jobs.enqueueAll("mail", mails, keyed);
		assertThat(first).hasSize(60).noneMatch(EnqueuedJob::duplicate);
		this.redis.configResetStat();
		assertThat(jobs.enqueueAll("mail", mails, keyed)).extracting(EnqueuedJob::id)
			.containsExactlyElementsOf(first.stream().map(EnqueuedJob::id).toList());
		assertThat(this.redis.endpoints().stream().mapToLong((each) -> each.commandCalls("evalsha")).sum()).isOne();
		assertThatExceptionOfType(QueueFullException.class)
			.isThrownBy(() -> jobs.enqueueAll("mail", mails, (mail) -> JobOptions.defaults()))
			.withMessageContaining("Queue 'mail' has no room: it holds 60 jobs");
		List<EnqueuedJob> mixed = jobs.enqueueAll("mail", mails.subList(20, 60),
				(mail) -> (mail.number() < 30) ? keyed.apply(mail) : JobOptions.defaults());
		assertThat(mixed.subList(0, 10)).allMatch(EnqueuedJob::duplicate);
		assertThat(mixed.subList(10, 40)).noneMatch(EnqueuedJob::duplicate);
		awaitState(instance, mixed.get(39), State.QUEUED);
		instance.listen(new Mailer());
		awaitState(instance, mixed.get(39), State.DONE);
	}

	@Test
	void refusesBadBulks() {
		JobQueue jobs = start("mail.max-payload-size", "100B").jobQueue();
		Map<Collection<?>, String> refused = Map.of(List.of(), "The number of jobs must be from 1 to 1000, was 0",
				Collections.nCopies(1001, "x"), "The number of jobs must be from 1 to 1000, was 1001",
				Arrays.asList("x", null), "jobs must not have null", List.of("x", "y".repeat(100)),
				"has 102 bytes as JSON, more than 100", Collections.nCopies(20, "z".repeat(90)),
				"The size of all jobs in bytes must be from 0.0 to 1600.0, was 1840.0");
		refused.forEach((bulk, problem) -> assertThatIllegalArgumentException()
			.isThrownBy(() -> jobs.enqueueAll("mail", bulk, (job) -> JobOptions.defaults()))
			.withMessageContaining(problem));
		assertThatIllegalArgumentException().isThrownBy(() -> jobs.enqueueAll("mail", null, null))
			.withMessage("jobs must not be null");
		assertThat(this.redis.endpoints().get(0).command("DBSIZE")).isEqualTo(0L);
	}

	@Test
	void failureThatCannotBeWrittenHoldsUpNoOther() {
		QueueInstance instance = start();
		instance.listen(new Mailer());
		EnqueuedJob bad = instance.jobQueue().enqueue("mail", new Mail("unwritable", 1));
		awaitState(instance, instance.jobQueue().enqueue("mail", new Mail("a", 2)), State.DONE);
		awaitState(instance, bad, State.FAILED);
		assertThat(status(instance, bad).problem()).startsWith(UnwritableException.class.getName());
	}

	@Test
	void wakesAnIdleInstance() {
		QueueInstance instance = start("mail.visibility-timeout", "1h");
		instance.listen(new Mailer());
		for (int i = 0; i < 5; i++) {
			awaitState(instance, instance.jobQueue().enqueue("mail", new Mail("a", i)), State.DONE);
		}
	}

	@Test
	void takesTheHighestPriorityFirstAndEqualOnesInOrder() {
		QueueInstance instance = start();
		int[] priorities = { 1, 9, 5, 9, 0, 5 };
		for (int i = 0; i < priorities.length; i++) {
			instance.jobQueue().enqueue("mail", new Mail("a", i), JobOptions.defaults().priority(priorities[i]));
		}
		assertThat(instance.pattern().view("mail").ready()).containsExactly(1L, 1L, 0L, 0L, 0L, 2L, 0L, 0L, 0L, 2L);
		Mailer mailer = new Mailer();
		instance.listen(mailer);
		await().until(() -> mailer.done.size() == priorities.length);
		assertThat(mailer.numbers()).containsExactly(1, 3, 2, 5, 0, 4);
	}

	@Test
	void waitsForTheDelay() {
		QueueInstance instance = start();
		Mailer mailer = new Mailer();
		instance.listen(mailer);
		long begun = System.nanoTime();
		EnqueuedJob job = instance.jobQueue()
			.enqueue("mail", new Mail("a", 1), JobOptions.defaults().delay(Duration.ofMillis(300)));
		assertThat(status(instance, job).state()).isEqualTo(State.QUEUED);
		awaitState(instance, job, State.DONE);
		assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThanOrEqualTo(Duration.ofMillis(300));
	}

	@Test
	void runsAgainAfterAFailureUntilItSucceeds() {
		QueueInstance instance = start();
		Mailer mailer = new Mailer();
		instance.listen(mailer);
		EnqueuedJob job = instance.jobQueue().enqueue("mail", new Mail("fails once", 1));
		awaitState(instance, job, State.DONE);
		assertThat(status(instance, job).attempts()).isEqualTo(2);
		assertThat(mailer.attempts).containsExactly(1, 2);
		await().until(() -> instance.events(Outcome.DONE) == 1);
		assertThat(instance.events(Outcome.RETRY)).isEqualTo(1);
	}

	@Test
	void givesUpAfterTheLastAttempt() {
		QueueInstance instance = start();
		Mailer mailer = new Mailer();
		instance.listen(mailer);
		EnqueuedJob job = instance.jobQueue().enqueue("mail", new Mail("fails", 1));
		awaitState(instance, job, State.FAILED);
		assertThat(mailer.attempts).containsExactly(1, 2, 3);
		assertThat(status(instance, job).problem()).isEqualTo("java.lang.IllegalStateException: fails");
		assertThat(instance.pattern().view("mail").deadLetters()).isEqualTo(1);
		assertThat(instance.pattern().view("mail").jobs()).isZero();
	}

	@Test
	void givesUpAtOnceWhatCannotSucceed() {
		QueueInstance instance = start();
		Mailer mailer = new Mailer();
		instance.listen(mailer);
		EnqueuedJob never = instance.jobQueue().enqueue("mail", new Mail("never", 1));
		EnqueuedJob unreadable = instance.jobQueue().enqueue("mail", List.of("no mail"));
		awaitState(instance, never, State.FAILED);
		awaitState(instance, unreadable, State.FAILED);
		assertThat(mailer.attempts).containsExactly(1);
		assertThat(status(instance, unreadable).problem()).contains("cannot be read as").contains("Mail");
	}

	@Test
	void refusesLargePayloadsAndDropsLargeResults() {
		QueueInstance instance = start("mail.max-payload-size", "1000B");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> instance.jobQueue().enqueue("mail", new Mail("x".repeat(1000), 1)))
			.withMessage("The payload for queue 'mail' has 1020 bytes as JSON, more than 1000. Send a reference to what"
					+ " is stored elsewhere, or raise ge.redis.queue.queues.mail.max-payload-size");
		QueueInstance lower = start("mail.max-payload-size", "20B").listen(new Mailer());
		EnqueuedJob job = instance.jobQueue().enqueue("mail", new Mail("result", 1));
		awaitState(lower, job, State.DONE);
		assertThat(status(lower, job).result()).isNull();
	}

	@Test
	void staysWithAnInstanceWhileItsListenerRuns() {
		Mailer slow = new Mailer();
		QueueInstance one = start().listen(slow);
		EnqueuedJob job = one.jobQueue().enqueue("mail", new Mail("slow", 1));
		Mailer other = new Mailer();
		start().listen(other);
		awaitState(one, job, State.RUNNING);
		await().pollDelay(Duration.ofMillis(1500)).until(() -> true);
		assertThat(status(one, job).state()).isEqualTo(State.RUNNING);
		slow.freed.countDown();
		awaitState(one, job, State.DONE);
		assertThat(other.done).isEmpty();
		assertThat(status(one, job).attempts()).isEqualTo(1);
	}

	@Test
	void whatADeadInstanceHadRunsAgainInItsPlace() {
		QueueInstance dead = start().listen(new Mailer());
		EnqueuedJob job = dead.jobQueue().enqueue("mail", new Mail("slow once", 1), JobOptions.defaults().priority(7));
		awaitState(dead, job, State.RUNNING);
		dead.jobQueue().enqueue("mail", new Mail("a", 2), JobOptions.defaults().priority(6));
		dead.jobQueue().enqueue("mail", new Mail("a", 3), JobOptions.defaults().priority(8));
		dead.crash();
		QueueInstance watching = start();
		// Nobody looks before the lease is over, so that the order shows
		await().pollDelay(Duration.ofMillis(700)).until(() -> true);
		Mailer mailer = new Mailer();
		watching.listen(mailer);
		await().until(() -> mailer.done.size() == 3);
		assertThat(mailer.numbers()).containsExactly(3, 1, 2);
		assertThat(status(watching, job).attempts()).isEqualTo(2);
	}

	@Test
	void whatKillsEachInstanceBecomesADeadLetter() {
		QueueInstance watching = start();
		EnqueuedJob job = watching.jobQueue().enqueue("mail", new Mail("slow", 1));
		for (int i = 0; i < 3; i++) {
			Mailer killed = new Mailer();
			QueueInstance dying = start().listen(killed);
			await().until(() -> killed.attempts.size() == 1);
			dying.crash();
			await().pollDelay(Duration.ofMillis(700)).until(() -> true);
		}
		watching.listen(new Mailer());
		awaitState(watching, job, State.FAILED);
		assertThat(status(watching, job).problem()).isEqualTo("lease-expired");
		assertThat(status(watching, job).attempts()).isEqualTo(3);
		assertThat(watching.events(Outcome.DEAD)).isEqualTo(1);
	}

	@Test
	void theSameKeyIsTheSameJob() {
		QueueInstance instance = start();
		JobOptions options = JobOptions.defaults().key("order 42");
		EnqueuedJob job = instance.jobQueue().enqueue("mail", new Mail("a", 1), options);
		assertThat(instance.jobQueue().enqueue("mail", new Mail("a", 2), options))
			.isEqualTo(new EnqueuedJob(job.id(), true));
		instance.listen(new Mailer());
		awaitState(instance, job, State.DONE);
		assertThat(instance.jobQueue().enqueue("mail", new Mail("a", 3), options).duplicate()).isTrue();
		assertThat(instance.events(Outcome.DUPLICATE)).isEqualTo(2);
	}

	@Test
	void theSameKeyIsANewJobAfterTheWindowAndTheFirstOneKeepsItsResult() {
		QueueInstance instance = start("mail.dedup-window", "0s");
		instance.listen(new Mailer());
		JobOptions options = JobOptions.defaults().key("order 42");
		EnqueuedJob first = instance.jobQueue().enqueue("mail", new Mail("a", 1), options);
		awaitState(instance, first, State.DONE);
		EnqueuedJob second = instance.jobQueue()
			.enqueue("mail", new Mail("a", 2), options.delay(Duration.ofMinutes(1)));
		assertThat(second.duplicate()).isFalse();
		assertThat(instance.jobQueue().cancel("mail", first.id())).isEqualTo(State.UNKNOWN);
		assertThat(status(instance, second).state()).isEqualTo(State.QUEUED);
		assertThat(instance.jobQueue().enqueue("mail", new Mail("a", 3), options))
			.isEqualTo(new EnqueuedJob(second.id(), true));
		assertThat(instance.jobQueue().cancel("mail", second.id())).isEqualTo(State.CANCELLED);
		assertThat(String.valueOf(status(instance, first).result())).isEqualTo("{\"to\":\"a\",\"number\":2}");
	}

	@Test
	void theKeyOfADeadJobIsFreeAndDeadLettersAreBounded() {
		QueueInstance instance = start("mail.dead-letter.max-length", "2");
		instance.listen(new Mailer());
		JobOptions options = JobOptions.defaults().key("order 42");
		for (int i = 0; i < 3; i++) {
			EnqueuedJob job = instance.jobQueue().enqueue("mail", new Mail("never", i), options);
			assertThat(job.duplicate()).isFalse();
			awaitState(instance, job, State.FAILED);
		}
		assertThat(instance.pattern().view("mail").deadLetters()).isEqualTo(2);
	}

	@Test
	void replaysADeadLetterOnceAsANewJobOfItsKey() {
		QueueInstance instance = start().listen(new Mailer());
		JobOptions options = JobOptions.defaults().key("order 42").priority(7);
		EnqueuedJob job = instance.jobQueue().enqueue("mail", new Mail("never", 1), options);
		awaitState(instance, job, State.FAILED);
		DeadJob letter = instance.pattern().deadLetters("mail", 10).get(0);
		assertThat(letter).isEqualTo(new DeadJob(letter.id(), job.id(), 1, 7, "rejected", letter.problem()));
		assertThat(letter.problem()).contains("never");
		EnqueuedJob again = instance.pattern().replay("mail", letter.id());
		assertThat(again.id()).isNotEqualTo(job.id());
		assertThat(instance.pattern().replay("mail", letter.id())).isNull();
		awaitState(instance, again, State.FAILED);
		DeadJob next = instance.pattern().deadLetters("mail", 10).get(0);
		assertThat(next.job()).isEqualTo(again.id());
		assertThat(instance.pattern().deleteDeadLetter("mail", next.id())).isTrue();
		assertThat(instance.pattern().deleteDeadLetter("mail", next.id())).isFalse();
		assertThat(instance.pattern().deadLetters("mail", 10)).isEmpty();
	}

	@Test
	void aDeadLetterWhoseKeyAnotherJobHoldsStays() {
		QueueInstance instance = start();
		instance.listen(new Mailer());
		JobOptions options = JobOptions.defaults().key("order 42");
		EnqueuedJob job = instance.jobQueue().enqueue("mail", new Mail("never", 1), options);
		awaitState(instance, job, State.FAILED);
		EnqueuedJob later = instance.jobQueue().enqueue("mail", new Mail("b", 2), options.delay(Duration.ofHours(1)));
		String letter = instance.pattern().deadLetters("mail", 10).get(0).id();
		assertThat(instance.pattern().replay("mail", letter)).isEqualTo(new EnqueuedJob(later.id(), true));
		assertThat(instance.pattern().deadLetters("mail", 10)).hasSize(1);
	}

	@Test
	void cancelsWhatWaits() {
		QueueInstance instance = start();
		EnqueuedJob job = instance.jobQueue().enqueue("mail", new Mail("a", 1));
		assertThat(instance.jobQueue().cancel("mail", job.id())).isEqualTo(State.CANCELLED);
		assertThat(instance.jobQueue().cancel("mail", job.id())).isEqualTo(State.CANCELLED);
		assertThat(instance.jobQueue().cancel("mail", "other")).isEqualTo(State.UNKNOWN);
		assertThat(status(instance, job).state()).isEqualTo(State.CANCELLED);
		Mailer mailer = new Mailer();
		instance.listen(mailer);
		awaitState(instance, instance.jobQueue().enqueue("mail", new Mail("a", 2)), State.DONE);
		assertThat(mailer.numbers()).containsExactly(2);
	}

	@Test
	void cancelsWhatRunsIfAskedTo() {
		QueueInstance instance = start();
		Mailer mailer = new Mailer();
		instance.listen(mailer);
		EnqueuedJob job = instance.jobQueue().enqueue("mail", new Mail("slow", 1));
		await().until(() -> mailer.acknowledgment != null);
		assertThat(instance.jobQueue().cancel("mail", job.id())).isEqualTo(State.RUNNING);
		assertThat(instance.jobQueue().cancelAsync("mail", job.id(), true).join()).isEqualTo(State.CANCELLED);
		await().until(() -> !mailer.acknowledgment.isLeased());
		mailer.freed.countDown();
		await().until(() -> instance.events(Outcome.LOST_LEASE) == 1);
		assertThat(status(instance, job).state()).isEqualTo(State.CANCELLED);
		assertThat(instance.events(Outcome.DONE)).isZero();
	}

	@Test
	void refusesMoreThanTheQueueHolds() {
		QueueInstance instance = start("mail.max-length", "2");
		instance.jobQueue().enqueue("mail", new Mail("a", 1));
		instance.jobQueue().enqueue("mail", new Mail("a", 2));
		assertThatExceptionOfType(QueueFullException.class)
			.isThrownBy(() -> instance.jobQueue().enqueue("mail", new Mail("a", 3)))
			.withMessageContaining("ge.redis.queue.queues.mail.max-length");
		assertThat(instance.events(Outcome.FULL)).isEqualTo(1);
	}

	@Test
	void keepsAsManyResultsAndKeysAsJobs() throws Exception {
		QueueInstance instance = start("mail.max-length", "3");
		instance.listen(new Mailer());
		List<EnqueuedJob> jobs = new ArrayList<>();
		for (int i = 0; i < 5; i++) {
			JobOptions options = JobOptions.defaults().key("order " + i);
			jobs.add(instance.jobQueue().enqueue("mail", new Mail("a", i), options));
			awaitState(instance, jobs.get(i), State.DONE);
		}
		assertThat(jobs).extracting((job) -> status(instance, job).state())
			.containsExactly(State.UNKNOWN, State.UNKNOWN, State.DONE, State.DONE, State.DONE);
		Long keys = onRedis((template) -> template.opsForHash().size("ge:queue:{mail}:keys"));
		assertThat(keys).isEqualTo(3);
		Long seconds = onRedis((template) -> template.getExpire("ge:queue:{mail}:keys"));
		assertThat(seconds).isPositive();
		// Results stay known as long as there are jobs
		instance.jobQueue().enqueue("mail", new Mail("later", 1), JobOptions.defaults().delay(Duration.ofHours(1)));
		awaitState(instance, instance.jobQueue().enqueue("mail", new Mail("a", 6)), State.DONE);
		Long ended = onRedis((template) -> template.getExpire("ge:queue:{mail}:ended"));
		assertThat(ended).isEqualTo(-1);
	}

	@Test
	void findsAJobWhosePlaceWasLost() throws Exception {
		QueueInstance instance = start();
		EnqueuedJob job = instance.jobQueue().enqueue("mail", new Mail("a", 1));
		Boolean lost = onRedis((template) -> template.delete("ge:queue:{mail}:ready:5"));
		assertThat(lost).isTrue();
		instance.listen(new Mailer());
		awaitState(instance, job, State.DONE);
	}

	private <R> R onRedis(Function<StringRedisTemplate, R> action) throws Exception {
		RedisConnectionFactory factory = this.redis.connectionFactory();
		R answer = action.apply(new StringRedisTemplate(factory));
		((DisposableBean) factory).destroy();
		return answer;
	}

	@Test
	void costsOneScriptForEachCallAndFewAtLoad() {
		QueueInstance instance = start("mail.concurrency", "20");
		int jobs = 500;
		IntStream.range(0, jobs)
			.mapToObj((i) -> instance.jobQueue().enqueueAsync("mail", new Mail("a", i), JobOptions.defaults()))
			.toList()
			.forEach(CompletableFuture::join);
		assertThat(instance.scripts("enqueue")).isEqualTo(jobs);
		Mailer mailer = new Mailer();
		instance.listen(mailer);
		await().until(() -> instance.pattern().view("mail").jobs() == 0);
		assertThat(mailer.done).hasSize(jobs);
		assertThat(instance.scripts("take")).isLessThan(jobs / 2);
		assertThat(instance.scripts("settle")).isLessThan(jobs / 10);
	}

	record Mail(String to, int number) {
	}

	/**
	 * A listener that does what the job says.
	 */
	static class Mailer {

		final List<Job<Mail>> done = new CopyOnWriteArrayList<>();

		final List<Integer> attempts = new CopyOnWriteArrayList<>();

		final CountDownLatch freed = new CountDownLatch(1);

		volatile Acknowledgment acknowledgment;

		@RedisJob(queue = "mail")
		Mail send(Job<Mail> job, @DeliveryAttempt int attempt, Acknowledgment acknowledgment)
				throws InterruptedException {
			this.acknowledgment = acknowledgment;
			this.attempts.add(attempt);
			switch (job.payload().to()) {
				case "fails" -> throw new IllegalStateException("fails");
				case "unwritable" -> throw new UnwritableException();
				case "fails once" -> {
					if (attempt == 1) {
						throw new IllegalStateException("fails");
					}
				}
				case "never" -> throw new NotRetryableException("never", null);
				case "slow" -> this.freed.await();
				case "slow once" -> {
					if (attempt == 1) {
						this.freed.await();
					}
				}
				default -> {
					// sent at once
				}
			}
			this.done.add(job);
			return new Mail(job.payload().to(), job.payload().number() + 1);
		}

		List<Integer> numbers() {
			return this.done.stream().map((job) -> job.payload().number()).toList();
		}

	}

}
