// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * What a suite can run on: each topology, with the servers that the build carries, of
 * which one is the oldest that we support, and newer ones where Docker answers.
 */
public enum RedisTarget {

	/**
	 * One server.
	 */
	STANDALONE(SharedRedis::standalone),

	/**
	 * Three Sentinels, Redis 6.2.
	 */
	SENTINEL(SharedRedis::sentinel),

	/**
	 * Three primaries.
	 */
	CLUSTER(SharedRedis::cluster),

	/**
	 * The oldest supported server, in Docker, or the binary of the build where there is
	 * no Docker. For suites that do not run on Sentinel.
	 */
	REDIS_6_2("redis:6.2") {

		@Override
		public RedisFixture shared() {
			return Docker.isAvailable() ? super.shared() : SharedRedis.redis62();
		}

		@Override
		@Nullable String obstacle() {
			return RedisBinary.isPresent(RedisBinary.VERSION_6_2) ? null : super.obstacle();
		}

	},

	/**
	 * The last Redis 7, in Docker.
	 */
	REDIS_7_4("redis:7.4"),

	/**
	 * The current Redis 8, in Docker.
	 */
	REDIS_8("redis:8"),

	/**
	 * Valkey 8, in Docker.
	 */
	VALKEY_8("valkey/valkey:8");

	private final Supplier<RedisFixture> shared;

	private final @Nullable String image;

	RedisTarget(Supplier<RedisFixture> shared) {
		this.shared = shared;
		this.image = null;
	}

	RedisTarget(String image) {
		this.shared = () -> ContainerRedis.shared(image);
		this.image = image;
	}

	/**
	 * The servers of this target, started on first use and shared by all suites of the
	 * JVM.
	 * @return the same fixture on each call
	 */
	public RedisFixture shared() {
		return this.shared.get();
	}

	/**
	 * Why this target cannot run here.
	 * @return the reason, or {@code null} if it can
	 */
	@Nullable String obstacle() {
		return (this.image != null && !Docker.isAvailable()) ? this.image + " skipped: no Docker" : null;
	}

}
