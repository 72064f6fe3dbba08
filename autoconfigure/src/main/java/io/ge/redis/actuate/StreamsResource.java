// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.ge.redis.core.outage.Waiting;
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

	private static final String ACTION = "action";

	private static final String ID = "id";

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
			request.allowOnly(Set.of());
			List<CompletableFuture<StreamView>> asked = views.names().stream().map(views::viewAsync).toList();
			List<StreamView> all = new ArrayList<>();
			asked.forEach((view) -> all.add(Waiting.await(view)));
			return Map.of("streams", all);
		}
		String stream = stream(request);
		if (request.path().size() == 1) {
			request.allowOnly(Set.of());
			return views.view(stream);
		}
		requireLetters(request);
		request.allowOnly(Set.of(LIMIT));
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
		requireLetters(request);
		request.allowOnly(Set.of(ACTION, ID));
		String action = String.valueOf(request.text(ACTION));
		String id = request.text(ID);
		if (id == null) {
			throw GuardRequestException.invalid(ID, "id is missing.",
					"Add the id of a dead letter, as the list has it.");
		}
		return switch (action) {
			case "replay" -> Map.of(ID, id, ACTION, action, "done", replay(stream, id));
			case "delete" -> Map.of(ID, id, ACTION, action, "done", this.letters.get().delete(stream, id));
			default -> throw GuardRequestException.invalid(ACTION, "action is '" + action + "'.",
					"Set it to replay or delete.");
		};
	}

	private boolean replay(String stream, String id) {
		try {
			return this.letters.get().replay(stream, id);
		}
		catch (StreamFullException ex) {
			throw GuardRequestException.invalid(ID, String.valueOf(ex.getMessage()) + ".",
					"Replay it when there is room.");
		}
	}

	private String stream(GuardRequest request) {
		List<String> known = this.views.get().names();
		String stream = request.path().isEmpty() ? "" : request.path().get(0);
		if (!known.contains(stream)) {
			throw GuardRequestException.notFound(
					stream.isEmpty() ? "The path names no stream." : "There is no stream '" + stream + "'.",
					"There is: " + String.join(", ", known) + ".");
		}
		return stream;
	}

	private static void requireLetters(GuardRequest request) {
		if (request.path().size() != 2 || !request.path().get(1).equals(LETTERS)) {
			throw GuardRequestException.notFound("The path names no resource.",
					"Add " + LETTERS + " to the name of the stream.");
		}
	}

}
