// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.connection;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.Subscription;
import org.springframework.data.redis.connection.SubscriptionListener;

/**
 * A subscription over a blocking driver: one thread that sits in {@code SUBSCRIBE} and
 * subscribes again when it returns.
 */
final class SpringDataPushSubscription implements PushSubscription {

	private final RedisConnectionFactory factory;

	private final PushSubscriber subscriber;

	private final SubscribeRetries retries;

	private final byte[][] channels;

	private final Thread thread;

	private volatile @Nullable RedisConnection connection;

	private volatile boolean closed;

	SpringDataPushSubscription(RedisConnectionFactory factory, PushSubscriber subscriber, List<byte[]> channels) {
		this.factory = factory;
		this.subscriber = subscriber;
		this.retries = new SubscribeRetries(subscriber);
		this.channels = channels.toArray(new byte[0][]);
		this.thread = DaemonThreads.named("ge-redis-push").newThread(this::run);
	}

	void start() {
		this.thread.start();
	}

	private void run() {
		while (!this.closed) {
			Listener listener = new Listener();
			long retryMillis = SubscribeRetries.SHORTEST_MILLIS;
			try (RedisConnection opened = this.factory.getConnection()) {
				this.connection = opened;
				if (!this.closed) {
					opened.subscribe(listener, this.channels);
				}
			}
			catch (RuntimeException ex) {
				// the next round tries again; who waits for messages is told below
				retryMillis = this.retries.afterFailure(ex);
			}
			if (listener.subscribed == this.channels.length && !this.closed) {
				this.subscriber.onLost();
			}
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(retryMillis));
		}
	}

	@Override
	public void close() {
		this.closed = true;
		try {
			unsubscribe();
		}
		catch (RuntimeException ex) {
			// the driver has lost or not yet used the connection: there is nothing to
			// unsubscribe
		}
		LockSupport.unpark(this.thread);
	}

	private void unsubscribe() {
		RedisConnection opened = this.connection;
		Subscription subscription = (opened != null) ? opened.getSubscription() : null;
		if (subscription != null && subscription.isAlive()) {
			subscription.close();
		}
	}

	private final class Listener implements MessageListener, SubscriptionListener {

		private int subscribed;

		@Override
		public void onMessage(Message message, byte @Nullable [] pattern) {
			SpringDataPushSubscription.this.subscriber.onMessage(message.getChannel(), message.getBody());
		}

		@Override
		public void onChannelSubscribed(byte[] channel, long count) {
			this.subscribed++;
			if (this.subscribed == SpringDataPushSubscription.this.channels.length) {
				SpringDataPushSubscription.this.retries.subscribed();
				SpringDataPushSubscription.this.subscriber.onSubscribed();
			}
		}

	}

}
