// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.connection;

import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import org.jspecify.annotations.Nullable;

/**
 * A subscription on a Lettuce connection of its own, opened again whenever it is lost.
 */
final class LettucePushSubscription implements PushSubscription {

	/**
	 * The least time between two replacements of a lost subscription. The first is at
	 * once, since messages are missed meanwhile.
	 */
	private static final long INTERVAL_MILLIS = 50;

	private final DedicatedLettuceFactory factory;

	private final ScheduledExecutorService connector;

	private final PushSubscriber subscriber;

	private final SubscribeRetries retries;

	private final byte[][] channels;

	private final AtomicReference<@Nullable StatefulRedisPubSubConnection<byte[], byte[]>> current = new AtomicReference<>();

	/** When the last connection was opened. */
	private volatile long openedAt;

	/** Whether the subscription was active on it. */
	private volatile boolean subscribed;

	private volatile boolean closed;

	LettucePushSubscription(DedicatedLettuceFactory factory, ScheduledExecutorService connector,
			PushSubscriber subscriber, List<byte[]> channels) {
		this.factory = factory;
		this.connector = connector;
		this.subscriber = subscriber;
		this.retries = new SubscribeRetries(subscriber);
		this.channels = channels.toArray(new byte[0][]);
	}

	void start() {
		schedule(0);
	}

	private void schedule(long delayMillis) {
		if (this.closed) {
			return;
		}
		try {
			this.connector.schedule(this::open, delayMillis, TimeUnit.MILLISECONDS);
		}
		catch (RejectedExecutionException ex) {
			this.closed = true;
		}
	}

	private void open() {
		this.openedAt = System.nanoTime();
		this.subscribed = false;
		this.factory.openPubSub().whenComplete((connection, failure) -> {
			if (failure != null) {
				schedule(SubscribeRetries.SHORTEST_MILLIS);
			}
			else {
				listen(connection);
			}
		});
	}

	private void listen(StatefulRedisPubSubConnection<byte[], byte[]> connection) {
		this.current.set(connection);
		if (this.closed) {
			connection.closeAsync();
			return;
		}
		connection.addListener(new RedisPubSubAdapter<byte[], byte[]>() {

			@Override
			public void message(byte[] channel, byte[] message) {
				LettucePushSubscription.this.subscriber.onMessage(channel, message);
			}

		});
		LettuceLink.onLost(connection, () -> lost(connection,
				this.subscribed ? Math.max(0, INTERVAL_MILLIS - sinceOpened()) : SubscribeRetries.SHORTEST_MILLIS));
		connection.async().subscribe(this.channels).whenComplete((done, failure) -> {
			if (failure != null) {
				lost(connection, this.retries.afterFailure(failure));
			}
			else if (connection.isOpen()) {
				this.subscribed = true;
				this.retries.subscribed();
				this.subscriber.onSubscribed();
			}
		});
	}

	private void lost(StatefulRedisPubSubConnection<byte[], byte[]> connection, long retryMillis) {
		if (this.current.compareAndSet(connection, null)) {
			connection.closeAsync();
			this.subscriber.onLost();
			schedule(retryMillis);
		}
	}

	private long sinceOpened() {
		return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - this.openedAt);
	}

	@Override
	public void close() {
		this.closed = true;
		StatefulRedisPubSubConnection<byte[], byte[]> connection = this.current.getAndSet(null);
		if (connection != null) {
			connection.close();
		}
	}

}
