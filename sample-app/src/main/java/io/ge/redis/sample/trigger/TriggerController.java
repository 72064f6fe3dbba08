// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.trigger;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.ge.redis.stream.DeadLetter;
import io.ge.redis.stream.DeadLetters;
import io.ge.redis.stream.Published;
import io.ge.redis.stream.StreamMessage;
import io.ge.redis.stream.StreamPublisher;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * Triggers agents, and shows what became of it.
 */
@RestController
class TriggerController {

	private static final int MOST_LETTERS = 1000;

	private final StreamPublisher publisher;

	private final DeadLetters deadLetters;

	private final CompletedWork completed;

	TriggerController(StreamPublisher publisher, DeadLetters deadLetters, CompletedWork completed) {
		this.publisher = publisher;
		this.deadLetters = deadLetters;
		this.completed = completed;
	}

	/**
	 * Which agents there are, and all bounds, stand in {@code application.yml}. An
	 * unknown agent is a 404, a chain of triggers that is too deep a 422, and a full
	 * stream a 503 with the time to wait: all of them come from exceptions of the
	 * publisher.
	 */
	@PostMapping("/api/triggers/{team}/{agent}")
	@ResponseStatus(HttpStatus.ACCEPTED)
	Accepted trigger(@PathVariable String team, @PathVariable String agent, @RequestBody Request request,
			@RequestHeader(name = "X-Hook-Depth", defaultValue = "0") int depth) {
		if (depth < 0) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "X-Hook-Depth must be at least 0");
		}
		Published published = this.publisher.publish(Trigger.STREAM, Map.of("team", team, "agent", agent),
				StreamMessage.of(new Trigger(team, agent))
					.workItem(request.workItem())
					.context(context(request.context()))
					.triggeredBy(request.triggeredBy(), request.reason())
					.depth(depth));
		return new Accepted(published.triggerId(), published.messageId(), published.isDuplicate());
	}

	/** Any JSON is a context; what is not an object has the name {@code value}. */
	private static Map<String, Object> context(@Nullable Object json) {
		Map<String, Object> context = new LinkedHashMap<>();
		if (json instanceof Map<?, ?> members) {
			members.forEach((name, value) -> context.put(String.valueOf(name), value));
		}
		else if (json != null) {
			context.put("value", json);
		}
		return context;
	}

	@GetMapping("/api/work/completed")
	List<CompletedWork.Item> completed(@RequestParam(required = false) @Nullable String agent) {
		return this.completed.list(agent);
	}

	@GetMapping("/api/triggers/dead-letters")
	List<DeadTrigger> deadLetters() {
		return this.deadLetters.list(Trigger.STREAM, MOST_LETTERS).stream().map(DeadTrigger::of).toList();
	}

	/**
	 * Delivers a trigger again that was given up, once however often it is called.
	 */
	@PostMapping("/api/triggers/dead-letters/{messageId}/replay")
	@ResponseStatus(HttpStatus.ACCEPTED)
	void replay(@PathVariable String messageId) {
		boolean replayed = this.deadLetters.list(Trigger.STREAM, MOST_LETTERS)
			.stream()
			.filter((letter) -> letter.messageId().equals(messageId))
			.findFirst()
			.map((letter) -> this.deadLetters.replay(Trigger.STREAM, letter.id()))
			.orElse(false);
		if (!replayed) {
			throw new ResponseStatusException(HttpStatus.NOT_FOUND, "There is no such dead letter");
		}
	}

	/**
	 * A request.
	 *
	 * @param workItem what the work is about
	 * @param context what the agent needs to know, with the project
	 * @param triggeredBy who asks
	 * @param reason why
	 */
	record Request(String workItem, @Nullable Object context, @Nullable String triggeredBy, @Nullable String reason) {

		Request {
			requireId(workItem);
		}

		private static void requireId(@Nullable String id) {
			if (id == null || id.isBlank()) {
				throw new IllegalArgumentException("A workItem is needed");
			}
		}

	}

	record Accepted(String triggerId, String messageId, boolean duplicate) {

	}

	/**
	 * A trigger that was given up.
	 *
	 * @param messageId by which it can be delivered again
	 * @param workItem what the work was about
	 * @param agent the agent
	 * @param deliveries how often it was delivered
	 * @param reason the last failure, or why there is none
	 */
	record DeadTrigger(String messageId, @Nullable String workItem, String agent, int deliveries, String reason) {

		static DeadTrigger of(DeadLetter letter) {
			String agent = letter.key().substring(letter.key().lastIndexOf('.') + 1);
			return new DeadTrigger(letter.messageId(), letter.workItem(), agent, letter.deliveries(),
					(letter.failure() != null) ? letter.failure() : letter.reason());
		}

	}

}
