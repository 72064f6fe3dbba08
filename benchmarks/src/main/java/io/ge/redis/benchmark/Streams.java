// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import com.sun.management.OperatingSystemMXBean;
import io.ge.redis.benchmark.report.Chart;
import io.ge.redis.benchmark.report.Table;
import io.ge.redis.core.consume.ConsumerContainer;
import io.ge.redis.core.consume.Consumers;
import io.ge.redis.stream.StreamMessage;
import io.ge.redis.stream.StreamPublisher;
import io.ge.redis.test.RedisNode;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.XReadArgs;
import io.lettuce.core.api.async.RedisAsyncCommands;
import org.redisson.Redisson;
import org.redisson.api.RStream;
import org.redisson.api.RedissonClient;
import org.redisson.api.stream.StreamAddArgs;
import org.redisson.api.stream.StreamMessageId;
import org.redisson.api.stream.StreamReadGroupArgs;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.stream.Consumer;
import org.springframework.data.redis.connection.stream.MapRecord;
import org.springframework.data.redis.connection.stream.ReadOffset;
import org.springframework.data.redis.connection.stream.StreamOffset;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.stream.StreamMessageListenerContainer;
import org.springframework.data.redis.stream.StreamMessageListenerContainer.StreamMessageListenerContainerOptions;
import org.springframework.data.redis.stream.Subscription;

/**
 * Messages to and from one stream, beside the driver's own commands. Turns are not JMH's,
 * since consumers go on by themselves.
 */
final class Streams implements AutoCloseable {

	static final String PUBLISH = "stream-publish";

	static final String CONSUME = "stream-consume";

	private static final String RAW = "raw Lettuce";

	private static final String STREAM = StreamListeners.Work.KEY;

	private static final int IN_FLIGHT = 256;

	private static final int TOGETHER = 64;

	private static final double GOAL = 0.6;

	/** More than anybody takes in a turn. */
	private static final int MESSAGES_PER_MILLI = 600;

	private static final int WARM_UP_ROUNDS = 8;

	private static final int COUNTED = 5_000;

	private static final List<String> COLUMNS = List.of("", "messages/s, x raw", "at least", "reached", "messages/s",
			"JVM µs/message", "server µs/message", "sent per message");

	private static final OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory
		.getOperatingSystemMXBean();

	private final Size size;

	private final RedisNode node;

	private final ConfigurableApplicationContext context;

	private final RedisClient client;

	private final RedisAsyncCommands<String, String> raw;

	private final RedissonClient redisson;

	private final Map<String, ConsumerContainer<?>> containers = new HashMap<>();

	/** Of a message as ours are. */
	private final Map<String, String> fields;

	Streams(Size size, RedisNode node) {
		this.size = size;
		this.node = node;
		this.context = start(node, StreamListeners.Work.class, StreamListeners.Work.DEFINITIONS,
				StreamListeners.definitions("plain", "bench.plain", "nobody.concurrency=1"),
				StreamListeners.definitions("dedup", "bench.dedup", "nobody.concurrency=1"),
				new String[] { "ge.redis.stream.definitions.dedup.dedup-window=5m",
						"ge.redis.stream.definitions.dedup.dedup-key={workItem}" });
		this.client = RedisClient.create(RedisURI.create(node.host(), node.port()));
		this.raw = this.client.connect().async();
		Config config = new Config();
		config.useSingleServer().setAddress("redis://" + node.address());
		config.setCodec(StringCodec.INSTANCE);
		this.redisson = Redisson.create(config);
		this.context.getBean(Consumers.class).forEach((container) -> this.containers.put(container.name(), container));
		this.context.getBean(Consumers.class).stop();
		this.context.getBean(StreamPublisher.class).publish("plain", message(0));
		this.fields = this.raw.xrange("bench.plain", io.lettuce.core.Range.unbounded())
			.toCompletableFuture()
			.join()
			.get(0)
			.getBody();
	}

	static ConfigurableApplicationContext start(RedisNode node, Class<?> application, String[]... properties) {
		return new SpringApplicationBuilder(application).web(WebApplicationType.NONE)
			.properties("spring.main.banner-mode=off", "logging.level.root=warn",
					"spring.data.redis.host=" + node.host(), "spring.data.redis.port=" + node.port(),
					"ge.redis.outage.command-timeout=5s")
			.properties(Arrays.stream(properties).flatMap(Arrays::stream).toArray(String[]::new))
			.run();
	}

	private static StreamMessage message(long number) {
		return StreamMessage.of(Balance.of("w".repeat(60))).workItem("GE-" + number);
	}

	// Publishing

	Table publish() throws Exception {
		StreamPublisher publisher = this.context.getBean(StreamPublisher.class);
		StringRedisTemplate template = this.context.getBean(StringRedisTemplate.class);
		RStream<String, String> stream = this.redisson.getStream(STREAM);
		AtomicLong number = new AtomicLong();
		List<Entrant> entrants = List.of(
				new Entrant("StreamPublisher", GOAL,
						publishing(1,
								() -> publisher.publishAsync("plain", Map.of(), message(number.incrementAndGet())))),
				new Entrant(RAW + " XADD", 0, publishing(1, () -> this.raw.xadd(STREAM, this.fields))),
				new Entrant("StreamPublisher with dedup", GOAL,
						publishing(1,
								() -> publisher.publishAsync("dedup", Map.of(), message(number.incrementAndGet())))),
				new Entrant("StreamPublisher, " + TOGETHER + " together", GOAL, publishing(TOGETHER, () -> {
					List<StreamMessage> messages = new ArrayList<>();
					for (int i = 0; i < TOGETHER; i++) {
						messages.add(message(number.incrementAndGet()));
					}
					return publisher.publishAllAsync("plain", Map.of(), messages);
				})),
				new Entrant("StringRedisTemplate on 64 threads", 0,
						onThreads(() -> template.opsForStream().add(STREAM, this.fields))),
				new Entrant("Redisson RStream", 0,
						publishing(1, () -> stream.addAsync(StreamAddArgs.entries(this.fields)))));
		return table(PUBLISH, "Stream, publish",
				"One thread keeps " + IN_FLIGHT + " messages of the same fields on their way; what blocks has "
						+ TOGETHER + " threads. The raw XADD is on the driver's asynchronous API.",
				entrants, () -> this.node.command("FLUSHALL", "SYNC"));
	}

	private Course publishing(int together, Supplier<CompletionStage<?>> send) {
		return (turn) -> {
			Semaphore free = new Semaphore(IN_FLIGHT / together);
			AtomicReference<Throwable> problem = new AtomicReference<>();
			while (!turn.isOver(() -> turn.sent.get())) {
				free.acquire();
				send.get().whenComplete((sent, failure) -> {
					problem.compareAndSet(null, failure);
					turn.sent.addAndGet(together);
					free.release();
				});
			}
			free.acquire(IN_FLIGHT / together);
			if (problem.get() != null) {
				throw new IllegalStateException(problem.get());
			}
		};
	}

	private Course onThreads(Runnable send) {
		return (turn) -> {
			ExecutorService executor = Executors.newFixedThreadPool(TOGETHER);
			try {
				List<Future<?>> threads = new ArrayList<>();
				for (int i = 0; i < TOGETHER; i++) {
					threads.add(executor.submit(() -> {
						while (!turn.isOver(() -> turn.sent.get())) {
							send.run();
							turn.sent.incrementAndGet();
						}
					}));
				}
				for (Future<?> thread : threads) {
					thread.get();
				}
			}
			finally {
				executor.shutdownNow();
			}
		};
	}

	// Consuming

	Table consume() throws Exception {
		long messages = this.size.contendedMillis() * MESSAGES_PER_MILLI;
		this.node.command("FLUSHALL", "SYNC");
		for (RedisFuture<String> last = null; messages > 0; messages--) {
			last = this.raw.xadd(STREAM, this.fields);
			if (messages % 1_000 == 1) {
				last.get();
			}
		}
		List<Entrant> entrants = List.of(new Entrant("@RedisStreamListener", GOAL, ours("one")),
				new Entrant(RAW + " XREADGROUP, XACK", 0, this::readRaw),
				new Entrant("@RedisStreamListener of a list", GOAL, ours("many")),
				new Entrant("StreamMessageListenerContainer", 0, this::readSpringData),
				new Entrant("Redisson RStream", 0, this::readRedisson));
		return table(CONSUME, "Stream, consume",
				"From a stream with more messages than anybody takes in a turn, each with a group of its own. Counted "
						+ "is what was acknowledged. " + StreamListeners.BATCH
						+ " messages are taken together, and listeners do nothing. Raw and Redisson acknowledge each "
						+ "batch and read no JSON. Spring Data's listener acknowledges each message, as its "
						+ "documentation shows; without a batch size it would take all that is there.",
				entrants, () -> {
				});
	}

	private Course ours(String group) {
		ConsumerContainer<?> container = Objects.requireNonNull(this.containers.get("work/" + group));
		return reading(group, () -> {
			container.start();
			return () -> container.stop().join();
		});
	}

	/** Lets somebody read until the turn is over. */
	private Course reading(String group, Supplier<Runnable> start) {
		return (turn) -> {
			this.node.command("XGROUP", "CREATE", STREAM, group, "0");
			Runnable stop = start.get();
			while (!turn.isOver(() -> acknowledged(group))) {
				TimeUnit.MILLISECONDS.sleep(20);
			}
			stop.run();
			this.node.command("XGROUP", "DESTROY", STREAM, group);
		};
	}

	private long acknowledged(String group) {
		return (Long) Objects.requireNonNull(this.node.command("EVAL", """
				for _, group in ipairs(redis.call('XINFO', 'GROUPS', KEYS[1])) do
				  if group[2] == ARGV[1] then
				    return (group[10] or 0) - group[6]
				  end
				end
				""", "1", STREAM, group));
	}

	@SuppressWarnings("unchecked")
	private void readRaw(Turn turn) throws Exception {
		reading("raw", () -> inThread(() -> {
			String[] ids = this.raw
				.xreadgroup(io.lettuce.core.Consumer.from("raw", "me"), XReadArgs.Builder.count(StreamListeners.BATCH),
						XReadArgs.StreamOffset.lastConsumed(STREAM))
				.toCompletableFuture()
				.join()
				.stream()
				.map(io.lettuce.core.StreamMessage::getId)
				.toArray(String[]::new);
			if (ids.length == 0) {
				throw new IllegalStateException("There were too few messages");
			}
			this.raw.xack(STREAM, "raw", ids);
		})).run(turn);
	}

	private void readRedisson(Turn turn) throws Exception {
		RStream<String, String> stream = this.redisson.getStream(STREAM);
		reading("redisson", () -> inThread(() -> {
			Map<StreamMessageId, ?> messages = stream.readGroup("redisson", "me",
					StreamReadGroupArgs.neverDelivered().count(StreamListeners.BATCH));
			stream.ack("redisson", messages.keySet().toArray(StreamMessageId[]::new));
		})).run(turn);
	}

	private static Runnable inThread(Runnable work) {
		AtomicBoolean over = new AtomicBoolean();
		CompletableFuture<Void> reader = CompletableFuture.runAsync(() -> {
			while (!over.get()) {
				work.run();
			}
		}, (task) -> new Thread(task).start());
		return () -> {
			over.set(true);
			reader.join();
		};
	}

	private void readSpringData(Turn turn) throws Exception {
		StringRedisTemplate template = this.context.getBean(StringRedisTemplate.class);
		reading("spring", () -> {
			StreamMessageListenerContainer<String, MapRecord<String, String, String>> container = StreamMessageListenerContainer
				.create(this.context.getBean(RedisConnectionFactory.class),
						StreamMessageListenerContainerOptions.builder().batchSize(StreamListeners.BATCH).build());
			Subscription subscription = container.receive(Consumer.from("spring", "me"),
					StreamOffset.create(STREAM, ReadOffset.lastConsumed()),
					(message) -> template.opsForStream().acknowledge("spring", message));
			container.start();
			return () -> {
				container.stop();
				while (subscription.isActive()) {
					Thread.onSpinWait();
				}
			};
		}).run(turn);
	}

	// In turns

	private Table table(String id, String title, String note, List<Entrant> entrants, Runnable clear) throws Exception {
		List<List<Turn>> turns = new ArrayList<>();
		entrants.forEach((entrant) -> turns.add(new ArrayList<>()));
		// What is not compiled yet slows down the longer of two ways most
		for (int round = -WARM_UP_ROUNDS; round < this.size.rounds(); round++) {
			for (int i = 0; i < entrants.size(); i++) {
				int index = Math.floorMod(round + i, entrants.size());
				clear.run();
				Turn turn = new Turn(this.node, this.size.settleMillis(), this.size.contendedMillis(), Long.MAX_VALUE);
				entrants.get(index).course().run(turn);
				if (round >= 0) {
					turns.get(index).add(turn);
				}
			}
		}
		List<List<String>> rows = new ArrayList<>();
		List<Chart.Bar> bars = new ArrayList<>();
		List<Map<String, Object>> data = new ArrayList<>();
		List<Turn> raw = turns.get(1);
		for (int index = 0; index < entrants.size(); index++) {
			Entrant entrant = entrants.get(index);
			List<Turn> own = turns.get(index);
			clear.run();
			Map<String, Double> sent = count(entrant);
			Goal goal = Goal.of(entrant.name(), entrants.get(1).name(), entrant.goal());
			Spread ratio = Spread.ofRatios(own, raw, Turn::perSecond);
			String reached = goal.isReachedBy(ratio.median(), Double.NaN) ? "yes" : "no";
			rows.add(List.of(entrant.name(), Comparison.format(ratio),
					(goal.calls() > 0) ? Comparison.format("%.1f", goal.calls()) : "-",
					(goal.calls() > 0) ? reached : "-",
					Comparison.format("%,.0f", Spread.of(own, Turn::perSecond).median()),
					Comparison.format("%.1f", Spread.of(own, Turn::processorMicros).median()),
					Comparison.format("%.1f", Spread.of(own, Turn::serverMicros).median()), describe(sent)));
			Map<String, Object> entry = new LinkedHashMap<>();
			entry.put("contender", entrant.name());
			entry.put("ratio", ratio);
			entry.put("goal", goal.calls());
			entry.put("sent", sent);
			entry.put("perSecond", own.stream().map(Turn::perSecond).toList());
			entry.put("processorMicros", own.stream().map(Turn::processorMicros).toList());
			entry.put("serverMicros", own.stream().map(Turn::serverMicros).toList());
			data.add(entry);
			if (index != 1) {
				bars.add(new Chart.Bar(entrant.name(), ratio.low(), ratio.median(), ratio.high(), goal.calls() > 0));
			}
		}
		return new Table(id, title, note, COLUMNS, rows, new Chart(title,
				"messages per second, as a multiple of raw Lettuce (dashed)", 1, List.of(new Chart.Group("", bars))),
				data);
	}

	/**
	 * Counts what is sent for a message, in a turn of its own. What a script is for shows
	 * in what it calls.
	 */
	private Map<String, Double> count(Entrant entrant) throws Exception {
		Turn turn = new Turn(this.node, 0, TimeUnit.MINUTES.toMillis(1), COUNTED);
		Map<String, Double> sent = new TreeMap<>();
		String script = "";
		for (Monitor.Command command : new Monitor(this.node).during(() -> entrant.course().run(turn))) {
			boolean looks = command.name().equals("EVAL") || command.name().equals("XGROUP");
			if (command.inside()) {
				String purpose = switch (command.name()) {
					case "XADD" -> "publish";
					case "XREADGROUP" -> "take";
					case "XACK" -> "settle";
					default -> "";
				};
				if (!script.isEmpty() && !purpose.isEmpty()) {
					sent.merge(purpose, 1.0 / turn.total(), Double::sum);
					script = "";
				}
			}
			else if (command.name().equals("EVALSHA")) {
				script = command.name();
			}
			else if (!looks && !CommandCount.isNoise(command)) {
				script = "";
				sent.merge(command.name(), 1.0 / turn.total(), Double::sum);
			}
			else {
				script = "";
			}
		}
		return sent;
	}

	private static String describe(Map<String, Double> sent) {
		List<String> parts = new ArrayList<>();
		sent.forEach((name, number) -> parts.add(Comparison.format("%.3g ", number) + name));
		return String.join(" + ", parts);
	}

	@Override
	public void close() {
		this.redisson.shutdown();
		this.client.shutdown();
		this.context.close();
	}

	/**
	 * Moves messages until a turn is over.
	 */
	@FunctionalInterface
	private interface Course {

		void run(Turn turn) throws Exception;

	}

	private record Entrant(String name, double goal, Course course) {
	}

	/**
	 * A turn, which measures what goes on after a while.
	 */
	private static final class Turn {

		private final RedisNode node;

		private final long from;

		private final long until;

		private final long most;

		private final AtomicLong sent = new AtomicLong();

		private volatile Look first = new Look(0, 0, 0, 0);

		private volatile Look last = this.first;

		Turn(RedisNode node, long settleMillis, long millis, long most) {
			this.node = node;
			this.from = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(settleMillis);
			this.until = this.from + TimeUnit.MILLISECONDS.toNanos(millis);
			this.most = most;
		}

		boolean isOver(Supplier<Long> messages) {
			long now = System.nanoTime();
			if (now - this.from < 0) {
				return false;
			}
			if (this.last.nanos == 0 && this.first.nanos == 0) {
				begin(messages);
			}
			if (now - this.until < 0 && (this.most == Long.MAX_VALUE || messages.get() < this.most)) {
				return false;
			}
			end(messages);
			return true;
		}

		private synchronized void begin(Supplier<Long> messages) {
			if (this.first.nanos == 0) {
				this.first = look(messages);
			}
		}

		private synchronized void end(Supplier<Long> messages) {
			if (this.last.nanos == 0) {
				this.last = look(messages);
			}
		}

		private Look look(Supplier<Long> messages) {
			double server = Double.parseDouble(this.node.info("cpu", "used_cpu_user"))
					+ Double.parseDouble(this.node.info("cpu", "used_cpu_sys"));
			return new Look(messages.get(), System.nanoTime(), system.getProcessCpuTime(), server * 1e6);
		}

		long total() {
			return Math.max(1, this.last.messages);
		}

		private double messages() {
			return Math.max(1, this.last.messages - this.first.messages);
		}

		double perSecond() {
			return messages() * 1e9 / (this.last.nanos - this.first.nanos);
		}

		double processorMicros() {
			return (this.last.processorNanos - this.first.processorNanos) / messages() / 1000;
		}

		double serverMicros() {
			return (this.last.serverMicros - this.first.serverMicros) / messages();
		}

	}

	private record Look(long messages, long nanos, long processorNanos, double serverMicros) {
	}

}
