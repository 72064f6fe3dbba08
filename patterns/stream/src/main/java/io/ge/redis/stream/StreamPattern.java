// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.stream;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.ge.redis.RedisUnavailableException;
import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.consume.Backoff;
import io.ge.redis.core.consume.ConsumerFrame;
import io.ge.redis.core.consume.ConsumerSettings;
import io.ge.redis.core.consume.ListenerMethod;
import io.ge.redis.core.consume.MessageReader;
import io.ge.redis.core.consume.WorkHandler;
import io.ge.redis.core.event.EventGauge;
import io.ge.redis.core.guard.GuardPattern;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.stream.StreamEvent.Kind;
import io.ge.redis.stream.StreamProperties.Group;
import org.apache.commons.logging.LogFactory;

import org.springframework.util.function.SingletonSupplier;

/**
 * Assembles streams: publisher, listeners and dead letters stand on one adapter, which is
 * made when the first of them is used.
 */
public final class StreamPattern implements GuardPattern {

	private static final String DEFINITIONS = "ge.redis.stream.definitions.";

	/** The time for which acknowledgements are collected. */
	private static final Duration LINGER = Duration.ofMillis(5);

	private final ConsumerFrame frame;

	private final Supplier<Assembly> assembly;

	private final Set<String> listened = ConcurrentHashMap.newKeySet();

	public StreamPattern(Supplier<StreamProperties> properties, Supplier<RedisBackend> backend, ConsumerFrame frame) {
		this.frame = frame;
		this.assembly = SingletonSupplier.of(() -> create(backend.get(), properties.get()));
	}

	private Assembly create(RedisBackend backend, StreamProperties properties) {
		RedisStreams redis = new RedisStreams(backend, properties);
		StreamFormat format = new StreamFormat(this.frame.payloads());
		StreamControl control = new StreamControl(redis);
		backend.reportProblem(control::problem);
		return new Assembly(backend, redis, format,
				new DefaultStreamPublisher(redis, format, this.frame.events(), new ThreadLocal<>()), control);
	}

	public StreamPublisher publisher() {
		return this.assembly.get().publisher();
	}

	public DeadLetters deadLetters() {
		return this.assembly.get().redis();
	}

	public StreamViews views() {
		return this.assembly.get().control();
	}

	public static List<EventGauge> gauges(Supplier<StreamPattern> pattern) {
		return StreamControl.gauges(() -> pattern.get().assembly.get().control());
	}

	/**
	 * Reads the definitions, so that a mistake in them ends the start.
	 */
	@Override
	public void verify() {
		Objects.requireNonNull(this.assembly.get());
	}

	// Meters begin at zero, and gauges are read beside them
	@Override
	public void resume() {
		RedisStreams redis = this.assembly.get().redis();
		verifyPartitions(redis);
		for (StreamDefinition definition : redis.definitions()) {
			this.frame.events().publish(new StreamEvent(definition.name(), Kind.OK, 0));
			definition.properties()
				.groups()
				.keySet()
				.forEach((group) -> this.frame.events()
					.publish(new StreamEvent(definition.name() + "/" + group, Kind.DONE, 0)));
		}
	}

	private static void verifyPartitions(RedisStreams redis) {
		try {
			Waiting.await(RedisStreams.all(redis.definitions().stream().map(redis::verifyPartitions)));
		}
		catch (RedisUnavailableException ex) {
			LogFactory.getLog(StreamPattern.class)
				.warn("Could not check whether former partitions of streams hold messages: " + ex.getMessage());
		}
	}

	/**
	 * Has a method called with messages.
	 * @throws io.ge.redis.GuardConfigurationException if it cannot listen; says what to
	 * write
	 */
	public void listen(Object bean, GuardedMethod method, RedisStreamListener attributes) {
		Assembly assembly = this.assembly.get();
		String stream = String.valueOf(this.frame.attributes().text(method, "stream", attributes.stream()));
		StreamDefinition definition = method.configured(() -> assembly.redis().definition(stream));
		String name = group(method, attributes, definition);
		Group group = settings(method, attributes, definition, name);
		ListenerMethod listener = new ListenerMethod(bean, method, StreamEnvelope.class, attributes.batch());
		verify(listener, attributes);
		boolean letters = attributes.deadLetters();
		RedisStreamSource source = new RedisStreamSource(assembly.redis(), definition, name, group,
				this.frame.properties().get(), letters, Objects.requireNonNullElse(group.start(), attributes.start()),
				this.frame.events());
		if (!this.listened.add(source.name())) {
			throw method.problem("another method of this application listens to '" + source.name() + "'.",
					"Let one of them listen, or give it another group.");
		}
		MessageReader<StreamEntry> reader = assembly.format().reader(definition, letters);
		Integer concurrency = this.frame.attributes().count(method, "concurrency", attributes.concurrency());
		ConsumerSettings settings = new ConsumerSettings((concurrency != null) ? concurrency : group.concurrency(),
				attributes.batch() ? group.batchSize() : 1, group.minIdle(), LINGER, attributes.manual(), Duration.ZERO,
				this.frame.properties().get().shutdownTimeout(),
				Objects.requireNonNullElse(group.autoStartup(), attributes.autoStartup()),
				this.frame.properties().get().maxProcessingTime());
		WorkHandler<StreamEntry> handler = assembly.publisher().causing(listener.handler(reader));
		this.frame.consumers().get().add(assembly.backend(), source, handler, settings);
	}

	private String group(GuardedMethod method, RedisStreamListener attributes, StreamDefinition definition) {
		String group = this.frame.attributes().text(method, "group", attributes.group());
		Set<String> known = definition.properties().groups().keySet();
		if (group == null && known.size() == 1 && !attributes.deadLetters()) {
			return known.iterator().next();
		}
		if (group == null) {
			throw method.problem("it names no group.",
					attributes.deadLetters() ? "Set group to a name for the readers of the dead letters."
							: "Set group to one of " + known + ".");
		}
		return group;
	}

	private static Group settings(GuardedMethod method, RedisStreamListener attributes, StreamDefinition definition,
			String name) {
		Group group = attributes.deadLetters()
				? new Group(1, 1, Duration.ofSeconds(30), Integer.MAX_VALUE,
						new Backoff(Duration.ofSeconds(1), Duration.ofMinutes(1)), null, null)
				: definition.properties().groups().get(name);
		if (group == null) {
			throw method.problem("stream '" + definition.name() + "' has no group '" + name + "'.",
					"Write " + DEFINITIONS + definition.name() + ".groups." + name + ".concurrency=1, or take one of "
							+ definition.properties().groups().keySet() + ".");
		}
		return group;
	}

	private void verify(ListenerMethod listener, RedisStreamListener attributes) {
		GuardedMethod method = listener.method();
		if (attributes.manual() != listener.takesAcknowledgment()) {
			throw method.problem(
					attributes.manual() ? "it is manual, and takes no Acknowledgment."
							: "it takes an Acknowledgment, and is not manual.",
					attributes.manual() ? "Add a parameter of that type, or leave out manual."
							: "Set manual = true, or take the parameter away.");
		}
		if (attributes.deadLetters()) {
			if (listener.payloadType() != DeadLetter.class) {
				throw method.problem("it listens to dead letters, and takes none.",
						"Write a parameter of the type DeadLetter, or of a List of it in batch mode.");
			}
			return;
		}
		this.frame.payloads().verify(listener);
	}

	private record Assembly(RedisBackend backend, RedisStreams redis, StreamFormat format,
			DefaultStreamPublisher publisher, StreamControl control) {
	}

}
