// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import io.ge.redis.test.RedisNode;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.TcpProxy;
import io.ge.redis.test.fault.Fault;
import io.ge.redis.test.instance.Instance;
import io.ge.redis.test.instance.Instances;
import io.ge.redis.test.instance.Sabotage;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * A Redis that writes everything to disk, a network in front of it, and instances of one
 * application. Views of a site share Redis and network and have instances of their own,
 * which are started when they are first asked for and replaced when they have died.
 */
public final class Site implements AutoCloseable {

	/**
	 * What was handed to the system before a reply outlives the process, synced or not.
	 */
	private static final String[] ON_DISK = { "appendonly yes", "appendfsync no" };

	private final Servers servers;

	private final Instances instances;

	private final List<Instance> running = new ArrayList<>();

	private Site(Servers servers, Instances instances) {
		this.servers = servers;
		this.instances = instances;
	}

	/**
	 * Starts Redis and no instance yet.
	 * @param application the configuration of the application
	 * @param properties properties of its instances, as {@code name=value}
	 * @return the site
	 */
	public static Site of(Class<?> application, String... properties) {
		Servers servers = new Servers();
		Instances instances = Instances.of(application)
			.with("spring.data.redis.host=" + servers.network.host(),
					"spring.data.redis.port=" + servers.network.port())
			.with(properties);
		return new Site(servers, instances);
	}

	/**
	 * The same with other properties.
	 * @param properties pairs as {@code name=value}
	 * @return a view
	 */
	public Site with(String... properties) {
		return view(this.instances.with(properties));
	}

	/**
	 * The same with protections turned off.
	 * @param sabotage which ones
	 * @return a view
	 */
	public Site sabotaged(Sabotage... sabotage) {
		return view(this.instances.sabotaged(sabotage));
	}

	/**
	 * The same with a wrong clock.
	 * @param ahead how far it is ahead
	 * @return a view
	 */
	public Site clockAhead(Duration ahead) {
		return view(this.instances.clockAhead(ahead));
	}

	private Site view(Instances changed) {
		return new Site(this.servers, changed);
	}

	/**
	 * The server.
	 * @return the server, running or not
	 */
	public RedisNode redis() {
		return this.servers.redis.primary();
	}

	/**
	 * What stands between the instances and the server.
	 * @return the network
	 */
	public TcpProxy network() {
		return this.servers.network;
	}

	/**
	 * Instances that run.
	 * @param number how many
	 * @return as many, the same as before if they still live
	 */
	public List<Instance> instances(int number) {
		this.running.removeIf((instance) -> !instance.isRunning());
		int missing = number - this.running.size();
		if (missing > 0) {
			this.running.addAll(this.instances.start(missing));
		}
		return List.copyOf(this.running.subList(0, number));
	}

	/**
	 * Instances of which nobody is replaced as long as another one runs.
	 * @param number how many there are at first
	 * @return those that still run, or as many new ones
	 */
	public List<Instance> survivors(int number) {
		this.running.removeIf((instance) -> !instance.isRunning());
		return this.running.isEmpty() ? instances(number) : List.copyOf(this.running);
	}

	/**
	 * Ends those that run, so that the next ones are new.
	 */
	public void endInstances() {
		this.running.forEach(Instance::close);
		this.running.clear();
	}

	/**
	 * An instance that runs.
	 * @return the same as before if it still lives
	 */
	public Instance instance() {
		return instances(1).get(0);
	}

	/**
	 * One instance that runs.
	 * @return the first
	 */
	public Fleet one() {
		return () -> instances(1);
	}

	/**
	 * Another instance that runs.
	 * @return the second
	 */
	public Fleet second() {
		return () -> instances(2).subList(1, 2);
	}

	/**
	 * Two instances that run.
	 * @return the first and the second
	 */
	public Fleet two() {
		return () -> instances(2);
	}

	/**
	 * Instances that begin when the server has a replica.
	 * @param instances who begins
	 * @return the same, later
	 */
	public Fleet replicated(Fleet instances) {
		return () -> {
			replicate();
			return instances.start();
		};
	}

	/**
	 * Mends whatever is broken and empties Redis.
	 */
	public void reset() {
		if (redis().isRunning()) {
			redis().resume();
		}
		else {
			redis().start();
		}
		this.servers.network.latency(Duration.ZERO);
		this.servers.network.resume();
		redis().command("CONFIG", "SET", "maxmemory", "0", "maxmemory-policy", "noeviction");
		redis().command("ACL", "SETUSER", "default", "+@all");
		this.servers.redis.flushAll();
	}

	/**
	 * How long Redis is away: in the long size of a run for longer than any default of a
	 * lease.
	 * @param shortSize how long in the short size
	 * @return the time
	 */
	public static Duration outage(Duration shortSize) {
		return (Integer.getInteger("ge.test.chaos.minutes", 0) > 0) ? Duration.ofSeconds(35) : shortSize;
	}

	/**
	 * The server is killed, and started again with what it has on disk.
	 * @return the fault
	 */
	public Fault redisKilled() {
		return Fault.of("Redis killed", () -> redis().kill(), () -> redis().start());
	}

	/**
	 * The server hangs.
	 * @return the fault
	 */
	public Fault redisHung() {
		return Fault.of("Redis hung", () -> redis().pause(), () -> redis().resume());
	}

	/**
	 * The network is cut.
	 * @return the fault
	 */
	public Fault networkCut() {
		return Fault.of("network cut", () -> network().cut(), () -> network().resume());
	}

	/**
	 * The network is slow.
	 * @param latency how slow
	 * @return the fault
	 */
	public Fault latency(Duration latency) {
		return Fault.of(latency.toMillis() + " ms latency", () -> this.servers.network.latency(latency),
				() -> this.servers.network.latency(Duration.ZERO));
	}

	/**
	 * The server ends all connections, except that of the one who asks for it, again and
	 * again, for less than the leases of tests: beyond them it would be an outage.
	 * @return the fault
	 */
	public Fault connectionsKilled() {
		return Fault.of("CLIENT KILL", () -> {
			for (int i = 0; i < 30; i++) {
				redis().command("CLIENT", "KILL", "TYPE", "normal");
				redis().command("CLIENT", "KILL", "TYPE", "pubsub");
				TimeUnit.MILLISECONDS.sleep(10);
			}
		});
	}

	/**
	 * The server ends all connections that wait for messages, and takes no new ones.
	 * @return the fault
	 */
	public Fault pushCut() {
		return Fault.of("push connection cut", () -> {
			redis().command("ACL", "SETUSER", "default", "-subscribe");
			redis().command("CLIENT", "KILL", "TYPE", "pubsub");
		}, () -> redis().command("ACL", "SETUSER", "default", "+subscribe"));
	}

	/**
	 * The server loses everything.
	 * @return the fault
	 */
	public Fault flushed() {
		return Fault.of("FLUSHALL", () -> this.servers.redis.flushAll());
	}

	/**
	 * The server takes nothing more.
	 * @return the fault
	 */
	public Fault memoryFull() {
		return Fault.of("maxmemory with noeviction", () -> redis().command("CONFIG", "SET", "maxmemory", "1"),
				() -> redis().command("CONFIG", "SET", "maxmemory", "0"));
	}

	/**
	 * The server evicts whatever was not used for long, and is filled by others until it
	 * does.
	 * @return the fault
	 */
	public Fault evicting() {
		return Fault.of("maxmemory with allkeys-lru", () -> {
			redis().command("CONFIG", "SET", "maxmemory", "6mb", "maxmemory-policy", "allkeys-lru");
			fill();
		}, () -> redis().command("CONFIG", "SET", "maxmemory", "0", "maxmemory-policy", "noeviction"));
	}

	/**
	 * Writes as much as the server may hold.
	 */
	public void fill() {
		for (int i = 0; i < 14; i++) {
			redis().command("EVAL", """
					for i = 1, 500 do
					  redis.call('SET', 'filler:' .. ARGV[1] .. ':' .. i, string.rep('x', 1000), 'PX', 60000)
					end
					""", "0", String.valueOf(i));
		}
	}

	/**
	 * Gives the server a replica that has all it has.
	 */
	public void replicate() {
		this.servers.replicate();
	}

	/**
	 * The replica lags behind, and then takes the place of its primary, which is dead.
	 * @return the fault; to be preceded by {@link #replicate()}
	 */
	public Fault failover() {
		return Fault.of("failover to a lagging replica", () -> this.servers.lag(), () -> this.servers.failOver());
	}

	@Override
	public void close() {
		this.instances.close();
		this.servers.close();
	}

	/**
	 * What all views share.
	 */
	private static final class Servers {

		private StandaloneRedis redis = RedisServers.standalone(ON_DISK);

		private final TcpProxy network = new TcpProxy(this.redis.primary());

		private @Nullable TcpProxy link;

		private @Nullable StandaloneRedis standby;

		void replicate() {
			closeStandby();
			TcpProxy opened = new TcpProxy(this.redis.primary());
			StandaloneRedis replica = RedisServers.standalone(ON_DISK);
			replica.primary().command("REPLICAOF", opened.host(), String.valueOf(opened.port()));
			Awaitility.await("replica in sync")
				.atMost(Duration.ofSeconds(30))
				.pollInterval(Duration.ofMillis(20))
				.until(() -> "up".equals(replica.primary().info("replication", "master_link_status")));
			this.link = opened;
			this.standby = replica;
		}

		void lag() {
			Objects.requireNonNull(this.link).hang();
		}

		void failOver() {
			StandaloneRedis former = this.redis;
			StandaloneRedis next = Objects.requireNonNull(this.standby);
			former.primary().kill();
			// What the network holds back must not arrive after all
			Objects.requireNonNull(this.link).closeConnections();
			next.primary().command("REPLICAOF", "NO", "ONE");
			this.network.redirect(next.primary());
			this.redis = next;
			this.standby = null;
			closeStandby();
			former.close();
		}

		private void closeStandby() {
			if (this.link != null) {
				this.link.close();
				this.link = null;
			}
			if (this.standby != null) {
				this.standby.close();
				this.standby = null;
			}
		}

		void close() {
			this.network.close();
			closeStandby();
			this.redis.close();
		}

	}

}
