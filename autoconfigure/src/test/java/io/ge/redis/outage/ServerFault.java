// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.outage;

import java.time.Duration;

import io.ge.redis.OutageCause;
import io.ge.redis.test.RedisNode;
import org.jspecify.annotations.Nullable;

/**
 * A way in which Redis fails, and what callers are to notice of it.
 */
enum ServerFault {

	/** Every connection is lost, and the next one works. */
	CONNECTIONS_KILLED(null, false) {

		@Override
		void inject(RedisNode server) {
			server.killClients("normal");
			server.killClients("pubsub");
		}

		@Override
		void heal(RedisNode server) {
			// It has healed itself
		}

		@Override
		Answer answer(String pattern) {
			return Answer.EITHER;
		}

	},

	/** The server forgets its scripts. */
	SCRIPTS_FORGOTTEN(null, false) {

		@Override
		void inject(RedisNode server) {
			server.command("SCRIPT", "FLUSH");
		}

		@Override
		void heal(RedisNode server) {
			// Nobody notices
		}

		@Override
		Answer answer(String pattern) {
			return Answer.REDIS;
		}

	},

	/** Everything is answered but scripts and writes. */
	WRITES_PAUSED(OutageCause.TIMEOUT, true) {

		@Override
		void inject(RedisNode server) {
			server.pauseWrites(Duration.ofMinutes(1));
		}

		@Override
		void heal(RedisNode server) {
			server.resumeWrites();
		}

	},

	/** Nothing is answered. */
	BLOCKED(OutageCause.TIMEOUT, true) {

		@Override
		void inject(RedisNode server) {
			server.pause();
		}

		@Override
		void heal(RedisNode server) {
			server.resume();
		}

	},

	/** The server was killed, and has much to read before it answers again. */
	RESTARTED(null, true) {

		@Override
		void inject(RedisNode server) {
			server.restartLoading(Duration.ofSeconds(4));
		}

		@Override
		void heal(RedisNode server) {
			server.awaitLoaded();
		}

	},

	/** The server reads its data again. */
	LOADING(OutageCause.LOADING, true) {

		@Override
		void inject(RedisNode server) {
			server.reload(Duration.ofSeconds(4));
		}

		@Override
		void heal(RedisNode server) {
			server.awaitLoaded();
		}

	},

	/** The server is a replica now. */
	DEMOTED(OutageCause.READONLY, true) {

		@Override
		void inject(RedisNode server) {
			server.demote();
		}

		@Override
		void heal(RedisNode server) {
			server.promote();
		}

		@Override
		Answer answer(String pattern) {
			// These only read, which replicas do until the breaker opens
			return (pattern.equals("blacklist") || pattern.equals("cache")) ? Answer.EITHER : Answer.POLICY;
		}

	},

	/** The limit of the memory is reached, and nothing may be evicted. */
	WITHOUT_MEMORY(OutageCause.OOM, false) {

		@Override
		void inject(RedisNode server) {
			server.exhaustMemory();
		}

		@Override
		void heal(RedisNode server) {
			server.freeMemory();
		}

		@Override
		Answer answer(String pattern) {
			return pattern.equals("blacklist") ? Answer.REDIS : Answer.POLICY;
		}

	},

	/** The user may run no scripts. */
	WITHOUT_PERMISSION(OutageCause.NOPERM, false) {

		@Override
		void inject(RedisNode server) {
			server.forbid("evalsha");
		}

		@Override
		void heal(RedisNode server) {
			server.permit("evalsha");
		}

	};

	private static final Duration SHORT = Duration.ofMillis(300);

	private static final Duration LONG = Duration.ofSeconds(5);

	private final @Nullable OutageCause cause;

	private final boolean opensBreaker;

	ServerFault(@Nullable OutageCause cause, boolean opensBreaker) {
		this.cause = cause;
		this.opensBreaker = opensBreaker;
	}

	abstract void inject(RedisNode server);

	abstract void heal(RedisNode server);

	/**
	 * Who answers the calls of a pattern while the fault lasts.
	 */
	Answer answer(String pattern) {
		return Answer.POLICY;
	}

	/**
	 * What the meter calls it, or {@code null} if it need not count anything.
	 */
	@Nullable OutageCause cause() {
		return this.cause;
	}

	boolean opensBreaker() {
		return this.opensBreaker;
	}

	/**
	 * The budget of a call: short where it has to run out, else so long that a busy
	 * machine is not taken for the fault.
	 */
	Duration budget() {
		return (this == WRITES_PAUSED || this == BLOCKED || this == RESTARTED) ? SHORT : LONG;
	}

	/**
	 * Who decides on a call.
	 */
	enum Answer {

		/** Redis, as if nothing had happened. */
		REDIS,

		/** What {@code onOutage} says. */
		POLICY,

		/** The one or the other. */
		EITHER

	}

}
