// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.util.ArrayList;
import java.util.List;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Redis as a test sees it, whatever its topology: how to connect, what it was asked, what
 * it holds. Closing it ends all its servers. What the servers themselves can suffer is in
 * {@link RedisNode}.
 */
public abstract class RedisFixture implements AutoCloseable {

	RedisFixture() {
	}

	/**
	 * The servers that hold data and run now, primaries and replicas.
	 * @return the servers, in the order in which they were first started
	 */
	public abstract List<? extends RedisEndpoint> endpoints();

	/**
	 * How Spring Data would be told to connect.
	 * @return a configuration of the matching kind
	 */
	public abstract RedisConfiguration configuration();

	/**
	 * The {@code spring.data.redis.*} properties that point to the servers.
	 * @return the properties without the driver
	 */
	abstract List<String> serverProperties();

	@Override
	public abstract void close();

	/**
	 * Everything under {@code spring.data.redis} that an application needs to use these
	 * servers, for {@code ApplicationContextRunner.withPropertyValues}.
	 * @return pairs as {@code name=value}
	 */
	public final String[] properties() {
		List<String> properties = new ArrayList<>(serverProperties());
		properties.add("spring.data.redis.client-type=lettuce");
		return properties.toArray(String[]::new);
	}

	/**
	 * A factory with the driver's defaults, started; the caller destroys it.
	 * @return a new factory
	 */
	public final LettuceConnectionFactory connectionFactory() {
		RedisConfiguration configuration = configuration();
		LettuceConnectionFactory factory;
		if (configuration instanceof RedisClusterConfiguration cluster) {
			factory = new LettuceConnectionFactory(cluster);
		}
		else if (configuration instanceof RedisSentinelConfiguration sentinel) {
			factory = new LettuceConnectionFactory(sentinel);
		}
		else {
			factory = new LettuceConnectionFactory((RedisStandaloneConfiguration) configuration);
		}
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	/**
	 * A Jedis factory with the driver's defaults, started; the caller destroys it.
	 * @return a new factory
	 */
	public final JedisConnectionFactory jedisConnectionFactory() {
		RedisConfiguration configuration = configuration();
		JedisConnectionFactory factory;
		if (configuration instanceof RedisClusterConfiguration cluster) {
			factory = new JedisConnectionFactory(cluster);
		}
		else if (configuration instanceof RedisSentinelConfiguration sentinel) {
			factory = new JedisConnectionFactory(sentinel);
		}
		else {
			factory = new JedisConnectionFactory((RedisStandaloneConfiguration) configuration);
		}
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	/**
	 * How often a command ran on all servers since the last {@link #configResetStat()}.
	 * The server counts what scripts call inside, and on replicas what is replicated.
	 * @param command the name in lower case, a subcommand after a bar:
	 * {@code script|load}
	 * @return the number of calls, failed ones included
	 */
	public final long commandCalls(String command) {
		long calls = 0;
		for (RedisEndpoint endpoint : endpoints()) {
			calls += endpoint.commandCalls(command);
		}
		return calls;
	}

	/**
	 * Lets {@link #commandCalls} count from zero on all servers.
	 */
	public final void configResetStat() {
		endpoints().forEach((endpoint) -> endpoint.command("CONFIG", "RESETSTAT"));
	}

	/**
	 * The keys that would stay for ever. The list is complete if nothing writes
	 * meanwhile.
	 * @return the keys of all primaries whose TTL is -1, in no order
	 */
	public final List<String> keysWithoutTtl() {
		List<String> keys = new ArrayList<>();
		primaries().forEach((primary) -> keys.addAll(primary.keysWithoutTtl()));
		return keys;
	}

	/**
	 * Removes every key of every database.
	 */
	public final void flushAll() {
		primaries().forEach((primary) -> primary.command("FLUSHALL", "SYNC"));
	}

	/**
	 * Makes every server forget its scripts, as a restart would.
	 */
	public final void scriptFlush() {
		endpoints().forEach((endpoint) -> endpoint.command("SCRIPT", "FLUSH"));
	}

	private List<? extends RedisEndpoint> primaries() {
		return endpoints().stream().filter(RedisEndpoint::isPrimary).toList();
	}

}
