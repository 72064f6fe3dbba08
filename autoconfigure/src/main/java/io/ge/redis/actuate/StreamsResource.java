// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.ge.redis.core.endpoint.GuardRequest;
import io.ge.redis.core.endpoint.GuardRequestException;
import io.ge.redis.core.endpoint.GuardResource;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.queue.QueueFullException;
import io.ge.redis.stream.DeadLetter;
import io.ge.redis.stream.DeadLetters;
import io.ge.redis.stream.StreamFullException;
import io.ge.redis.stream.StreamView;
import io.ge.redis.stream.StreamViews;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;

/**
 * {@code /actuator/geredis/stream} lists the defined streams with their groups, lag and
 * ages, and each stream of a family. {@code /actuator/geredis/stream/<name>} shows one of
 * them. {@code
 * /actuator/geredis/stream/<name>/dead-letters} lists its dead letters, newest first,
 * {@code limit} of them, 100 by default. A write there with an {@code id} and the action
 * {@code replay} or {@code delete} publishes a dead letter again or removes it.
 */
@RegisterReflectionForBinding({ StreamView.class, StreamView.GroupView.class, DeadLetter.class })
class StreamsResource extends GuardResource {

	private static final String LETTERS = "dead-letters";

	private static final String LIMIT = "limit";

	private static final long USUAL_LIMIT = 100;

	private static final long LARGEST_LIMIT = 10_000;

	private final Supplier<StreamViews> views;

	private final Supplier<DeadLetters> letters;

	public StreamsResource(Supplier<StreamViews> views, Supplier<DeadLetters> letters) {
		super("stream", "streams");
		this.views = views;
		this.letters = letters;
	}

	@Override
	public Object read(GuardRequest request) {
		StreamViews views = this.views.get();
		if (request.path().isEmpty()) {
			request.allowOnly();
			List<CompletableFuture<StreamView>> asked = views.names().stream().map(views::viewAsync).toList();
			List<StreamView> all = new ArrayList<>();
			asked.forEach((view) -> all.add(Waiting.await(view)));
			return Map.of("streams", all);
		}
		String stream = stream(request);
		if (request.path().size() == 1) {
			request.allowOnly();
			return views.view(stream);
		}
		requireLetters(request, "stream");
		request.allowOnly(LIMIT);
		Long limit = request.number(LIMIT);
		if (limit != null && (limit < 1 || limit > LARGEST_LIMIT)) {
			throw GuardRequestException.invalid(LIMIT, "limit is " + limit + ".",
					"Set it to a number from 1 to " + LARGEST_LIMIT + ".");
		}
		return Map.of("deadLetters",
				this.letters.get().list(stream, (int) ((limit != null) ? limit.longValue() : USUAL_LIMIT)));
	}

	@Override
	public Object write(GuardRequest request) {
		String stream = stream(request);
		return onLetter(request, "stream", (id) -> this.letters.get().replay(stream, id),
				(id) -> this.letters.get().delete(stream, id));
	}

	private String stream(GuardRequest request) {
		List<String> known = this.views.get().names();
		String stream = request.path().isEmpty() ? "" : request.path().get(0);
		if (!known.contains(stream)) {
			throw GuardRequestException.unknown(
					stream.isEmpty() ? "The path names no stream." : "There is no stream '" + stream + "'.", known);
		}
		return stream;
	}

	static boolean isLetters(GuardRequest request) {
		return request.path().size() == 2 && request.path().get(1).equals(LETTERS);
	}

	private static void requireLetters(GuardRequest request, String source) {
		if (!isLetters(request)) {
			throw GuardRequestException.notFound("The path leads nowhere.",
					"Add " + LETTERS + " to the name of the " + source + ".");
		}
	}

	/**
	 * Replays or deletes the dead letter with the given {@code id}, depending on
	 * {@code action}.
	 */
	static Object onLetter(GuardRequest request, String source, Predicate<String> replay, Predicate<String> delete) {
		requireLetters(request, source);
		request.allowOnly("action", "id");
		String id = request.required("id", "Add the id of a dead letter, as the list has it.");
		String action = String.valueOf(request.text("action"));
		try {
			return switch (action) {
				case "replay" -> Map.of("id", id, "action", action, "done", replay.test(id));
				case "delete" -> Map.of("id", id, "action", action, "done", delete.test(id));
				default -> throw GuardRequestException.invalid("action", "action is '" + action + "'.",
						"Set it to replay or delete.");
			};
		}
		catch (StreamFullException | QueueFullException ex) {
			throw GuardRequestException.invalid("id", String.valueOf(ex.getMessage()) + ".",
					"Replay it when there is room.");
		}
	}

}
