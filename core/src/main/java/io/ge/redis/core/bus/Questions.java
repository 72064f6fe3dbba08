// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.bus;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;

import io.ge.redis.core.connection.GuardConnection;

/**
 * Questions to all instances: one message to all, and one from each to the instance that
 * asked. Every instance answers, also without content, so that the caller need not wait
 * for it. Answers are created on a thread of the scheduler, never on the driver's.
 */
final class Questions {

	/** Followed by number, asking instance, topic and text. */
	static final String QUESTION = "bus.ask";

	/** Followed by number, answering instance and text. */
	static final String ANSWER = "bus.answer";

	static final Duration LONGEST = Duration.ofMillis(500);

	private final GuardConnection connection;

	private final ScheduledExecutorService scheduler;

	private final String instance;

	/** With the id of an instance the channel of that instance. */
	private final String channels;

	private final byte[] notificationChannel;

	private final UnreadableMessages unreadable;

	private final Map<String, UnaryOperator<String>> answerers = new ConcurrentHashMap<>();

	private final Map<Long, Question> underWay = new ConcurrentHashMap<>();

	private final AtomicLong numbers = new AtomicLong();

	Questions(GuardConnection connection, ScheduledExecutorService scheduler, String instance, String channels,
			String notificationChannel, UnreadableMessages unreadable) {
		this.connection = connection;
		this.scheduler = scheduler;
		this.instance = instance;
		this.channels = channels;
		this.notificationChannel = notificationChannel.getBytes(StandardCharsets.UTF_8);
		this.unreadable = unreadable;
	}

	void answer(String topic, UnaryOperator<String> answerer) {
		this.answerers.put(topic, answerer);
	}

	private String answerTo(String topic, String text) {
		return this.answerers.getOrDefault(topic, (nothing) -> "").apply(text);
	}

	CompletableFuture<Answers> ask(String topic, String text, Set<String> known, boolean listening) {
		long number = this.numbers.incrementAndGet();
		Question question = new Question(known, !this.connection.isClustered());
		question.ownAnswer(this.instance, answerTo(topic, text));
		if (!listening) {
			question.end();
			return question.result;
		}
		this.underWay.put(number, question);
		question.result.whenComplete((answers, failure) -> this.underWay.remove(number));
		endInTime(question);
		String message = QUESTION + ' ' + number + ' ' + this.instance + ' ' + topic + ' ' + text;
		this.connection.publish(this.notificationChannel, message.getBytes(StandardCharsets.UTF_8))
			.whenComplete((receivers, failure) -> {
				if (failure != null) {
					question.end();
				}
				else {
					question.sentTo(receivers);
				}
			});
		return question.result;
	}

	private void endInTime(Question question) {
		try {
			this.scheduler.schedule(question::end, LONGEST.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (RejectedExecutionException ex) {
			question.end(); // shutting down
		}
	}

	void asked(String message) {
		String[] words = message.split(" ", 4);
		try {
			this.scheduler.execute(() -> reply(words[0], words[1], words[2], words[3]));
		}
		catch (RejectedExecutionException ex) {
			// shutting down
		}
	}

	private void reply(String number, String asking, String topic, String text) {
		try {
			String answer = ANSWER + ' ' + number + ' ' + this.instance + ' ' + answerTo(topic, text);
			this.connection.publish((this.channels + asking).getBytes(StandardCharsets.UTF_8),
					answer.getBytes(StandardCharsets.UTF_8));
		}
		catch (RuntimeException ex) {
			this.unreadable.add(QUESTION + ' ' + number + ' ' + asking + ' ' + topic + ' ' + text, ex);
		}
	}

	void answered(String message) {
		String[] words = message.split(" ", 3);
		Question question = this.underWay.get(Long.valueOf(words[0]));
		if (question != null) {
			question.answer(words[1], words[2]);
		}
	}

	/**
	 * The answers of all instances to a question.
	 *
	 * @param texts the answers by the id of the instance, including the asking one
	 * @param silent the instances that are known and have not answered in time
	 */
	record Answers(Map<String, String> texts, Set<String> silent) {
	}

	/**
	 * A question under way. It is over when as many have answered as the server has
	 * reported. Where a server knows only its own listeners, all known instances must
	 * answer.
	 */
	private static final class Question {

		private final Set<String> known;

		private final boolean counted;

		private final Map<String, String> texts = new ConcurrentHashMap<>();

		private final AtomicInteger answered = new AtomicInteger();

		private volatile int receivers = Integer.MAX_VALUE;

		private final CompletableFuture<Answers> result = new CompletableFuture<>();

		Question(Set<String> known, boolean counted) {
			this.known = known;
			this.counted = counted;
		}

		void ownAnswer(String instance, String text) {
			this.texts.put(instance, text);
			endIfAnswered();
		}

		/**
		 * Takes a message with the answer of an instance.
		 * @param text the answer, empty if it has none: another bus of that instance may
		 * have one
		 */
		void answer(String instance, String text) {
			this.texts.merge(instance, text, (former, other) -> other.isEmpty() ? former : other);
			this.answered.incrementAndGet();
			endIfAnswered();
		}

		void sentTo(int receivers) {
			this.receivers = receivers;
			endIfAnswered();
		}

		private void endIfAnswered() {
			boolean all = this.counted ? this.answered.get() >= this.receivers
					: this.texts.keySet().containsAll(this.known);
			if (all) {
				end();
			}
		}

		void end() {
			Map<String, String> given = new TreeMap<>(this.texts);
			Set<String> silent = new TreeSet<>(this.known);
			silent.removeAll(given.keySet());
			this.result.complete(new Answers(given, silent));
		}

	}

}
