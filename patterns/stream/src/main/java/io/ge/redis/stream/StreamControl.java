// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.stream;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.function.ToDoubleBiFunction;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

import io.ge.redis.core.event.EventGauge;
import io.ge.redis.core.event.EventMeter;
import io.ge.redis.stream.StreamView.GroupView;
import org.jspecify.annotations.Nullable;

/**
 * The views of streams, also for meters and health.
 */
final class StreamControl implements StreamViews {

	private static final long FRESH_NANOS = Duration.ofSeconds(5).toNanos();

	private static final Duration LATELY = Duration.ofHours(1);

	private final RedisStreams redis;

	private final Map<String, StreamView> seen = new ConcurrentHashMap<>();

	private final AtomicLong lookedAt = new AtomicLong(System.nanoTime() - FRESH_NANOS);

	StreamControl(RedisStreams redis) {
		this.redis = redis;
	}

	@Override
	public List<String> names() {
		return this.redis.definitions().stream().map(StreamDefinition::name).toList();
	}

	@Override
	public CompletableFuture<StreamView> viewAsync(String name) {
		StreamDefinition definition = this.redis.definition(name);
		return this.redis.view(definition).thenApply((figures) -> {
			List<StreamView> members = IntStream.range(0, (figures.size() > 1) ? figures.size() : 0)
				.mapToObj((i) -> view(definition, definition.streams().get(i).stream(), List.of(figures.get(i)),
						List.of()))
				.toList();
			StreamView view = view(definition, name, figures, members);
			this.seen.put(name, view);
			return view;
		});
	}

	static StreamView view(StreamDefinition definition, String name, List<long[]> figures, List<StreamView> members) {
		List<GroupView> groups = new ArrayList<>();
		for (String group : definition.properties().groups().keySet()) {
			int at = 4 + 5 * groups.size();
			groups.add(new GroupView(group, most(figures, at), sum(figures, at + 1), sum(figures, at + 2),
					figures.stream().noneMatch((each) -> each[at + 2] < 0), age(most(figures, at + 3)),
					age(most(figures, at + 4))));
		}
		long last = figures.stream().mapToLong((each) -> each[2]).filter((age) -> age >= 0).min().orElse(-1);
		return new StreamView(name, figures.size(), sum(figures, 0), (long) definition.maxLength() * figures.size(),
				sum(figures, 3), sum(figures, 1), age(last), groups, members);
	}

	private static long sum(List<long[]> figures, int at) {
		return figures.stream().mapToLong((each) -> Math.max(0, each[at])).sum();
	}

	private static long most(List<long[]> figures, int at) {
		return figures.stream().mapToLong((each) -> each[at]).max().orElse(-1);
	}

	private static @Nullable Duration age(long millis) {
		return (millis >= 0) ? Duration.ofMillis(millis) : null;
	}

	// Looks again in the background if the last look was long ago
	private @Nullable StreamView lastSeen(String name) {
		long last = this.lookedAt.get();
		long now = System.nanoTime();
		if (now - last >= FRESH_NANOS && this.lookedAt.compareAndSet(last, now)) {
			names().forEach(this::viewAsync);
		}
		return this.seen.get(name);
	}

	/**
	 * Returns what health has to say: streams that are full, and dead letters of the last
	 * hour.
	 */
	@Nullable String problem() {
		List<String> problems = new ArrayList<>();
		for (String name : names()) {
			StreamView view = lastSeen(name);
			if (view == null) {
				continue;
			}
			if (view.full() > 0) {
				problems.add("Stream '" + name + "' is full: look at why its listeners are slow");
			}
			Duration last = view.lastDeadLetter();
			if (last != null && last.compareTo(LATELY) < 0) {
				problems.add("Stream '" + name + "' has new dead letters, " + view.deadLetters() + " in all");
			}
		}
		return problems.isEmpty() ? null : String.join(". ", problems);
	}

	static List<EventGauge> gauges(Supplier<StreamControl> control) {
		return List.of(stream(control, "length", "Entries of the streams", StreamView::length),
				stream(control, "length.limit", "Entries that the streams may have", StreamView::lengthLimit),
				stream(control, "dead.letters", "Dead letters", StreamView::deadLetters),
				group(control, "lag", "Unread messages", GroupView::lag),
				group(control, "lag.known", "Whether the server knows the number of unread messages",
						(group) -> group.lagKnown() ? 1 : 0),
				group(control, "pending", "Messages that are delivered and not acknowledged", GroupView::pending),
				group(control, "consumers", "Instances that consume", GroupView::consumers),
				group(control, "oldest.unread.age", "Age of the oldest unread message in seconds",
						(group) -> seconds(group.oldestUnread())),
				group(control, "oldest.pending.age", "Age of the oldest message that is not acknowledged in seconds",
						(group) -> seconds(group.oldestPending())));
	}

	private static double seconds(@Nullable Duration age) {
		return (age != null) ? age.toMillis() / 1000.0 : 0;
	}

	private static EventGauge stream(Supplier<StreamControl> control, String name, String description,
			ToDoubleFunction<StreamView> figure) {
		return gauge(control, name, description, StreamEvent.PUBLISHED, (view, group) -> figure.applyAsDouble(view));
	}

	private static EventGauge group(Supplier<StreamControl> control, String name, String description,
			ToDoubleFunction<GroupView> figure) {
		return gauge(control, name, description, StreamEvent.CONSUMED,
				(view, group) -> view.groups()
					.stream()
					.filter((each) -> each.name().equals(group))
					.mapToDouble(figure)
					.findFirst()
					.orElse(Double.NaN));
	}

	private static EventGauge gauge(Supplier<StreamControl> control, String name, String description, EventMeter beside,
			ToDoubleBiFunction<StreamView, String> figure) {
		return new EventGauge("ge.redis.stream." + name, description, beside, (both) -> {
			String[] parts = both.split("/", 2);
			StreamView view = control.get().lastSeen(parts[0]);
			return (view != null) ? figure.applyAsDouble(view, parts[parts.length - 1]) : Double.NaN;
		});
	}

}
