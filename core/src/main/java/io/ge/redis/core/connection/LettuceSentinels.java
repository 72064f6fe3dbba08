// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.connection;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.ValueListOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import org.jspecify.annotations.Nullable;

/**
 * Follows the primary behind Sentinel.
 * <p>
 * After a planned failover the former primary accepts writes for ten more seconds, on
 * connections that never break. So each Sentinel is subscribed to, and asked every
 * second. The primary is the server that most answering Sentinels name, and at least half
 * of all: a Sentinel that is cut off still names the former primary.
 */
final class LettuceSentinels {

	private static final long PERIOD_MILLIS = 1000;

	private static final long ANSWER_MILLIS = 300;

	/** The Sentinels, the name of the primary, and its credentials. */
	private final RedisURI settings;

	private final RedisClient client;

	private final Openings openings;

	private final Runnable newPrimary;

	private final Future<?> polling;

	private final Map<RedisURI, CompletableFuture<StatefulRedisPubSubConnection<String, String>>> connections = new ConcurrentHashMap<>();

	private final AtomicReference<Known> known = new AtomicReference<>(new Known(System.nanoTime(), List.of()));

	LettuceSentinels(RedisURI settings, ClientResources resources, ClientOptions options, Openings openings,
			Runnable newPrimary) {
		this.settings = settings;
		this.openings = openings;
		this.newPrimary = newPrimary;
		this.client = RedisClient.create(resources);
		// A connection with a subscription answers questions in this protocol only
		this.client.setOptions(options.mutate().protocolVersion(ProtocolVersion.RESP3).build());
		this.polling = resources.eventExecutorGroup()
			.scheduleWithFixedDelay(this::primary, PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
	}

	/**
	 * Asks the Sentinels for the primary.
	 * @return completes with the last known one if the Sentinels do not agree
	 */
	CompletionStage<RedisURI> primary() {
		long asked = System.nanoTime();
		List<CompletableFuture<List<String>>> answers = this.settings.getSentinels().stream().map(this::ask).toList();
		return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)).handle((all, failure) -> {
			List<List<String>> named = answers.stream()
				.filter((answer) -> !answer.isCompletedExceptionally())
				.map(CompletableFuture::join)
				.filter((answer) -> answer.size() == 2)
				.toList();
			// A few answering Sentinels may be cut off, so leaving a known primary takes
			// half of all
			int least = this.known.get().server().isEmpty() ? 1 : (this.settings.getSentinels().size() + 1) / 2;
			named.stream()
				.collect(Collectors.groupingBy((server) -> server, Collectors.counting()))
				.forEach((server, count) -> {
					if (count > named.size() / 2 && count >= least) {
						follow(new Known(asked, server));
					}
				});
			return address(failure);
		});
	}

	private void follow(Known named) {
		Known before = this.known.getAndAccumulate(named,
				(one, other) -> (one.asked() - other.asked() > 0) ? one : other);
		if (!before.server().isEmpty() && named.asked() - before.asked() > 0
				&& !before.server().equals(named.server())) {
			this.newPrimary.run();
		}
	}

	private RedisURI address(@Nullable Throwable failure) {
		List<String> server = this.known.get().server();
		if (server.isEmpty()) {
			throw new NotConnectedException("No Sentinel names a primary '" + this.settings.getSentinelMasterId() + "'",
					failure);
		}
		return RedisURI.builder(this.settings)
			.withHost(server.get(0))
			.withPort(Integer.parseInt(server.get(1)))
			.build();
	}

	private CompletableFuture<List<String>> ask(RedisURI sentinel) {
		CommandArgs<String, String> question = new CommandArgs<>(StringCodec.UTF8).add("GET-MASTER-ADDR-BY-NAME")
			.add(this.settings.getSentinelMasterId());
		CompletableFuture<StatefulRedisPubSubConnection<String, String>> asked = connection(sentinel);
		CompletableFuture<List<String>> answer = asked.thenCompose((connection) -> connection.async()
			.dispatch(CommandType.SENTINEL, new ValueListOutput<>(StringCodec.UTF8), question)
			.toCompletableFuture()
			.orTimeout(ANSWER_MILLIS, TimeUnit.MILLISECONDS)
			.whenComplete((server, failure) -> {
				if (failure != null) {
					forget(sentinel, asked);
				}
			}));
		// A slow connection to one Sentinel must not delay following the others
		return this.known.get().server().isEmpty() ? answer : answer.orTimeout(ANSWER_MILLIS, TimeUnit.MILLISECONDS);
	}

	private CompletableFuture<StatefulRedisPubSubConnection<String, String>> connection(RedisURI sentinel) {
		CompletableFuture<StatefulRedisPubSubConnection<String, String>> fresh = new CompletableFuture<>();
		CompletableFuture<StatefulRedisPubSubConnection<String, String>> present = this.connections
			.putIfAbsent(sentinel, fresh);
		if (present != null) {
			return present;
		}
		this.openings.begin(() -> this.client.connectPubSubAsync(StringCodec.UTF8, sentinel))
			.whenComplete((opened, failure) -> {
				if (failure != null) {
					this.connections.remove(sentinel, fresh);
					fresh.completeExceptionally(failure);
					return;
				}
				opened.addListener(new RedisPubSubAdapter<String, String>() {

					@Override
					public void message(String channel, String message) {
						primary();
					}

				});
				LettuceLink.onLost(opened, () -> forget(sentinel, fresh));
				opened.async().subscribe("+switch-master");
				fresh.complete(opened);
			});
		return fresh;
	}

	private void forget(RedisURI sentinel,
			CompletableFuture<StatefulRedisPubSubConnection<String, String>> connection) {
		if (this.connections.remove(sentinel, connection)) {
			connection.thenAccept(StatefulRedisPubSubConnection::closeAsync);
		}
	}

	void close() {
		this.polling.cancel(false);
		this.connections.clear();
		this.client.shutdown(Duration.ZERO, Duration.ZERO);
	}

	/**
	 * The primary that was named.
	 *
	 * @param server host and port, empty if none was named
	 */
	private record Known(long asked, List<String> server) {
	}

}
