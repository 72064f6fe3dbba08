// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.IntFunction;

import com.sun.management.OperatingSystemMXBean;
import io.ge.redis.benchmark.report.Chart;
import io.ge.redis.benchmark.report.Table;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * The same call in each form, as many at a time, each form as it is meant to be used: a
 * plain result by a thread for each call, a future that starts the next one when it is
 * complete, a {@code Mono} that is repeated from an event loop. Nobody waits for what
 * comes later.
 */
final class FormsInFlight {

	private static final List<String> COLUMNS = List.of("", "calls at a time", "calls/s", "time per call, x plain",
			"processor time per call, µs", "processor time per call, x plain");

	private static final OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory
		.getOperatingSystemMXBean();

	private final Size size;

	private final List<Subject> subjects;

	FormsInFlight(Size size, Instance instance) {
		this.size = size;
		Guarded plain = instance.guarded();
		GuardedLater later = instance.get(GuardedLater.class);
		this.subjects = List.of(
				new Subject("ratelimit", "Rate limit, allowed", Keys.MANY, plain::admit, later::admitFuture,
						later::admitMono),
				new Subject("lock", "Lock, taken and released, uncontended", Keys.OWN, (key) -> plain.locked(key, 0),
						(key) -> later.lockedFuture(key, 0), (key) -> later.lockedMono(key, 0)),
				new Subject("cache", "Cache, hit", Keys.MANY, plain::read, later::readFuture, later::readMono),
				new Subject("idempotency", "Idempotency, first call", Keys.FRESH, plain::once, later::onceFuture,
						later::onceMono));
	}

	List<Subject> subjects() {
		return this.subjects;
	}

	/**
	 * Measures the forms of one subject in turns.
	 */
	Table run(Subject subject) throws Exception {
		if (subject.keys() == Keys.MANY) {
			Scenarios.forAll(this.size.keys(), subject.plain()::call);
		}
		List<List<String>> rows = new ArrayList<>();
		List<Map<String, Object>> data = new ArrayList<>();
		List<Chart.Group> groups = new ArrayList<>();
		for (int atOnce : this.size.threads()) {
			Map<Form, List<Turn>> turns = turns(subject, atOnce);
			List<Turn> plain = Objects.requireNonNull(turns.get(Form.PLAIN));
			List<Chart.Bar> bars = new ArrayList<>();
			turns.forEach((form, own) -> {
				Spread time = Spread.ofRatios(own, plain, Turn::nanos);
				Spread processor = Spread.ofRatios(own, plain, Turn::processorNanos);
				rows.add(List.of(form.title, String.valueOf(atOnce),
						Comparison.format("%,.0f", 1e9 / Spread.of(own, Turn::nanos).median()), Comparison.format(time),
						Comparison.format("%.1f", Spread.of(own, Turn::processorNanos).median() / 1000),
						Comparison.format(processor)));
				Map<String, Object> entry = new LinkedHashMap<>();
				entry.put("form", form.title);
				entry.put("atOnce", atOnce);
				entry.put("time", time);
				entry.put("processorTime", processor);
				entry.put("rounds", own);
				data.add(entry);
				if (form != Form.PLAIN) {
					bars.add(new Chart.Bar(form.title, time.low(), time.median(), time.high(), true));
				}
			});
			groups.add(new Chart.Group(atOnce + " at a time", bars));
		}
		String title = subject.title() + ": forms, each as it is used";
		return new Table(subject.id(), title,
				"A plain result has a thread for each call. A future starts the next call when it is complete, a Mono "
						+ "is repeated from an event loop; nobody waits for them. Time per call is time that goes by, "
						+ "by the number of calls; processor time is that of the whole JVM, the driver's threads "
						+ "included.",
				COLUMNS, rows, new Chart(title, "time per call, as a multiple of a plain result's (dashed)", 1, groups),
				data);
	}

	private Map<Form, List<Turn>> turns(Subject subject, int atOnce) throws Exception {
		Form[] forms = Form.values();
		Map<Form, List<Turn>> turns = new EnumMap<>(Form.class);
		for (int round = -this.size.warmupRounds(); round < this.size.rounds(); round++) {
			for (int i = 0; i < forms.length; i++) {
				Form form = forms[Math.floorMod(round + i, forms.length)];
				Course course = new Course(atOnce, this.size);
				form.take(course, subject);
				if (round >= 0) {
					turns.computeIfAbsent(form, (first) -> new ArrayList<>()).add(course.turn());
				}
			}
		}
		return turns;
	}

	private enum Form {

		PLAIN("plain") {

			@Override
			void take(Course course, Subject subject) throws Exception {
				course.onThreads(subject);
			}

		},

		FUTURE("CompletableFuture") {

			@Override
			void take(Course course, Subject subject) throws Exception {
				course.chained(subject);
			}

		},

		MONO("Mono") {

			@Override
			void take(Course course, Subject subject) {
				course.repeated(subject);
			}

		};

		private final String title;

		Form(String title) {
			this.title = title;
		}

		abstract void take(Course course, Subject subject) throws Exception;

	}

	/**
	 * One turn of a form: so many calls at a time, each followed by another until time is
	 * up.
	 */
	private static final class Course {

		private final int atOnce;

		private final int keys;

		private final LongAdder calls = new LongAdder();

		private final long from;

		private final long until;

		private final AtomicReference<@Nullable Start> start = new AtomicReference<>();

		Course(int atOnce, Size size) {
			this.atOnce = atOnce;
			this.keys = size.keys();
			this.from = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(size.settleMillis());
			this.until = this.from + TimeUnit.MILLISECONDS.toNanos(size.slotMillis());
		}

		/**
		 * Counts a call.
		 * @return whether another one is to follow
		 */
		boolean next() {
			this.calls.increment();
			long now = System.nanoTime();
			if (this.start.get() == null && now - this.from >= 0) {
				this.start.compareAndSet(null, new Start(now, system.getProcessCpuTime(), this.calls.sum()));
			}
			return now - this.until < 0;
		}

		Turn turn() {
			Start counted = Objects.requireNonNull(this.start.get(), "Time was up before it began");
			double measured = this.calls.sum() - counted.calls();
			return new Turn((System.nanoTime() - counted.nanos()) / measured,
					(system.getProcessCpuTime() - counted.processorNanos()) / measured);
		}

		void onThreads(Subject subject) throws Exception {
			ExecutorService threads = Executors.newFixedThreadPool(this.atOnce);
			try {
				await(all((lane) -> CompletableFuture.runAsync(() -> {
					try {
						do {
							subject.plain().call(key(subject, lane));
						}
						while (next());
					}
					catch (Exception ex) {
						throw new IllegalStateException(ex);
					}
				}, threads)));
			}
			finally {
				threads.shutdownNow();
			}
		}

		void chained(Subject subject) throws Exception {
			await(all((lane) -> {
				CompletableFuture<Void> over = new CompletableFuture<>();
				follow(subject, lane, over);
				return over;
			}));
		}

		private void follow(Subject subject, int lane, CompletableFuture<Void> over) {
			CompletableFuture<?> call = subject.future().apply(key(subject, lane));
			call.whenComplete((value, failure) -> {
				if (failure != null) {
					over.completeExceptionally(failure);
				}
				else if (next()) {
					follow(subject, lane, over);
				}
				else {
					over.complete(null);
				}
			});
		}

		void repeated(Subject subject) {
			Flux.range(0, this.atOnce)
				.flatMap((lane) -> Mono.defer(() -> subject.mono().apply(key(subject, lane))).repeat(this::next),
						this.atOnce)
				.subscribeOn(Schedulers.parallel())
				.blockLast();
		}

		private String key(Subject subject, int lane) {
			return subject.keys().next(lane, this.atOnce, this.keys);
		}

		private CompletableFuture<Void> all(IntFunction<CompletableFuture<Void>> lanes) {
			CompletableFuture<?>[] begunLanes = new CompletableFuture<?>[this.atOnce];
			for (int lane = 0; lane < begunLanes.length; lane++) {
				begunLanes[lane] = lanes.apply(lane);
			}
			return CompletableFuture.allOf(begunLanes);
		}

		private static void await(CompletableFuture<Void> all) throws Exception {
			try {
				all.get(2, TimeUnit.MINUTES);
			}
			catch (ExecutionException ex) {
				throw new IllegalStateException(ex.getCause());
			}
		}

	}

	/**
	 * What is called, in each form.
	 *
	 * @param pattern what it belongs to
	 * @param title what the table calls it
	 * @param keys which keys are used
	 * @param plain gives a plain result
	 * @param future gives a future
	 * @param mono gives a publisher
	 */
	record Subject(String pattern, String title, Keys keys, Contender.Action plain,
			Function<String, CompletableFuture<?>> future, Function<String, Mono<?>> mono) {

		String id() {
			return "forms-in-flight-" + this.pattern;
		}

	}

	/**
	 * When what counts began.
	 *
	 * @param nanos by the clock
	 * @param processorNanos that the JVM had used
	 * @param calls that were made before
	 */
	private record Start(long nanos, long processorNanos, long calls) {
	}

	/**
	 * What one turn gave.
	 *
	 * @param nanos that went by, per call
	 * @param processorNanos that the JVM used, per call
	 */
	private record Turn(double nanos, double processorNanos) {
	}

}
