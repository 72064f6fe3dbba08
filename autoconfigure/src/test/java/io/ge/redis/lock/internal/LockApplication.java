// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.autoconfigure.LockAutoConfiguration;
import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.RedisBackends;
import io.ge.redis.core.event.GuardListener;
import io.ge.redis.core.script.ScriptListener;
import io.ge.redis.lock.DistributedLocks;
import io.ge.redis.lock.LockEvent;
import org.awaitility.Awaitility;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * One instance of an application that uses locks.
 */
final class LockApplication implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private LockApplication() {
	}

	static LockApplication start(String[] redis, Class<?>... beans) {
		return start(redis, new String[0], beans);
	}

	static LockApplication start(String[] redis, String[] properties, Class<?>... beans) {
		LockApplication application = new LockApplication();
		TestPropertyValues.of(redis).and(properties).applyTo(application.context);
		application.context.register(Base.class);
		for (Class<?> bean : beans) {
			application.context.register(bean);
		}
		application.context.refresh();
		application.locks();
		application.awaitSubscribed();
		return application;
	}

	RedisBackend backend() {
		return get(RedisBackends.class).get(null);
	}

	/**
	 * Waits until messages are heard. What the subscription sets off at once is over
	 * then, since messages come after it.
	 */
	private void awaitSubscribed() {
		Awaitility.await("subscription").until(backend().bus()::isSubscribed);
		tell("nothing");
	}

	/**
	 * Says something to this instance, as anybody could, and waits until it has heard it.
	 */
	void tell(String message) {
		CountDownLatch heard = new CountDownLatch(1);
		backend().bus().handle("told", (text) -> heard.countDown());
		publish(message);
		Awaitility.await("message").atMost(PATIENCE).until(() -> {
			publish("told");
			return heard.await(100, TimeUnit.MILLISECONDS);
		});
	}

	private void publish(String message) {
		backend().connection()
			.publish(backend().bus().channel().getBytes(StandardCharsets.UTF_8),
					message.getBytes(StandardCharsets.UTF_8));
	}

	<T> T get(Class<T> type) {
		return this.context.getBean(type);
	}

	DistributedLocks locks() {
		return get(DistributedLocks.class);
	}

	<T extends LockEvent> List<T> events(Class<T> type) {
		List<T> found = new ArrayList<>();
		for (Object event : get(Recorder.class).events) {
			if (type.isInstance(event)) {
				found.add(type.cast(event));
			}
		}
		return found;
	}

	/**
	 * How many scripts this instance has run for its locks.
	 */
	int scripts() {
		return get(Recorder.class).scripts.get();
	}

	/**
	 * Does something on another thread.
	 */
	<T> CompletableFuture<T> async(java.util.function.Supplier<T> work) {
		return CompletableFuture.supplyAsync(work, this.threads);
	}

	int waiting() {
		return get(LockPattern.class).waiting();
	}

	@Override
	public void close() {
		this.context.close();
		this.threads.shutdownNow();
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, GeRedisAutoConfiguration.class,
			LockAutoConfiguration.class })
	static class Base {

		@Bean
		Recorder recorder() {
			return new Recorder();
		}

		@Bean
		GuardListener events(Recorder recorder) {
			return recorder.events::add;
		}

		@Bean
		ScriptListener scripts(Recorder recorder) {
			// Not what the application does in the background, at a time of its own
			return (script, nanos, failure) -> recorder.scripts.addAndGet(script.name().startsWith("lock/") ? 1 : 0);
		}

	}

	static final class Recorder {

		final List<Object> events = new CopyOnWriteArrayList<>();

		final AtomicInteger scripts = new AtomicInteger();

	}

}
