/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.queue;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.consume.ConsumerFrame;
import io.ge.redis.core.consume.ConsumerSettings;
import io.ge.redis.core.consume.ListenerMethod;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.outage.Waiting;

import org.springframework.util.function.SingletonSupplier;

/**
 * Assembles the job queues: listeners as containers among the consumers, and the API for
 * code.
 */
public final class QueuePattern {

	private static final Duration LINGER = Duration.ofMillis(5);

	private static final Duration SAMPLED = Duration.ofSeconds(5);

	private final Supplier<QueueProperties> properties;

	private final ConsumerFrame frame;

	private final Supplier<RedisJobs> redis;

	private final Map<String, QueueView> samples = new ConcurrentHashMap<>();

	private final AtomicLong sampled = new AtomicLong(System.nanoTime());

	private final Map<String, String> listeners = new ConcurrentHashMap<>();

	public QueuePattern(Supplier<QueueProperties> properties, Supplier<RedisBackend> backend, ConsumerFrame frame) {
		this.properties = SingletonSupplier.of(properties);
		this.frame = frame;
		this.redis = SingletonSupplier.of(() -> new RedisJobs(this.properties.get(), backend.get(),
				backend.get().redis("queue"), frame.payloads(), frame.events()));
	}

	public JobQueue jobQueue() {
		return this.redis.get();
	}

	public Map<String, QueueProperties.Queue> queues() {
		return this.properties.get().queues();
	}

	/**
	 * Counts the jobs of a queue: one script call.
	 */
	public QueueView view(String queue) {
		return Waiting.await(this.redis.get().view(queue));
	}

	/**
	 * Returns counts for meters: as of some seconds ago, since Redis is not asked while
	 * somebody waits.
	 */
	public QueueView sample(String queue) {
		long due = this.sampled.get();
		long now = System.nanoTime();
		if (due - now <= 0 && this.sampled.compareAndSet(due, now + SAMPLED.toNanos())) {
			queues().keySet()
				.forEach((name) -> this.redis.get().view(name).thenAccept((view) -> this.samples.put(name, view)));
		}
		return this.samples.getOrDefault(queue, QueueView.NONE);
	}

	/**
	 * Has a method called with the jobs of a queue.
	 * @throws io.ge.redis.core.invocation.GuardConfigurationException if that cannot
	 * work; says what to write
	 */
	public void listen(Object bean, GuardedMethod method, RedisJob annotation) {
		String queue = String.valueOf(this.frame.attributes().text(method, "queue", annotation.queue()));
		QueueProperties.Queue settings = method.configured(() -> this.properties.get().queue(queue));
		ListenerMethod listener = new ListenerMethod(bean, method, Job.class, false);
		this.frame.payloads().verify(listener);
		Integer concurrency = this.frame.attributes().count(method, "concurrency", annotation.concurrency());
		ConsumerSettings container = new ConsumerSettings((concurrency != null) ? concurrency : settings.concurrency(),
				1, settings.visibilityTimeout(), LINGER, false, Duration.ZERO,
				this.frame.properties().get().shutdownTimeout(),
				Objects.requireNonNullElse(settings.autoStartup(), annotation.autoStartup()),
				this.frame.properties().get().maxProcessingTime());
		String other = this.listeners.putIfAbsent(queue, method.displayName());
		if (other != null) {
			throw method.problem("queue '" + queue + "' has another listener, " + other + ".",
					"Leave one of them, or use two queues.");
		}
		RedisJobSource source = new RedisJobSource(queue, settings, this.redis.get().forConsumers(),
				this.frame.properties().get().maxTakeBytes());
		this.frame.consumers()
			.get()
			.add(this.redis.get().backend(), source, listener.handler(source.reader()), container);
	}

}
