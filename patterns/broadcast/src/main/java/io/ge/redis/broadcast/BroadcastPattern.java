// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.broadcast;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.ge.redis.broadcast.RedisBroadcastSource.Entry;
import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.consume.ConsumerFrame;
import io.ge.redis.core.consume.ConsumerProperties;
import io.ge.redis.core.consume.ConsumerSettings;
import io.ge.redis.core.consume.ListenerMethod;
import io.ge.redis.core.consume.WorkHandler;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * Assembles the broadcasts: containers of listeners, and the API for code.
 */
public final class BroadcastPattern {

	/** Each instance reads every third of it, should it not be woken. */
	private static final Duration LEASE = Duration.ofSeconds(3);

	private final Supplier<BroadcastProperties> properties;

	private final ConsumerFrame frame;

	private final Supplier<RedisBroadcasts> redis;

	public BroadcastPattern(Supplier<BroadcastProperties> properties, Supplier<RedisBackend> backend,
			ConsumerFrame frame) {
		this.properties = SingletonSupplier.of(properties);
		this.frame = frame;
		this.redis = SingletonSupplier.of(() -> broadcasts(backend.get()));
	}

	private RedisBroadcasts broadcasts(RedisBackend backend) {
		return new RedisBroadcasts(this.properties.get(), backend, backend.redis("broadcast"), this.frame.payloads(),
				this.frame.events());
	}

	public Broadcaster broadcaster() {
		return this.redis.get();
	}

	public Map<String, BroadcastProperties.Channel> channels() {
		return this.properties.get().channels();
	}

	/**
	 * Returns how many messages were published to a reliable channel: one script call.
	 */
	public long published(String channel) {
		return Waiting.await(this.redis.get().lastNumber(channel));
	}

	/**
	 * Adds a listener of a channel, or refuses it.
	 */
	public void listen(Object bean, GuardedMethod method, RedisBroadcastListener annotation) {
		String channel = String.valueOf(this.frame.attributes().text(method, "channel", annotation.channel()));
		BroadcastProperties.Channel settings = method.configured(() -> this.properties.get().channel(channel));
		ListenerMethod listener = new ListenerMethod(bean, method, BroadcastMessage.class, false);
		this.frame.payloads().verify(listener);
		Method onGap = onGap(bean, method, annotation.onGap());
		if (!settings.isReliable() && onGap != null) {
			throw method.problem("channel '" + channel + "' is ephemeral, so gaps are not detected.",
					"Leave out onGap, or set ge.redis.broadcast.channels." + channel + ".mode=reliable.");
		}
		WorkHandler<Entry> messages = listener.handler(this.frame.payloads()
			.reader(Entry::payload,
					(delivery, payload) -> new BroadcastMessage<>(channel, delivery.message().number(), payload)));
		WorkHandler<Entry> handler = (batch, acknowledgment) -> {
			long missed = batch.get(0).message().missed();
			if (missed == 0) {
				return messages.handle(batch, acknowledgment);
			}
			return (onGap != null) ? listener.call(onGap, missed) : CompletableFuture.completedFuture(null);
		};
		ConsumerProperties consuming = this.frame.properties().get();
		RedisBackend backend = this.redis.get().backend();
		RedisBroadcastSource source = new RedisBroadcastSource(channel, settings, broadcasts(backend.forConsumers()),
				consuming.maxTakeBytes().toBytes());
		ConsumerSettings container = new ConsumerSettings(1, 1, LEASE, Duration.ZERO, false, Duration.ZERO,
				consuming.shutdownTimeout(),
				Objects.requireNonNullElse(settings.autoStartup(), annotation.autoStartup()),
				consuming.maxProcessingTime());
		source.onArrival(this.frame.consumers().get().add(backend, source, handler, container)::wake);
	}

	private static @Nullable Method onGap(Object bean, GuardedMethod method, String name) {
		if (name.isEmpty()) {
			return null;
		}
		Method found = ReflectionUtils.findMethod(method.targetClass(), name, long.class);
		if (found == null) {
			throw method.problem("there is no method " + name + "(long) for onGap.",
					"Add it, or correct onGap = \"" + name + "\".");
		}
		return AopUtils.selectInvocableMethod(found, bean.getClass());
	}

}
