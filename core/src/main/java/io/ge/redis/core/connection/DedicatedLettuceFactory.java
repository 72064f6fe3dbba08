// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.connection;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.stream.Stream;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode.NodeFlag;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionProvider;
import org.springframework.data.redis.connection.lettuce.LettuceConverters;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;

/**
 * A copy of the application's Lettuce factory with the options a guard needs. Commands
 * are refused at once while disconnected. A lost connection is replaced, not revived with
 * old commands. Reads go to the primary, whatever the application prefers.
 */
final class DedicatedLettuceFactory extends LettuceConnectionFactory {

	/**
	 * Bounds the TCP and protocol handshake, not commands, which have their own budget.
	 */
	private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(1);

	/** The same where no other server takes over: a first handshake may be slow. */
	private static final Duration SINGLE_HANDSHAKE = Duration.ofSeconds(2);

	/**
	 * The driver's threads end once they had nothing to do for so long, so that a channel
	 * that closes can still report it. No caller waits for that.
	 */
	private static final long QUIET_MILLIS = 100;

	private static final Duration PRIMARIES_TIMEOUT = Duration.ofMillis(300);

	private final Lock starting = new ReentrantLock();

	/** For connections to single servers of a cluster. */
	private final RedisClient servers;

	private final Openings openings = new Openings();

	/** Connections to the primary behind Sentinel, open or being opened. */
	private final Set<CompletableFuture<? extends StatefulConnection<?, ?>>> toPrimary = ConcurrentHashMap.newKeySet();

	private final Runnable newPrimary;

	private @Nullable LettuceConnectionProvider provider;

	private volatile @Nullable LettuceSentinels sentinels;

	private final String address;

	/** Created here where the application has none to share, else {@code null}. */
	private final @Nullable ClientResources ownResources;

	private DedicatedLettuceFactory(RedisConfiguration servers, LettuceClientConfiguration client,
			@Nullable ClientResources ownResources, Runnable newPrimary) {
		super(servers, client);
		this.newPrimary = newPrimary;
		this.address = GuardConnections.addressOf(servers);
		this.ownResources = ownResources;
		this.servers = RedisClient.create(client.getClientResources().orElseThrow());
		this.servers.setOptions(singleOptions(client.getClientOptions().orElseThrow()));
		setAutoStartup(false);
	}

	/**
	 * Copies a factory.
	 * @param newPrimary called when Sentinel names another primary than before, just
	 * before the connections to the former one are closed
	 */
	static DedicatedLettuceFactory copyOf(LettuceConnectionFactory application, Runnable newPrimary) {
		ClientResources shared = application.getClientConfiguration().getClientResources().orElse(null);
		ClientResources resources = (shared != null) ? shared : ClientResources.create();
		return new DedicatedLettuceFactory(serversOf(application), clientOf(application, resources),
				(shared != null) ? null : resources, newPrimary);
	}

	String address() {
		return this.address;
	}

	@Override
	public void destroy() {
		// Longer than any
		this.openings.close(SINGLE_HANDSHAKE.plus(CONNECT_TIMEOUT));
		LettuceSentinels followed = this.sentinels;
		if (followed != null) {
			followed.close();
		}
		super.destroy();
		this.servers.shutdown(Duration.ZERO, Duration.ZERO);
		if (this.ownResources != null) {
			this.ownResources.shutdown(QUIET_MILLIS, CONNECT_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
		}
	}

	private static RedisConfiguration serversOf(LettuceConnectionFactory application) {
		return Stream
			.<@Nullable RedisConfiguration>of(application.getClusterConfiguration(),
					application.getSentinelConfiguration(), application.getSocketConfiguration())
			.filter(Objects::nonNull)
			.findFirst()
			.orElseGet(application::getStandaloneConfiguration);
	}

	private static LettuceClientConfiguration clientOf(LettuceConnectionFactory application,
			ClientResources resources) {
		LettuceClientConfiguration source = application.getClientConfiguration();
		LettuceClientConfigurationBuilder target = LettuceClientConfiguration.builder()
			.commandTimeout((application.isClusterAware() || application.isRedisSentinelAware()) ? CONNECT_TIMEOUT
					: SINGLE_HANDSHAKE)
			.shutdownTimeout(Duration.ZERO)
			.shutdownQuietPeriod(Duration.ZERO)
			.clientName(source.getClientName().map((name) -> name + "-guards").orElse("ge-redis-guards"));
		ClientOptions base = source.getClientOptions().orElseGet(ClientOptions::create);
		target.clientOptions(application.isClusterAware() ? clusterOptions(base) : singleOptions(base));
		source.getRedisCredentialsProviderFactory().ifPresent(target::redisCredentialsProviderFactory);
		target.clientResources(DedicatedResources.of(resources));
		if (source.isUseSsl()) {
			target.useSsl().verifyPeer(source.getVerifyMode());
			if (source.isStartTls()) {
				target.useSsl().startTls();
			}
		}
		return target.build();
	}

	private static ClientOptions singleOptions(ClientOptions base) {
		return base.mutate()
			.autoReconnect(false)
			.disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
			.pingBeforeActivateConnection(true)
			.socketOptions(socketOptions(base))
			.timeoutOptions(TimeoutOptions.create())
			.build();
	}

	// A cluster connection is many connections, which the driver opens and revives by
	// itself
	@SuppressWarnings("deprecation") // superfluous since Lettuce 7 only
	private static ClientOptions clusterOptions(ClientOptions base) {
		ClusterClientOptions options = (base instanceof ClusterClientOptions given) ? given
				: ClusterClientOptions.builder(base).build();
		ClusterTopologyRefreshOptions refresh = ClusterTopologyRefreshOptions.builder()
			.enableAllAdaptiveRefreshTriggers()
			.adaptiveRefreshTriggersTimeout(Duration.ofMillis(500))
			.enablePeriodicRefresh(Duration.ofSeconds(30))
			.build();
		return options.mutate()
			.topologyRefreshOptions(refresh)
			.autoReconnect(true)
			.disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
			// A slot may move to a server that is newer than the map
			.validateClusterNodeMembership(false)
			.pingBeforeActivateConnection(true)
			.socketOptions(socketOptions(base))
			.timeoutOptions(TimeoutOptions.create())
			.build();
	}

	private static SocketOptions socketOptions(ClientOptions base) {
		return base.getSocketOptions().mutate().connectTimeout(CONNECT_TIMEOUT).build();
	}

	/**
	 * Opens a connection for commands.
	 */
	CompletionStage<? extends StatefulConnection<byte[], byte[]>> open() {
		return this.openings.begin(this::connect);
	}

	/**
	 * Opens a connection for messages.
	 */
	CompletionStage<? extends StatefulRedisPubSubConnection<byte[], byte[]>> openPubSub() {
		return this.openings.begin(this::connectPubSub);
	}

	/**
	 * Opens and closes a connection to one server of the cluster, to find out whether it
	 * answers.
	 */
	CompletionStage<Void> tryServer(RedisURI address) {
		return this.openings.begin(() -> this.servers.connectAsync(ByteArrayCodec.INSTANCE, address))
			.thenAccept(StatefulConnection::closeAsync);
	}

	/**
	 * Reads the map of the cluster, if a server answers.
	 */
	CompletionStage<?> readMap() {
		return ((RedisClusterClient) getRequiredNativeClient()).refreshPartitionsAsync()
			.handle((read, failure) -> failure);
	}

	/**
	 * Opens an exclusive connection to one server.
	 * @param server host and port of a server of the cluster, or {@code null} for the
	 * primary of another topology
	 */
	CompletionStage<LettuceReplicatedConnection> openReplicated(@Nullable String server) {
		return this.openings.begin(() -> (server != null) ? connectReplicated(server) : connect().thenApply(
				(connection) -> new LettuceReplicatedConnection((StatefulRedisConnection<byte[], byte[]>) connection)));
	}

	/**
	 * Opens an exclusive connection to the primary where there is no cluster.
	 */
	@SuppressWarnings("unchecked")
	CompletionStage<StatefulRedisConnection<byte[], byte[]>> openSingle() {
		return this.openings
			.begin(() -> connect().thenApply((connection) -> (StatefulRedisConnection<byte[], byte[]>) connection));
	}

	private CompletionStage<LettuceReplicatedConnection> connectReplicated(String server) {
		provider();
		RedisClusterClient cluster = (RedisClusterClient) getRequiredNativeClient();
		int colon = server.lastIndexOf(':');
		if (colon < 0) {
			return CompletableFuture.failedFuture(new NotConnectedException("No server has the slot", null));
		}
		// With the credentials that all servers of the cluster have in common
		RedisURI address = RedisURI.builder(cluster.getPartitions().getPartition(0).getUri())
			.withHost(server.substring(0, colon))
			.withPort(Integer.parseInt(server.substring(colon + 1)))
			.build();
		return this.servers.connectAsync(ByteArrayCodec.INSTANCE, address).thenApply(LettuceReplicatedConnection::new);
	}

	@SuppressWarnings("unchecked")
	private CompletionStage<? extends StatefulConnection<byte[], byte[]>> connect() {
		LettuceConnectionProvider connections = provider();
		if (getRequiredNativeClient() instanceof RedisClusterClient cluster) {
			// On an old map it would look for the primary that died
			return cluster.refreshPartitionsAsync().thenCompose((read) -> connect(cluster));
		}
		LettuceSentinels followed = this.sentinels;
		if (followed != null && getRequiredNativeClient() instanceof RedisClient client) {
			return toPrimary(followed, (primary) -> client.connectAsync(ByteArrayCodec.INSTANCE, primary));
		}
		return connections.getConnectionAsync(StatefulConnection.class)
			.thenApply((connection) -> (StatefulConnection<byte[], byte[]>) connection);
	}

	@SuppressWarnings("unchecked")
	private CompletionStage<? extends StatefulRedisPubSubConnection<byte[], byte[]>> connectPubSub() {
		LettuceConnectionProvider connections = provider();
		if (getRequiredNativeClient() instanceof RedisClusterClient cluster) {
			return cluster.refreshPartitionsAsync()
				.thenCompose((read) -> cluster.connectPubSubAsync(ByteArrayCodec.INSTANCE));
		}
		LettuceSentinels followed = this.sentinels;
		if (followed != null && getRequiredNativeClient() instanceof RedisClient client) {
			return toPrimary(followed, (primary) -> client.connectPubSubAsync(ByteArrayCodec.INSTANCE, primary));
		}
		return connections.getConnectionAsync(StatefulRedisPubSubConnection.class)
			.thenApply((connection) -> (StatefulRedisPubSubConnection<byte[], byte[]>) connection);
	}

	/**
	 * Opens a connection that is lost when Sentinel names another primary, and fails if
	 * that happens while it is opened.
	 */
	private <C extends StatefulConnection<byte[], byte[]>> CompletableFuture<C> toPrimary(LettuceSentinels followed,
			Function<RedisURI, CompletionStage<C>> connecting) {
		CompletableFuture<C> opened = new CompletableFuture<>();
		this.toPrimary.add(opened);
		followed.primary().thenCompose(connecting).whenComplete((connection, failure) -> {
			if (failure != null) {
				opened.completeExceptionally(failure);
				this.toPrimary.remove(opened);
				return;
			}
			LettuceLink.onLost(connection, () -> this.toPrimary.remove(opened));
			if (!opened.complete(connection)) {
				connection.closeAsync();
			}
		});
		return opened;
	}

	private void leaveFormerPrimary() {
		List<CompletableFuture<? extends StatefulConnection<?, ?>>> former = List.copyOf(this.toPrimary);
		former.forEach((opened) -> opened
			.completeExceptionally(new NotConnectedException("Sentinel names another primary", null)));
		this.newPrimary.run();
		for (CompletableFuture<? extends StatefulConnection<?, ?>> opened : former) {
			this.toPrimary.remove(opened);
			opened.thenAccept(LettuceLink::lose);
		}
	}

	@Override
	protected AbstractRedisClient createClient() {
		RedisClusterConfiguration cluster = getClusterConfiguration();
		if (cluster == null) {
			return super.createClient();
		}
		LettuceClientConfiguration client = getClientConfiguration();
		RedisCredentialsProvider credentials = client.getRedisCredentialsProviderFactory()
			.orElse(new RedisCredentialsProviderFactory() {
			})
			.createCredentialsProvider(cluster);
		List<RedisURI> seeds = cluster.getClusterNodes().stream().map((node) -> {
			RedisURI server = RedisURI.create(Objects.requireNonNull(node.getHost()), node.getRequiredPort());
			server.setCredentialsProvider(credentials);
			server.setDatabase(getDatabase());
			applySettings(server);
			return server;
		}).toList();
		LettuceClusterClient created = new LettuceClusterClient(client.getClientResources().orElseThrow(), seeds,
				(server) -> this.openings.begin(() -> this.servers.connectAsync(StringCodec.UTF8, server)));
		ClusterClientOptions.Builder options = ((ClusterClientOptions) client.getClientOptions().orElseThrow())
			.mutate();
		Optional.ofNullable(cluster.getMaxRedirects()).ifPresent(options::maxRedirects);
		created.setOptions(options.build());
		return created;
	}

	private void applySettings(RedisURI server) {
		LettuceClientConfiguration client = getClientConfiguration();
		client.getClientName().ifPresent(server::setClientName);
		server.setSsl(client.isUseSsl());
		server.setVerifyPeer(client.getVerifyMode());
		server.setStartTls(client.isStartTls());
		server.setTimeout(client.getCommandTimeout());
	}

	private LettuceSentinels follow(RedisSentinelConfiguration servers) {
		LettuceClientConfiguration client = getClientConfiguration();
		RedisURI settings = LettuceConverters.sentinelConfigurationToRedisURI(servers);
		Stream.concat(Stream.of(settings), settings.getSentinels().stream()).forEach(this::applySettings);
		settings.setDatabase(getDatabase());
		client.getRedisCredentialsProviderFactory().ifPresent((credentials) -> {
			settings.setCredentialsProvider(credentials.createCredentialsProvider(servers));
			RedisCredentialsProvider ofSentinels = credentials.createSentinelCredentialsProvider(servers);
			settings.getSentinels().forEach((sentinel) -> sentinel.setCredentialsProvider(ofSentinels));
		});
		return new LettuceSentinels(settings, client.getClientResources().orElseThrow(),
				client.getClientOptions().orElseThrow(), this.openings, this::leaveFormerPrimary);
	}

	/**
	 * Connects to every primary. The driver would connect to each at the first command
	 * for it, which would cost that command its budget. By address, as the driver does
	 * for commands: its connections by node id are others. A primary that hangs must not
	 * keep the connection to the others from being made.
	 */
	private static CompletionStage<StatefulConnection<byte[], byte[]>> connect(RedisClusterClient cluster) {
		return cluster.connectAsync(ByteArrayCodec.INSTANCE).thenCompose((connection) -> {
			CompletableFuture<?>[] primaries = connection.getPartitions()
				.stream()
				.filter((node) -> node.is(NodeFlag.UPSTREAM))
				.map(RedisClusterNode::getUri)
				.map((server) -> connection.getConnectionAsync(server.getHost(), server.getPort())
					.handle((opened, failure) -> server))
				.toArray(CompletableFuture[]::new);
			return CompletableFuture.allOf(primaries)
				.completeOnTimeout(null, PRIMARIES_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
				.thenApply((done) -> connection);
		});
	}

	private LettuceConnectionProvider provider() {
		this.starting.lock();
		try {
			LettuceConnectionProvider connections = this.provider;
			if (connections == null) {
				start();
				connections = doCreateConnectionProvider(getRequiredNativeClient(), ByteArrayCodec.INSTANCE);
				this.provider = connections;
				RedisSentinelConfiguration servers = getSentinelConfiguration();
				this.sentinels = (servers != null) ? follow(servers) : null;
			}
			return connections;
		}
		finally {
			this.starting.unlock();
		}
	}

}
