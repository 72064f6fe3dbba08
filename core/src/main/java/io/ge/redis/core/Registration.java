// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.RedisKey;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptCall;
import io.ge.redis.core.script.ScriptExecutor;
import io.ge.redis.core.script.ScriptReply;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Notes the application's name in Redis and warns once if another application uses the
 * same prefix and database. Both would share locks, idempotency keys and cache entries.
 * <p>
 * A failure is ignored: the next period tries again.
 */
final class Registration {

	static final Duration PERIOD = Duration.ofSeconds(30);

	private static final Duration KEPT = PERIOD.multipliedBy(3);

	private static final LuaScript REGISTER = LuaScript.load(Registration.class, "register.lua");

	private static final Log logger = LogFactory.getLog(Registration.class);

	private final ScriptExecutor scripts;

	private final RedisKey key;

	private final String prefix;

	private final String application;

	private final AtomicBoolean warned = new AtomicBoolean();

	Registration(ScriptExecutor scripts, RedisKey key, String prefix, String application) {
		this.scripts = scripts;
		this.key = key;
		this.prefix = prefix;
		this.application = application;
	}

	CompletableFuture<Void> renew() {
		return this.scripts.run(ScriptCall.of(REGISTER, this.key, this.application, KEPT.toMillis()))
			.thenAccept(this::warnOfOthers);
	}

	private void warnOfOthers(ScriptReply reply) {
		if (reply.size() == 0 || !this.warned.compareAndSet(false, true)) {
			return;
		}
		List<String> others = new ArrayList<>();
		for (int i = 0; i < reply.size(); i++) {
			// Any program with access to Redis can write any text
			others.add("'" + KeyPart.of(reply.text(i)) + "'");
		}
		logger.warn("The application '" + KeyPart.of(this.application) + "' shares the key prefix '" + this.prefix
				+ "' and the Redis database with " + String.join(", ", others)
				+ ", and with it locks, limits, idempotency keys, revocations and cache entries of the same names. "
				+ "Set ge.redis.key-prefix to another value in each application.");
	}

}
