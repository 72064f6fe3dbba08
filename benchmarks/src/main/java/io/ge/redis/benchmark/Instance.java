// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark;

import java.time.Duration;

import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.RedisBackends;
import io.ge.redis.test.RedisNode;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.distributed.proxy.ProxyManager;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/**
 * One instance of an application, with the peers beside the starter, each as its
 * documentation sets it up.
 */
final class Instance implements AutoCloseable {

	private final ConfigurableApplicationContext context;

	private final RedissonClient redisson;

	private final RedisClient bucketClient;

	private final ProxyManager<byte[]> buckets;

	private final RedisLockRegistry pushLocks;

	private final RedisLockRegistry spinLocks;

	private final RawRedis raw;

	Instance(RedisNode server) {
		this.context = new SpringApplicationBuilder(BenchmarkApplication.class).web(WebApplicationType.NONE)
			.properties("spring.main.banner-mode=off", "logging.level.root=warn",
					"spring.data.redis.host=" + server.host(), "spring.data.redis.port=" + server.port(),
					// What is measured is the cost of a call, not what becomes of a late
					// one
					"ge.redis.outage.command-timeout=5s", "ge.redis.session.enabled=true")
			.properties(BenchmarkApplication.NEAR)
			.properties(BenchmarkApplication.STRUCTURES)
			.run();
		Config config = new Config();
		config.useSingleServer().setAddress("redis://" + server.address());
		this.redisson = Redisson.create(config);
		this.bucketClient = RedisClient.create(RedisURI.create(server.host(), server.port()));
		this.buckets = Bucket4jLettuce.casBasedBuilder(this.bucketClient)
			.expirationAfterWrite(
					ExpirationAfterWriteStrategy.basedOnTimeForRefillingBucketUpToMax(Duration.ofSeconds(10)))
			.build();
		RedisConnectionFactory connectionFactory = this.context.getBean(RedisConnectionFactory.class);
		this.pushLocks = new RedisLockRegistry(connectionFactory, "push", Duration.ofSeconds(30));
		this.pushLocks.setRedisLockType(RedisLockType.PUB_SUB_LOCK);
		this.spinLocks = new RedisLockRegistry(connectionFactory, "spin", Duration.ofSeconds(30));
		this.raw = new RawRedis(backend().connection());
	}

	RedisBackend backend() {
		return this.context.getBean(RedisBackends.class).get(null);
	}

	<T> T get(Class<T> type) {
		return this.context.getBean(type);
	}

	Guarded guarded() {
		return get(Guarded.class);
	}

	StringRedisTemplate template() {
		return get(StringRedisTemplate.class);
	}

	RawRedis raw() {
		return this.raw;
	}

	RedissonClient redisson() {
		return this.redisson;
	}

	ProxyManager<byte[]> buckets() {
		return this.buckets;
	}

	RedisLockRegistry pushLocks() {
		return this.pushLocks;
	}

	RedisLockRegistry spinLocks() {
		return this.spinLocks;
	}

	@Override
	public void close() {
		this.pushLocks.destroy();
		this.spinLocks.destroy();
		this.bucketClient.shutdown();
		this.redisson.shutdown();
		this.context.close();
	}

}
