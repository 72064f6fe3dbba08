// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.scenario;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.ge.redis.NotRetryableException;
import io.ge.redis.autoconfigure.ConsumerAutoConfiguration;
import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.autoconfigure.StreamAutoConfiguration;
import io.ge.redis.stream.Published;
import io.ge.redis.stream.RedisStreamListener;
import io.ge.redis.stream.StreamEnvelope;
import io.ge.redis.stream.StreamMessage;
import io.ge.redis.stream.StreamPublisher;
import io.ge.redis.test.instance.Operation;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.context.annotation.Bean;

/**
 * Numbers that are worked on. Its operation {@code publish} is what
 * {@link StreamScenario} asks for; with {@code scenario.works} an instance works on them
 * and writes into a journal where each begins and ends. A negative number ends the
 * process of who works on it. Of the others some fail at first, and some always.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, JacksonAutoConfiguration.class,
		GeRedisAutoConfiguration.class, ConsumerAutoConfiguration.class, StreamAutoConfiguration.class })
public class StreamApplication {

	static final String STREAM = "numbers";

	static final int STATUS = 137;

	@Bean
	@ConditionalOnProperty("scenario.works")
	Worker worker(@Value("${scenario.journal}") Path journal) throws IOException {
		return new Worker(new FileOutputStream(
				journal.resolve(ProcessHandle.current().pid() + "-" + System.nanoTime()).toFile(), true));
	}

	@Bean
	Operation publish(StreamPublisher publisher) {
		return (arguments) -> {
			List<StreamMessage> messages = new ArrayList<>();
			long to = Long.parseLong(arguments[1]);
			for (long number = Long.parseLong(arguments[0]); number < to; number++) {
				messages.add(StreamMessage.of(number).triggerId("t" + number));
			}
			List<Published> published = publisher.publishAll(STREAM, Map.of(), messages);
			return String.valueOf(published.stream().filter((each) -> !each.messageId().isEmpty()).count());
		};
	}

	/**
	 * Works on numbers.
	 */
	public static class Worker {

		private final OutputStream journal;

		Worker(OutputStream journal) {
			this.journal = journal;
		}

		@RedisStreamListener(stream = STREAM)
		public void work(StreamEnvelope<Long> envelope) throws Exception {
			long number = envelope.payload();
			write("begin", number);
			if (number < 0) {
				Runtime.getRuntime().halt(STATUS);
			}
			if (number % 50 == 3) {
				throw new NotRetryableException("never", null);
			}
			if (number % 50 == 1 && envelope.attempt() == 1) {
				throw new IllegalStateException("not yet");
			}
			TimeUnit.MILLISECONDS.sleep(number % 7);
			done(number);
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
