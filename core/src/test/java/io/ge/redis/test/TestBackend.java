// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

import io.ge.redis.OutageCause;
import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.connection.GuardConnection;
import io.ge.redis.core.connection.GuardConnections;
import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.outage.GuardedRedis;
import io.ge.redis.core.outage.OutageListener;
import io.ge.redis.core.outage.OutageSettings;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptCall;
import io.ge.redis.core.script.ScriptListener;
import org.awaitility.Awaitility;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * The guards' view of a Redis, without an application around it.
 */
public final class TestBackend implements AutoCloseable {

	private final RedisConnectionFactory factory;

	private final ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(2);

	private final List<OutageCause> failures = new CopyOnWriteArrayList<>();

	private final RedisBackend backend;

	private TestBackend(RedisConnectionFactory factory, String instanceId, Duration commandTimeout,
			ScriptListener scripts, UnaryOperator<GuardConnection> connection) {
		this.factory = factory;
		OutageListener listener = new OutageListener() {

			@Override
			public void onFailure(String pattern, OutageCause cause) {
				TestBackend.this.failures.add(cause);
			}

			@Override
			public void onTransition(String breaker, boolean open) {
			}

		};
		this.backend = new RedisBackend("test", "ge", null, instanceId,
				connection.apply(GuardConnections.from(factory, () -> null)),
				new OutageSettings(commandTimeout, 3, Duration.ofMillis(50), Duration.ofSeconds(30)), this.scheduler,
				scripts, listener);
		restart();
	}

	/**
	 * Connects to a fixture.
	 * @param redis the fixture
	 * @return the backend, connected
	 */
	public static TestBackend on(RedisFixture redis) {
		return on(redis, "instance-1");
	}

	/**
	 * Connects to a fixture as one of several instances.
	 * @param redis the fixture
	 * @param instanceId the id of the instance
	 * @return the backend, connected
	 */
	public static TestBackend on(RedisFixture redis, String instanceId) {
		return on(redis.connectionFactory(), instanceId);
	}

	/**
	 * Connects through a factory, such as one that leads to a proxy.
	 * @param factory the factory, closed with the backend
	 * @param instanceId the id of the instance
	 * @return the backend, whose calls may take long, so that a busy machine is no outage
	 */
	public static TestBackend on(RedisConnectionFactory factory, String instanceId) {
		return on(factory, instanceId, Duration.ofSeconds(5));
	}

	/**
	 * Connects through a factory with a budget.
	 * @param factory the factory, closed with the backend
	 * @param instanceId the id of the instance
	 * @param commandTimeout the budget of a call
	 * @return the backend
	 */
	public static TestBackend on(RedisConnectionFactory factory, String instanceId, Duration commandTimeout) {
		return new TestBackend(factory, instanceId, commandTimeout, (script, nanos, failure) -> {
		}, UnaryOperator.identity());
	}

	/**
	 * Connects through a factory with a budget and a connection that behaves otherwise.
	 * @param factory the factory, closed with the backend
	 * @param commandTimeout the budget of a call
	 * @param connection makes that connection from the usual one
	 * @return the backend
	 */
	public static TestBackend on(RedisConnectionFactory factory, Duration commandTimeout,
			UnaryOperator<GuardConnection> connection) {
		return new TestBackend(factory, "instance-1", commandTimeout, (script, nanos, failure) -> {
		}, connection);
	}

	/**
	 * Connects through a factory and tells of the scripts that were run.
	 * @param factory the factory, closed with the backend
	 * @param instanceId the id of the instance
	 * @param scripts told of each before its reply is given to who sent it
	 * @return the backend
	 */
	public static TestBackend on(RedisConnectionFactory factory, String instanceId, ScriptListener scripts) {
		return new TestBackend(factory, instanceId, Duration.ofSeconds(5), scripts, UnaryOperator.identity());
	}

	/**
	 * Connects to a fixture by another connection.
	 * @param redis the fixture
	 * @param connection makes the connection from the usual one
	 * @return the backend
	 */
	public static TestBackend on(RedisFixture redis, UnaryOperator<GuardConnection> connection) {
		return on(redis.connectionFactory(), Duration.ofSeconds(5), connection);
	}

	/**
	 * Starts the backend and waits for a connection, which may fail.
	 */
	public void restart() {
		this.backend.redis("test");
		this.backend.start(false);
		awaitWarmUp();
	}

	/**
	 * Waits a moment for the connection of the last start.
	 */
	public void awaitWarmUp() {
		this.backend.warmUp()
			.handle((warm, failure) -> true)
			.completeOnTimeout(true, 1500, TimeUnit.MILLISECONDS)
			.join();
	}

	/**
	 * Returns the backend.
	 * @return the backend
	 */
	public RedisBackend get() {
		return this.backend;
	}

	/**
	 * Waits for the first answer on the connection of consumers, for which there is more
	 * time than for further ones.
	 */
	public void awaitConsumers() {
		GuardedRedis redis = get().forConsumers().redis("test");
		ScriptCall probe = ScriptCall.of(LuaScript.load(RedisBackend.class, "probe.lua"),
				get().keys("test").entity(KeyPart.of("probe")));
		Awaitility.await()
			.until(() -> redis.run(probe, redis.newBudget()).handle((reply, failure) -> failure == null).join());
	}

	/**
	 * Returns the causes of failed commands so far.
	 * @return the causes
	 */
	public List<OutageCause> failures() {
		return this.failures;
	}

	@Override
	public void close() {
		this.backend.stop();
		this.scheduler.shutdownNow();
		try {
			((DisposableBean) this.factory).destroy();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

}
