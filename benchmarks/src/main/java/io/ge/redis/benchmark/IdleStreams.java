// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

import io.ge.redis.benchmark.StreamListeners.Family;
import io.ge.redis.benchmark.StreamListeners.Got;
import io.ge.redis.benchmark.report.Chart;
import io.ge.redis.benchmark.report.Table;
import io.ge.redis.core.consume.Consumers;
import io.ge.redis.stream.StreamMessage;
import io.ge.redis.stream.StreamPublisher;
import io.ge.redis.test.RedisNode;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.XReadArgs;
import io.lettuce.core.XReadArgs.StreamOffset;
import io.lettuce.core.api.sync.RedisCommands;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.stream.Consumer;
import org.springframework.data.redis.connection.stream.MapRecord;
import org.springframework.data.redis.connection.stream.ReadOffset;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.stream.StreamMessageListenerContainer;

/**
 * One instance that listens to many streams of which most are silent: what it costs while
 * nothing comes, how soon something that comes is handled, and how soon it stops.
 */
final class IdleStreams {

	static final String ID = "stream-idle";

	private static final int MESSAGES = 1_000;

	private static final int WAITING = 100;

	private static final Duration WATCHED = Duration.ofSeconds(5);

	private static final List<String> COLUMNS = List.of("", "blocked connections", "connections", "commands/s",
			"p50 µs", "p99 µs", "p50 in PINGs", "stop, ms", "stop while " + WAITING + " wait, ms",
			"begun elsewhere after, ms");

	private final RedisNode node;

	private final List<List<String>> rows = new ArrayList<>();

	private final List<Chart.Bar> bars = new ArrayList<>();

	private final List<Map<String, Object>> data = new ArrayList<>();

	private final int connections;

	IdleStreams(RedisNode node) {
		this.node = node;
		this.connections = clients().size();
	}

	Table run() throws Exception {
		this.node.command("FLUSHALL", "SYNC");
		ours();
		this.node.command("FLUSHALL", "SYNC");
		raw();
		this.node.command("FLUSHALL", "SYNC");
		springData();
		String title = "Streams, idle";
		return new Table(ID, title, "One instance listens to " + Family.STREAMS + " streams. " + MESSAGES
				+ " messages, one after the other, "
				+ "each to another stream: time from before it is published until its listener is called. "
				+ "Commands are those of clients in " + WATCHED.toSeconds() + " s in which nothing comes. While "
				+ WAITING + " messages wait, each of 100 ms on 4 threads, another instance takes over as the "
				+ "stop begins; counted from then until it has begun all that the first one had not. Raw is "
				+ "one XREADGROUP that blocks on all streams.", COLUMNS, this.rows,
				new Chart(title, "median time until a message is handled, in PINGs", 0,
						List.of(new Chart.Group("", this.bars))),
				this.data);
	}

	private void ours() throws Exception {
		double stopWaiting;
		double elsewhere;
		double stop;
		Connections connections;
		double commands;
		double[] micros;
		try (ConfigurableApplicationContext other = Streams.start(this.node, Family.class, Family.DEFINITIONS,
				members())) {
			Consumers others = other.getBean(Consumers.class);
			others.pause(Family.SOURCE);
			ConfigurableApplicationContext first = Streams.start(this.node, Family.class, Family.DEFINITIONS,
					members());
			Family listener = first.getBean(Family.class);
			StreamPublisher publisher = other.getBean(StreamPublisher.class);
			listener.millis = 100;
			for (int i = 0; i < WAITING; i++) {
				publisher.publish("family", member(i), StreamMessage.of(i));
			}
			BlockingQueue<Got> begun = other.getBean(Family.class).got;
			long from = System.nanoTime();
			others.resume(Family.SOURCE);
			first.close();
			stopWaiting = millis(from, System.nanoTime());
			TimeUnit.SECONDS.sleep(2);
			if (listener.got.size() + begun.size() != WAITING) {
				throw new IllegalStateException(listener.got.size() + " and " + begun.size() + " of " + WAITING);
			}
			elsewhere = millis(from, begun.stream().mapToLong(Got::nanos).max().orElse(from));
		}
		ConfigurableApplicationContext alone = Streams.start(this.node, Family.class, Family.DEFINITIONS, members());
		try {
			connections = look(this.connections);
			commands = commands();
			StreamPublisher publisher = alone.getBean(StreamPublisher.class);
			micros = latencies(alone.getBean(Family.class).got,
					(number) -> publisher.publish("family", member(number), StreamMessage.of(number)));
		}
		finally {
			long from = System.nanoTime();
			alone.close();
			stop = millis(from, System.nanoTime());
		}
		row("@RedisStreamListener", connections, commands, micros, stop,
				List.of(Comparison.format("%.0f", stopWaiting), Comparison.format("%.0f", elsewhere)));
	}

	private static String[] members() {
		return IntStream.range(0, Family.STREAMS)
			.mapToObj((i) -> "ge.redis.stream.definitions.family.variables.member[" + i + "]=m" + i)
			.toArray(String[]::new);
	}

	private static Map<String, String> member(int number) {
		return Map.of("member", "m" + number % Family.STREAMS);
	}

	@SuppressWarnings("unchecked")
	private void raw() throws Exception {
		RedisClient client = RedisClient.create(RedisURI.create(this.node.host(), this.node.port()));
		RedisCommands<String, String> commands = client.connect().sync();
		RedisCommands<String, String> blocking = client.connect().sync();
		StreamOffset<String>[] offsets = groups().stream().map(StreamOffset::lastConsumed).toArray(StreamOffset[]::new);
		BlockingQueue<Got> got = new LinkedBlockingQueue<>();
		AtomicBoolean over = new AtomicBoolean();
		Thread reader = new Thread(() -> {
			while (!over.get()) {
				blocking
					.xreadgroup(io.lettuce.core.Consumer.from(Family.GROUP, "me"),
							XReadArgs.Builder.block(1000).count(4), offsets)
					.forEach((message) -> {
						got.add(new Got(Long.parseLong(message.getBody().get("payload")), System.nanoTime()));
						commands.xack(message.getStream(), Family.GROUP, message.getId());
					});
			}
		});
		reader.setDaemon(true);
		reader.start();
		Connections connections = look(this.connections);
		double perSecond = commands();
		double[] micros = latencies(got, (number) -> commands.xadd(key(number),
				Map.of("ge_v", "1", "trigger", "t", "payload", String.valueOf(number))));
		row("raw Lettuce XREADGROUP", connections, perSecond, micros, Double.NaN, List.of("-", "-"));
		over.set(true);
		reader.join();
		client.shutdown();
	}

	private void springData() throws Exception {
		try (ConfigurableApplicationContext context = Streams.start(this.node, BenchmarkApplication.class,
				new String[] { "spring.data.redis.lettuce.pool.enabled=false" })) {
			StringRedisTemplate template = context.getBean(StringRedisTemplate.class);
			int before = clients().size();
			BlockingQueue<Got> got = new LinkedBlockingQueue<>();
			StreamMessageListenerContainer<String, MapRecord<String, String, String>> container = StreamMessageListenerContainer
				.create(context.getBean(RedisConnectionFactory.class));
			for (String key : groups()) {
				container.receive(Consumer.from(Family.GROUP, "me"),
						org.springframework.data.redis.connection.stream.StreamOffset.create(key,
								ReadOffset.lastConsumed()),
						(message) -> {
							got.add(new Got(Long.parseLong(message.getValue().get("payload")), System.nanoTime()));
							template.opsForStream().acknowledge(Family.GROUP, message);
						});
			}
			container.start();
			Connections connections = look(before);
			double perSecond = commands();
			double[] micros = latencies(got, (number) -> template.opsForStream()
				.add(key(number), Map.of("ge_v", "1", "trigger", "t", "payload", String.valueOf(number))));
			long from = System.nanoTime();
			container.stop();
			row("StreamMessageListenerContainer", connections, perSecond, micros, millis(from, System.nanoTime()),
					List.of("-", "-"));
			TimeUnit.SECONDS.sleep(3);
		}
	}

	private List<String> groups() {
		List<String> keys = IntStream.range(0, Family.STREAMS).mapToObj(IdleStreams::key).toList();
		keys.forEach((key) -> this.node.command("XGROUP", "CREATE", key, Family.GROUP, "0", "MKSTREAM"));
		return keys;
	}

	private static String key(int number) {
		return Family.KEY + "m" + number % Family.STREAMS;
	}

	private double[] latencies(BlockingQueue<Got> got, Publish publish) throws Exception {
		double[] micros = new double[MESSAGES];
		for (int i = -100; i < MESSAGES; i++) {
			// Whoever was woken waits again
			TimeUnit.MILLISECONDS.sleep(3);
			long from = System.nanoTime();
			publish.publish(i + 100);
			Got next = Objects.requireNonNull(got.poll(10, TimeUnit.SECONDS), "Nothing has come");
			if (i >= 0) {
				micros[i] = (next.nanos() - from) / 1000.0;
			}
		}
		Arrays.sort(micros);
		return micros;
	}

	private void row(String name, Connections connections, double commands, double[] micros, double stop,
			List<String> waiting) throws Exception {
		double p50 = micros[MESSAGES / 2];
		double p99 = micros[MESSAGES * 99 / 100];
		double pings = p50 / ping();
		List<String> row = new ArrayList<>(List.of(name, String.valueOf(connections.blocked()),
				String.valueOf(connections.open()), Comparison.format("%.1f", commands),
				Comparison.format("%,.0f", p50), Comparison.format("%,.0f", p99), Comparison.format("%.1f", pings),
				Double.isNaN(stop) ? "-" : Comparison.format("%.0f", stop)));
		row.addAll(waiting);
		this.rows.add(row);
		this.bars.add(new Chart.Bar(name, pings, pings, pings, name.startsWith("@")));
		Map<String, Object> entry = new LinkedHashMap<>();
		entry.put("contender", name);
		entry.put("connections", connections);
		entry.put("commandsPerSecond", commands);
		entry.put("p50", p50);
		entry.put("p99", p99);
		entry.put("pings", pings);
		entry.put("stopMillis", Double.isNaN(stop) ? null : stop);
		entry.put("whileMessagesWait", waiting);
		this.data.add(entry);
	}

	private double ping() {
		RedisClient client = RedisClient.create(RedisURI.create(this.node.host(), this.node.port()));
		try {
			RedisCommands<String, String> commands = client.connect().sync();
			double[] micros = new double[500];
			for (int i = 0; i < micros.length; i++) {
				long from = System.nanoTime();
				commands.ping();
				micros[i] = (System.nanoTime() - from) / 1000.0;
			}
			return Spread.of(micros).median();
		}
		finally {
			client.shutdown();
		}
	}

	private double commands() throws Exception {
		List<Monitor.Command> commands = new Monitor(this.node)
			.during(() -> TimeUnit.MILLISECONDS.sleep(WATCHED.toMillis()));
		return commands.stream().filter((command) -> !command.inside()).count() / (double) WATCHED.toSeconds();
	}

	private Connections look(int before) throws InterruptedException {
		long blocked = 0;
		int open = 0;
		// Between two commands nobody is blocked, or not even connected
		for (int look = 0; look < 20; look++) {
			TimeUnit.MILLISECONDS.sleep(100);
			List<String> clients = clients();
			blocked = Math.max(blocked,
					clients.stream().filter((client) -> client.matches(".* flags=[^ ]*b[^ ]* .*")).count());
			open = Math.max(open, clients.size() - before);
		}
		return new Connections(blocked, open);
	}

	private List<String> clients() {
		return String.valueOf(this.node.command("CLIENT", "LIST")).lines().toList();
	}

	private static double millis(long from, long to) {
		return (to - from) / 1e6;
	}

	/**
	 * Of one contender.
	 *
	 * @param blocked those that block, as the server says
	 * @param open all of them
	 */
	private record Connections(long blocked, int open) {
	}

	/**
	 * Publishes a message with a number.
	 */
	@FunctionalInterface
	private interface Publish {

		void publish(int number) throws Exception;

	}

}
