// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;

import io.ge.redis.core.connection.GuardConnection;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;

import org.springframework.beans.DirectFieldAccessor;

/**
 * The very connection that the guards use, without the guards: the driver's asynchronous
 * API and a caller that waits for the reply.
 */
final class RawRedis {

	private final RedisClusterAsyncCommands<byte[], byte[]> commands;

	/**
	 * Reaches through the guards to their driver.
	 * @param connection the guards' connection, connected
	 */
	RawRedis(GuardConnection connection) {
		this.commands = commands(current(connection));
	}

	private static Object current(Object holder) {
		Object reference = new DirectFieldAccessor(holder).getPropertyValue("current");
		Object value = (reference instanceof AtomicReference<?> current) ? current.get() : null;
		if (value == null) {
			throw new IllegalStateException("The guards are not connected through the driver's asynchronous API");
		}
		return value;
	}

	@SuppressWarnings("unchecked")
	private static RedisClusterAsyncCommands<byte[], byte[]> commands(Object link) {
		Object commands = new DirectFieldAccessor(link).getPropertyValue("commands");
		if (commands == null) {
			throw new IllegalStateException("The guards are not connected");
		}
		return (RedisClusterAsyncCommands<byte[], byte[]>) commands;
	}

	String ping() throws ExecutionException, InterruptedException {
		return this.commands.ping().get();
	}

	byte[] get(String key) throws ExecutionException, InterruptedException {
		return this.commands.get(key.getBytes(StandardCharsets.US_ASCII)).get();
	}

	List<?> evalSha(String sha, byte[][] keys, byte[][] arguments) throws ExecutionException, InterruptedException {
		return this.commands.<List<?>>evalsha(sha, ScriptOutputType.MULTI, keys, arguments).get();
	}

}
