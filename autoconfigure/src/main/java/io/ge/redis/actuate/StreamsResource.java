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
		return request.onLetter((id) -> this.letters.get().replay(stream, id),
				(id) -> this.letters.get().delete(stream, id));
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
		if (!request.isLetters()) {
			throw GuardRequestException.notFound("The path leads nowhere.",
					"Add " + GuardRequest.LETTERS + " to the name of the stream.");
		}
	}

}
