// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.bus;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import io.ge.redis.core.connection.GuardConnection;
import io.ge.redis.core.connection.PushSubscriber;
import io.ge.redis.core.connection.PushSubscription;
import org.jspecify.annotations.Nullable;

/**
 * Messages to this instance, over one subscription whatever the number of locks, caches
 * or waiters.
 * <p>
 * Scripts publish to {@link #channel()} a topic, a space and a payload. Messages are lost
 * whenever the connection is. So no pattern may rely on messages alone. All are notified
 * to read again when the subscription exists anew.
 * <p>
 * Each database has channels of its own: {@code prefix:bus:*} for database 0, for others
 * {@code prefix:bus:number:*}. Each instance publishes a heartbeat every two seconds, so
 * that all know their number without a key in Redis. During an outage they keep the last
 * number.
 * <p>
 * Messages to all instances are published to {@link #notificationChannel()}. A pattern
 * that answers from memory until it receives them has the bus confirmed: a message that
 * comes back shows that every earlier one has arrived. On a Cluster that holds as long as
 * its nodes reach each other. {@link Reports} collect state that only all instances
 * together know, such as the holders of locks.
 */
public final class InstanceBus {

	private final GuardConnection connection;

	private final ScheduledExecutorService scheduler;

	private final String instanceId;

	private final String channel;

	private final byte[] heartbeatChannel;

	private final String notificationChannel;

	private final String channelPattern;

	private final ChannelRights rights;

	private final Map<String, List<Consumer<String>>> handlers = new ConcurrentHashMap<>();

	private final Confirmation confirmation;

	private final List<Runnable> subscribedActions = new CopyOnWriteArrayList<>();

	private final List<Runnable> lostActions = new CopyOnWriteArrayList<>();

	private final LiveInstances instances;

	private final UnreadableMessages unreadable = new UnreadableMessages(System::nanoTime);

	private final Questions questions;

	private volatile boolean subscribed;

	private @Nullable PushSubscription subscription;

	private @Nullable Future<?> pinging;

	private @Nullable Future<?> heartbeat;

	public InstanceBus(GuardConnection connection, ScheduledExecutorService scheduler, String prefix,
			String instanceId) {
		this.connection = connection;
		this.scheduler = scheduler;
		this.instances = new LiveInstances(instanceId);
		this.instanceId = instanceId;
		// Channels know no databases. Database 0 keeps the channels of earlier releases
		int database = connection.database();
		String channels = prefix + ":bus:" + ((database != 0) ? database + ":" : "");
		this.channel = channels + instanceId;
		this.heartbeatChannel = (channels + "all").getBytes(StandardCharsets.UTF_8);
		this.notificationChannel = channels + "news";
		this.channelPattern = channels + "*";
		this.rights = new ChannelRights(this.channelPattern);
		this.confirmation = new Confirmation(connection, this.channel);
		handle(Confirmation.TOPIC, this.confirmation::received);
		this.questions = new Questions(connection, scheduler, instanceId, channels, this.notificationChannel,
				this.unreadable);
		handle(Questions.QUESTION, this.questions::asked);
		handle(Questions.ANSWER, this.questions::answered);
	}

	public void start() {
		this.subscription = this.connection.subscribe(new Subscriber(),
				List.of(this.channel.getBytes(StandardCharsets.UTF_8), this.heartbeatChannel,
						this.notificationChannel.getBytes(StandardCharsets.UTF_8)));
		long period = LiveInstances.HEARTBEAT.toMillis();
		this.heartbeat = this.scheduler.scheduleWithFixedDelay(this::beat, period, period, TimeUnit.MILLISECONDS);
		this.pinging = this.scheduler.scheduleWithFixedDelay(this::confirm, Confirmation.PERIOD.toMillis(),
				Confirmation.PERIOD.toMillis(), TimeUnit.MILLISECONDS);
	}

	/**
	 * Announces the end of this instance and ends the subscription, until it is started
	 * again.
	 */
	public void stop() {
		if (this.subscribed) {
			publish(this.instances.goodbye());
			lost();
		}
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
	 */
	public String instanceId() {
		return this.instanceId;
	}

	/**
	 * Returns the channel of this instance, for scripts that publish to it.
	 */
	public String channel() {
		return this.channel;
	}

	/**
	 * Returns the channel of all instances, for scripts that publish what concerns each.
	 */
	public String notificationChannel() {
		return this.notificationChannel;
	}

	/**
	 * Returns the pattern of all channels, which the Redis user must be allowed to use.
	 */
	public String channelPattern() {
		return this.channelPattern;
	}

	/**
	 * Returns what keeps this instance from using the channels.
	 */
	public @Nullable String problem() {
		return this.rights.problem();
	}

	/**
	 * Checks that this instance may publish to all instances, with a message that all
	 * ignore.
	 * @return completes exceptionally if Redis refuses it or is unavailable
	 */
	public CompletionStage<?> tryPublish() {
		return this.connection.publish(this.notificationChannel.getBytes(StandardCharsets.UTF_8),
				"bus.try".getBytes(StandardCharsets.UTF_8));
	}

	/**
	 * Adds a handler of a topic, whichever of the two channels it comes by.
	 * @param handler takes the payload, on a thread of the driver; must not block
	 */
	public void handle(String topic, Consumer<String> handler) {
		this.handlers.computeIfAbsent(topic, (key) -> new CopyOnWriteArrayList<>()).add(handler);
	}

	/**
	 * Makes this instance answer questions of a topic, also its own. The answerer returns
	 * the answer to a text, both short, on a thread that may work for a moment but not
	 * wait.
	 */
	void onQuestion(String topic, UnaryOperator<String> answerer) {
		this.questions.answer(topic, answerer);
	}

	/**
	 * Asks all instances: one message, and one for each answer. Waits for as many answers
	 * as the server reports listeners, on a Cluster for the answers of all known
	 * instances. Waits for 500 ms at most, and not at all while no message would reach
	 * this instance. Never completes exceptionally; this instance's own answer is always
	 * included if it has one.
	 */
	CompletableFuture<Questions.Answers> ask(String topic, String question) {
		liveInstances();
		return this.questions.ask(topic, question, this.instances.ids(), this.subscribed);
	}

	/**
	 * Confirms the bus by a message to itself every 300 ms while it is wanted.
	 * @param wanted asked every 300 ms while the subscription is active, regardless of
	 * other callers; must not block
	 */
	public void confirmWhile(BooleanSupplier wanted) {
		this.confirmation.sendWhile(wanted);
	}

	/**
	 * Returns when the last message was sent that is known to have come back. All earlier
	 * messages have arrived.
	 * @return by {@link System#nanoTime()}; long ago if none came back over the present
	 * subscription
	 */
	public long confirmedAt() {
		return this.confirmation.confirmedAt();
	}

	/**
	 * Adds an action that runs when the subscription becomes active, the first time and
	 * after each interruption, since messages may have been lost until then.
	 * @param action must not block
	 */
	public void onSubscribed(Runnable action) {
		this.subscribedActions.add(action);
	}

	/**
	 * Adds an action that runs when the subscription is lost or the bus is stopped: no
	 * message arrives until it exists again.
	 * @param action must not block
	 */
	public void onLost(Runnable action) {
		this.lostActions.add(action);
	}

	/**
	 * Returns whether messages reach this instance at present, as far as it knows.
	 */
	public boolean isSubscribed() {
		return this.subscribed;
	}

	/**
	 * Returns when this instance last received its own heartbeat of every two seconds. If
	 * that is long ago, messages are being lost without an error.
	 * @return by {@link System#nanoTime()}; as of subscribing if nothing was heard since
	 */
	public long heardAt() {
		return this.instances.heardAt();
	}

	public int liveInstances() {
		if (this.subscribed) {
			this.instances.forgetSilent();
		}
		return this.instances.lastKnown();
	}

	/**
	 * Returns the position of this instance among the live ones, from 1. It may change as
	 * others start and stop.
	 */
	public int position() {
		return this.instances.position();
	}

	private void lost() {
		this.subscribed = false;
		this.confirmation.forget();
		this.lostActions.forEach(Runnable::run);
	}

	private void beat() {
		if (this.subscribed) {
			liveInstances();
			publish(this.instances.heartbeat()).whenComplete((receivers, failure) -> this.rights.tried(failure));
		}
	}

	private void confirm() {
		if (this.subscribed) {
			this.confirmation.sendIfWanted();
		}
	}

	private CompletionStage<Integer> publish(String message) {
		return this.connection.publish(this.heartbeatChannel, message.getBytes(StandardCharsets.UTF_8));
	}

	private void onHeartbeat(String message) {
		if (this.instances.heard(message)) {
			// A new instance is notified of this one at once
			try {
				this.scheduler.execute(this::beat);
			}
			catch (RejectedExecutionException ex) {
				// shutting down
			}
		}
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
				if (Arrays.equals(source, InstanceBus.this.heartbeatChannel)) {
					onHeartbeat(text);
				}
				else {
					onInstanceMessage(text);
				}
			}
			catch (RuntimeException ex) {
				InstanceBus.this.unreadable.add(text, ex);
			}
		}

		@Override
		public void onSubscribed() {
			InstanceBus.this.instances.listening();
			InstanceBus.this.subscribed = true;
			beat();
			InstanceBus.this.subscribedActions.forEach(Runnable::run);
		}

		@Override
		public void onLost() {
			if (InstanceBus.this.subscribed) {
				liveInstances();
				lost();
			}
		}

		@Override
		public void onRefused(Throwable failure) {
			InstanceBus.this.rights.tried(failure);
		}

	}

}
