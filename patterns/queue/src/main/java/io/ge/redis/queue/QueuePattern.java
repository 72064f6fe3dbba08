// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.queue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.consume.ConsumerFrame;
import io.ge.redis.core.consume.ConsumerProperties;
import io.ge.redis.core.consume.ConsumerSettings;
import io.ge.redis.core.consume.ListenerMethod;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

import org.springframework.util.function.SingletonSupplier;

/**
 * Assembles the job queues: containers of listeners, and the API for code.
 */
public final class QueuePattern {

	private static final Duration LINGER = Duration.ofMillis(5);

	private final Supplier<QueueProperties> properties;

	private final ConsumerFrame frame;

	private final Supplier<RedisJobs> redis;

	private final Map<String, QueueView> samples = new ConcurrentHashMap<>();

	private final Map<String, String> listeners = new ConcurrentHashMap<>();

	public QueuePattern(Supplier<QueueProperties> properties, Supplier<RedisBackend> backend, ConsumerFrame frame) {
		this.properties = SingletonSupplier.of(properties);
		this.frame = frame;
		this.redis = SingletonSupplier.of(() -> jobs(backend.get()));
	}

	private RedisJobs jobs(RedisBackend backend) {
		return new RedisJobs(this.properties.get(), backend, backend.redis("queue"), this.frame.payloads(),
				this.frame.events());
	}

	public JobQueue jobQueue() {
		return this.redis.get();
	}

	public Map<String, QueueProperties.Queue> queues() {
		return this.properties.get().queues();
	}

	public QueueView view(String queue) {
		return Waiting.await(this.redis.get().view(queue));
	}

	/** Lists dead letters, the newest first, with one script call. */
	public List<DeadJob> deadLetters(String queue, int most) {
		return Waiting.await(this.redis.get().deadLetters(queue, most));
	}

	/**
	 * Puts a dead letter back into its queue as a new job, with one script call. A letter
	 * whose key another job holds stays.
	 * @return the new job, or {@code null} if there is no such letter
	 * @throws QueueFullException if the queue has no room
	 */
	public @Nullable EnqueuedJob replay(String queue, String letter) {
		return Waiting.await(this.redis.get().replay(queue, letter));
	}

	/** Removes a dead letter with one command, and returns whether there was one. */
	public boolean deleteDeadLetter(String queue, String letter) {
		return Waiting.await(this.redis.get().delete(queue, letter));
	}

	/**
	 * Returns the counts of the call before, for meters, since it does not wait for
	 * Redis.
	 */
	public QueueView sample(String queue) {
		this.redis.get().view(queue).thenAccept((view) -> this.samples.put(queue, view));
		return this.samples.getOrDefault(queue, QueueView.NONE);
	}

	/**
	 * Adds a listener of a queue, or refuses it.
	 */
	public void listen(Object bean, GuardedMethod method, RedisJob annotation) {
		String queue = String.valueOf(this.frame.attributes().text(method, "queue", annotation.queue()));
		QueueProperties.Queue settings = method.configured(() -> this.properties.get().queue(queue));
		ListenerMethod listener = new ListenerMethod(bean, method, Job.class, false);
		this.frame.payloads().verify(listener);
		ConsumerProperties consuming = this.frame.properties().get();
		ConsumerSettings container = new ConsumerSettings(settings.concurrency(), 1, settings.visibilityTimeout(),
				LINGER, false, Duration.ZERO, consuming.shutdownTimeout(),
				Objects.requireNonNullElse(settings.autoStartup(), annotation.autoStartup()),
				consuming.maxProcessingTime());
		String other = this.listeners.putIfAbsent(queue, method.displayName());
		if (other != null) {
			throw method.problem("queue '" + queue + "' has another listener, " + other + ".",
					"Leave one of them, or use two queues.");
		}
		RedisBackend backend = this.redis.get().backend();
		RedisJobSource source = new RedisJobSource(queue, settings, jobs(backend.forConsumers()),
				consuming.maxTakeBytes());
		this.frame.consumers().get().add(backend, source, listener.handler(source.reader()), container);
	}

}
