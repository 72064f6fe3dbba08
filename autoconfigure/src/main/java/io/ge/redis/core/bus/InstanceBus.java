/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.bus;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import io.ge.redis.core.connection.GuardConnection;
import io.ge.redis.core.connection.PushSubscriber;
import io.ge.redis.core.connection.PushSubscription;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Messages to this instance, over one subscription whatever the number of locks, caches
 * or waiters.
 * <p>
 * Scripts publish to {@link #channel()} a topic, a space and a payload. Messages may be
 * lost, whenever the connection is: who waits for one is told to look again when the
 * subscription stands anew, and must not rely on messages alone.
 * <p>
 * Each instance says every two seconds on a channel of all that it is there. So every
 * instance knows, without any key in Redis, how many there are, and keeps the last figure
 * while Redis is away.
 * <p>
 * What concerns all instances is published to {@link #newsChannel()}. Who must not miss
 * such news, because it answers from memory until it hears them, has the bus confirmed: a
 * message that comes back shows that every earlier one has arrived. On a Cluster that
 * holds as long as its nodes hear each other.
 */
public final class InstanceBus {

	private static final Log logger = LogFactory.getLog(InstanceBus.class);

	private static final Duration HEARTBEAT = Duration.ofSeconds(2);

	private static final long ALIVE_NANOS = HEARTBEAT.toNanos() * 3;

	private static final String GONE = "-";

	private final GuardConnection connection;

	private final ScheduledExecutorService scheduler;

	private final String instanceId;

	private final String channel;

	private final byte[] fleetChannel;

	private final String newsChannel;

	private final Map<String, List<Consumer<String>>> handlers = new ConcurrentHashMap<>();

	private final Confirmation confirmation;

	private final List<Runnable> subscribedActions = new CopyOnWriteArrayList<>();

	private final List<Runnable> lostActions = new CopyOnWriteArrayList<>();

	private final Map<String, Long> seen = new ConcurrentHashMap<>();

	private volatile boolean subscribed;

	private volatile int lastKnown = 1;

	/**
	 * When this instance heard itself: others are missing only if it does, or else Redis
	 * hangs and nobody is heard.
	 */
	private volatile long heardAt;

	private @Nullable PushSubscription subscription;

	private @Nullable Future<?> pinging;

	private @Nullable Future<?> heartbeat;

	/**
	 * Creates a bus that is not yet connected.
	 * @param connection the guards' connection
	 * @param scheduler runs the heartbeat
	 * @param prefix the key prefix, also of the channels
	 * @param instanceId the unique id of this instance
	 */
	public InstanceBus(GuardConnection connection, ScheduledExecutorService scheduler, String prefix,
			String instanceId) {
		this.connection = connection;
		this.scheduler = scheduler;
		this.instanceId = instanceId;
		this.channel = prefix + ":bus:" + instanceId;
		this.fleetChannel = (prefix + ":bus:all").getBytes(StandardCharsets.UTF_8);
		this.newsChannel = prefix + ":bus:news";
		this.confirmation = new Confirmation(connection, this.channel);
		handle(Confirmation.TOPIC, this.confirmation::received);
	}

	/**
	 * Subscribes, in the background, and begins the heartbeat.
	 */
	public void start() {
		this.subscription = this.connection.subscribe(new Subscriber(),
				List.of(this.channel.getBytes(StandardCharsets.UTF_8), this.fleetChannel,
						this.newsChannel.getBytes(StandardCharsets.UTF_8)));
		this.heartbeat = this.scheduler.scheduleWithFixedDelay(this::beat, HEARTBEAT.toMillis(), HEARTBEAT.toMillis(),
				TimeUnit.MILLISECONDS);
		this.pinging = this.scheduler.scheduleWithFixedDelay(this::confirm, Confirmation.PERIOD.toMillis(),
				Confirmation.PERIOD.toMillis(), TimeUnit.MILLISECONDS);
	}

	/**
	 * Says goodbye and ends the subscription, until it is started again.
	 */
	public void stop() {
		if (this.subscribed) {
			publish(GONE + this.instanceId);
		}
		this.subscribed = false;
		this.confirmation.forget();
		if (this.heartbeat != null) {
			this.heartbeat.cancel(false);
		}
		if (this.pinging != null) {
			this.pinging.cancel(false);
		}
		if (this.subscription != null) {
			this.subscription.close();
		}
	}

	/**
	 * Returns the id of this instance.
	 * @return the id, without spaces
	 */
	public String instanceId() {
		return this.instanceId;
	}

	/**
	 * Returns the channel of this instance, for scripts that publish to it.
	 * @return the channel
	 */
	public String channel() {
		return this.channel;
	}

	/**
	 * Returns the channel of all instances, for scripts that publish what concerns each.
	 * @return the channel
	 */
	public String newsChannel() {
		return this.newsChannel;
	}

	/**
	 * Adds a handler of a topic, whichever of the two channels it comes by.
	 * @param topic a word
	 * @param handler takes the payload, on a thread of the driver; must not block
	 */
	public void handle(String topic, Consumer<String> handler) {
		this.handlers.computeIfAbsent(topic, (key) -> new CopyOnWriteArrayList<>()).add(handler);
	}

	/**
	 * Has the bus confirmed: a message to itself every 300 ms while somebody wants it.
	 * @param wanted asked before each
	 */
	public void confirmWhile(BooleanSupplier wanted) {
		this.confirmation.sendWhile(wanted);
	}

	/**
	 * Returns when the last message was sent that is known to have come back. All that
	 * was published before has arrived.
	 * @return by {@link System#nanoTime()}; long ago if none came back over the present
	 * subscription
	 */
	public long confirmedAt() {
		return this.confirmation.confirmedAt();
	}

	/**
	 * Adds something to do when the subscription stands, the first time and after each
	 * interruption, since messages may have been lost until then.
	 * @param action must not block
	 */
	public void onSubscribed(Runnable action) {
		this.subscribedActions.add(action);
	}

	/**
	 * Adds something to do when the subscription is lost, since no message will come
	 * until it stands again.
	 * @param action must not block
	 */
	public void onLost(Runnable action) {
		this.lostActions.add(action);
	}

	/**
	 * Returns whether messages reach this instance at present, as far as it knows.
	 * @return whether the subscription stands
	 */
	public boolean isSubscribed() {
		return this.subscribed;
	}

	/**
	 * Returns when this instance last heard what it says itself every two seconds. If
	 * that is long ago, messages are lost, although nobody has noticed.
	 * @return by {@link System#nanoTime()}; as of subscribing if nothing was heard since
	 */
	public long heardAt() {
		return this.heardAt;
	}

	/**
	 * Returns the last known number of live instances.
	 * @return the number, this one included
	 */
	public int liveInstances() {
		if (this.subscribed) {
			long heard = this.heardAt;
			this.seen.values().removeIf((at) -> heard - at > ALIVE_NANOS);
			this.lastKnown = this.seen.size() + 1;
		}
		return this.lastKnown;
	}

	private void beat() {
		if (this.subscribed) {
			liveInstances();
			publish(this.instanceId);
		}
	}

	private void confirm() {
		if (this.subscribed) {
			this.confirmation.sendIfWanted();
		}
	}

	private void publish(String message) {
		this.connection.publish(this.fleetChannel, message.getBytes(StandardCharsets.UTF_8));
	}

	private void onFleetMessage(String message) {
		if (message.startsWith(GONE)) {
			this.seen.remove(message.substring(GONE.length()));
		}
		else if (message.equals(this.instanceId)) {
			heardItself();
		}
		else if (this.seen.put(message, System.nanoTime()) == null) {
			// A newcomer learns of this instance at once
			try {
				this.scheduler.execute(this::beat);
			}
			catch (RejectedExecutionException ex) {
				// shutting down
			}
		}
	}

	private void heardItself() {
		long now = System.nanoTime();
		if (now - this.heardAt > ALIVE_NANOS) {
			// After a silence the others get the time to be heard as well
			this.seen.replaceAll((instance, at) -> now);
		}
		this.heardAt = now;
	}

	private void onInstanceMessage(String message) {
		int space = message.indexOf(' ');
		String topic = (space < 0) ? message : message.substring(0, space);
		String payload = (space < 0) ? "" : message.substring(space + 1);
		for (Consumer<String> handler : this.handlers.getOrDefault(topic, List.of())) {
			handler.accept(payload);
		}
	}

	private final class Subscriber implements PushSubscriber {

		@Override
		public void onMessage(byte[] source, byte[] message) {
			String text = new String(message, StandardCharsets.UTF_8);
			try {
				if (Arrays.equals(source, InstanceBus.this.fleetChannel)) {
					onFleetMessage(text);
				}
				else {
					onInstanceMessage(text);
				}
			}
			catch (RuntimeException ex) {
				logger.warn("A message on the bus could not be handled", ex);
			}
		}

		@Override
		public void onSubscribed() {
			InstanceBus.this.heardAt = System.nanoTime();
			InstanceBus.this.seen.replaceAll((instance, at) -> InstanceBus.this.heardAt);
			InstanceBus.this.subscribed = true;
			beat();
			InstanceBus.this.subscribedActions.forEach(Runnable::run);
		}

		@Override
		public void onLost() {
			if (InstanceBus.this.subscribed) {
				liveInstances();
				InstanceBus.this.subscribed = false;
				InstanceBus.this.confirmation.forget();
				InstanceBus.this.lostActions.forEach(Runnable::run);
			}
		}

	}

}
