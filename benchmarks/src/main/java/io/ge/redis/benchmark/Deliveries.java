// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.ge.redis.benchmark.report.Chart;
import io.ge.redis.benchmark.report.Table;
import io.ge.redis.broadcast.Broadcaster;
import io.ge.redis.broadcast.RedisBroadcastListener;
import io.ge.redis.queue.JobOptions;
import io.ge.redis.queue.JobQueue;
import io.ge.redis.queue.RedisJob;
import io.ge.redis.test.RedisNode;
import io.lettuce.core.LMoveArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.async.RedisAsyncCommands;
import org.redisson.Redisson;
import org.redisson.api.RBlockingQueue;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.listener.ChannelTopic;
import org.springframework.data.redis.listener.RedisMessageListenerContainer;

/**
 * Jobs and broadcasts from a producer to a listener of the same process, which frees the
 * place of its message for the next one.
 */
final class Deliveries implements AutoCloseable {

	static final String QUEUE = "queue-delivery";

	static final String BROADCAST = "broadcast-delivery";

	private static final int ON_THEIR_WAY = 256;

	private static final int WORKERS = 16;

	private static final int MESSAGES = 10_000;

	private static final int SINGLE = 500;

	private static final int WARM_UP_ROUNDS = 3;

	private static final String PAYLOAD = "w".repeat(60);

	private static final String KEY = "bench.deliveries";

	private static final List<String> COLUMNS = List.of("", "messages/s, x the second", "messages/s",
			"server µs/message", "one at a time, µs");

	private static final Semaphore free = new Semaphore(0);

	private final Size size;

	private final RedisNode node;

	private final ConfigurableApplicationContext context;

	private final RedisClient client;

	private final RedisAsyncCommands<String, String> raw;

	private final RedissonClient redisson;

	private final AtomicBoolean over = new AtomicBoolean();

	private final List<Thread> workers = new ArrayList<>();

	Deliveries(Size size, RedisNode node) {
		this.size = size;
		this.node = node;
		this.node.command("FLUSHALL", "SYNC");
		this.context = Streams.start(node, Listeners.class,
				new String[] { "ge.redis.queue.queues.bench.concurrency=" + WORKERS,
						"ge.redis.broadcast.channels.kept.retention=10000",
						"ge.redis.broadcast.channels.flash.mode=ephemeral" });
		this.client = RedisClient.create(RedisURI.create(node.host(), node.port()));
		this.raw = this.client.connect().async();
		Config config = new Config();
		config.useSingleServer().setAddress("redis://" + node.address());
		config.setCodec(StringCodec.INSTANCE);
		this.redisson = Redisson.create(config);
	}

	Table queue() throws Exception {
		JobQueue jobs = this.context.getBean(JobQueue.class);
		RBlockingQueue<String> queue = this.redisson.getBlockingQueue(KEY + ".redisson");
		for (int i = 0; i < WORKERS; i++) {
			String mine = KEY + ".mine:" + i;
			RedisAsyncCommands<String, String> own = this.client.connect().async();
			work(() -> {
				String job = own.blmove(KEY, mine, LMoveArgs.Builder.rightLeft(), 0.2).get();
				if (job != null) {
					own.lrem(mine, 1, job).get();
					free.release();
				}
			});
			work(() -> {
				if (queue.poll(200, TimeUnit.MILLISECONDS) != null) {
					free.release();
				}
			});
		}
		return table(QUEUE, "Job queue, from enqueue to the end of the job", "The listener does nothing, on " + WORKERS
				+ " threads or permits; at most " + ON_THEIR_WAY
				+ " jobs are on their way. Raw is LPUSH, then BLMOVE to a list of the worker and LREM: at least "
				+ "once, but nobody takes over from a dead worker. Redisson's queue loses the job of a worker "
				+ "that dies. Neither has priorities, retries, results or JSON.",
				List.of(new Contestant("JobQueue, @RedisJob",
						() -> jobs.enqueueAsync("bench", PAYLOAD, JobOptions.defaults())),
						new Contestant("raw Lettuce LPUSH, BLMOVE, LREM", () -> this.raw.lpush(KEY, PAYLOAD)),
						new Contestant("Redisson RBlockingQueue", () -> queue.addAsync(PAYLOAD))));
	}

	Table broadcast() throws Exception {
		Broadcaster broadcaster = this.context.getBean(Broadcaster.class);
		RedisMessageListenerContainer container = new RedisMessageListenerContainer();
		container.setConnectionFactory(this.context.getBean(RedisConnectionFactory.class));
		container.addMessageListener((message, pattern) -> {
			new String(message.getBody(), StandardCharsets.UTF_8);
			free.release();
		}, new ChannelTopic(KEY));
		container.afterPropertiesSet();
		container.start();
		try {
			return table(BROADCAST, "Broadcast, from publish to one listener",
					"The listener does nothing; at most " + ON_THEIR_WAY
							+ " messages are on their way. Spring's container gets a raw PUBLISH, as an ephemeral "
							+ "channel does: it calls listeners side by side in any order, and keeps nothing.",
					List.of(new Contestant("Broadcaster, reliable", () -> broadcaster.publishAsync("kept", PAYLOAD)),
							new Contestant("RedisMessageListenerContainer", () -> this.raw.publish(KEY, PAYLOAD)),
							new Contestant("Broadcaster, ephemeral",
									() -> broadcaster.publishAsync("flash", PAYLOAD))));
		}
		finally {
			container.destroy();
		}
	}

	private void work(Step step) {
		Thread worker = new Thread(() -> {
			try {
				while (!this.over.get()) {
					step.run();
				}
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		});
		worker.start();
		this.workers.add(worker);
	}

	private Table table(String id, String title, String note, List<Contestant> contestants) throws Exception {
		List<List<Round>> rounds = new ArrayList<>();
		contestants.forEach((contestant) -> rounds.add(new ArrayList<>()));
		for (int round = -WARM_UP_ROUNDS; round < this.size.rounds(); round++) {
			for (int i = 0; i < contestants.size(); i++) {
				int index = Math.floorMod(round + i, contestants.size());
				Round run = run(contestants.get(index));
				if (round >= 0) {
					rounds.get(index).add(run);
				}
			}
		}
		List<List<String>> rows = new ArrayList<>();
		List<Chart.Bar> bars = new ArrayList<>();
		List<Map<String, Object>> data = new ArrayList<>();
		for (int index = 0; index < contestants.size(); index++) {
			List<Round> own = rounds.get(index);
			String name = contestants.get(index).name();
			Spread ratio = Spread.ofRatios(own, rounds.get(1), Round::perSecond);
			rows.add(List.of(name, Comparison.format(ratio),
					Comparison.format("%,.0f", Spread.of(own, Round::perSecond).median()),
					Comparison.format("%.1f", Spread.of(own, Round::serverMicros).median()),
					Comparison.format("%,.0f", Spread.of(own, Round::singleMicros).median())));
			Map<String, Object> entry = new LinkedHashMap<>();
			entry.put("contender", name);
			entry.put("ratio", ratio);
			entry.put("rounds", own);
			data.add(entry);
			bars.add(new Chart.Bar(name, ratio.low(), ratio.median(), ratio.high(), index != 1));
		}
		return new Table(id, title, note, COLUMNS, rows, new Chart(title,
				"messages per second, as a multiple of the second (dashed)", 1, List.of(new Chart.Group("", bars))),
				data);
	}

	private Round run(Contestant contestant) throws Exception {
		double server = serverMicros();
		double micros = micros(contestant, MESSAGES, ON_THEIR_WAY);
		double used = serverMicros() - server;
		return new Round(MESSAGES * 1e6 / micros, used / MESSAGES, micros(contestant, SINGLE, 1) / SINGLE);
	}

	private static double micros(Contestant contestant, int messages, int together) throws Exception {
		free.release(together);
		long begun = System.nanoTime();
		for (int i = 0; i < messages; i++) {
			await(1);
			contestant.send().get();
		}
		await(together);
		return (System.nanoTime() - begun) / 1000.0;
	}

	private static void await(int places) throws InterruptedException {
		if (!free.tryAcquire(places, 30, TimeUnit.SECONDS)) {
			throw new IllegalStateException("A message was lost");
		}
	}

	private double serverMicros() {
		return 1e6 * (Double.parseDouble(this.node.info("cpu", "used_cpu_user"))
				+ Double.parseDouble(this.node.info("cpu", "used_cpu_sys")));
	}

	@Override
	public void close() throws Exception {
		this.over.set(true);
		for (Thread worker : this.workers) {
			worker.join();
		}
		this.redisson.shutdown();
		this.client.shutdown();
		this.context.close();
	}

	@FunctionalInterface
	private interface Step {

		void run() throws Exception;

	}

	private record Contestant(String name, Supplier<CompletionStage<?>> send) {
	}

	private record Round(double perSecond, double serverMicros, double singleMicros) {
	}

	/**
	 * An application with listeners that only count.
	 */
	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Listeners {

		@RedisJob(queue = "bench")
		void job(String payload) {
			free.release();
		}

		@RedisBroadcastListener(channel = "kept")
		void kept(String payload) {
			free.release();
		}

		@RedisBroadcastListener(channel = "flash")
		void flash(String payload) {
			free.release();
		}

	}

}
