// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.scenario;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.ge.redis.NotRetryableException;
import io.ge.redis.autoconfigure.ConsumerAutoConfiguration;
import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.autoconfigure.QueueAutoConfiguration;
import io.ge.redis.queue.JobOptions;
import io.ge.redis.queue.JobQueue;
import io.ge.redis.queue.RedisJob;
import io.ge.redis.test.instance.Operation;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.context.annotation.Bean;

/**
 * Numbers as jobs. Its operation {@code enqueue} is what {@link JobScenario} asks for;
 * with {@code scenario.works} an instance does them and writes into a journal where each
 * begins and ends. A negative number ends the process of who does it.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, JacksonAutoConfiguration.class,
		GeRedisAutoConfiguration.class, ConsumerAutoConfiguration.class, QueueAutoConfiguration.class })
public class JobApplication {

	static final String QUEUE = "numbers";

	static final int STATUS = 137;

	@Bean
	@ConditionalOnProperty("scenario.works")
	Doer doer(@Value("${scenario.journal}") Path journal) throws IOException {
		return new Doer(new FileOutputStream(
				journal.resolve(ProcessHandle.current().pid() + "-" + System.nanoTime()).toFile(), true));
	}

	@Bean
	Operation enqueue(JobQueue jobs) {
		return (arguments) -> {
			List<CompletableFuture<?>> enqueued = new ArrayList<>();
			long to = Long.parseLong(arguments[1]);
			for (long number = Long.parseLong(arguments[0]); number < to; number++) {
				JobOptions options = JobOptions.defaults().key("n" + number).priority(priority(number));
				enqueued.add(jobs.enqueueAsync(QUEUE, number, options));
			}
			enqueued.forEach(CompletableFuture::join);
			return String.valueOf(enqueued.size());
		};
	}

	static int priority(long number) {
		return (int) Math.abs(number % 10);
	}

	/**
	 * Does jobs.
	 */
	public static class Doer {

		private final OutputStream journal;

		Doer(OutputStream journal) {
			this.journal = journal;
		}

		@RedisJob(queue = QUEUE)
		public long work(long number) throws Exception {
			write("begin", number);
			if (number < 0) {
				Runtime.getRuntime().halt(STATUS);
			}
			if (JobScenario.isHopeless(number)) {
				throw new NotRetryableException("never", null);
			}
			TimeUnit.MILLISECONDS.sleep(number % 7);
			done(number);
			return number;
		}

		void done(long number) throws IOException {
			write("end", number);
		}

		// One write of the system, which survives the process
		private void write(String what, long number) throws IOException {
			this.journal.write((what + " " + number + "\n").getBytes(StandardCharsets.UTF_8));
		}

	}

}
