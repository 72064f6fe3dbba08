// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist.internal;

import io.ge.redis.RedisUnavailableException;
import io.ge.redis.blacklist.BlacklistEvent;
import io.ge.redis.blacklist.BlacklistEvent.Outcome;
import io.ge.redis.blacklist.BlacklistEvent.Source;
import io.ge.redis.blacklist.TokenStatus;
import org.jspecify.annotations.Nullable;

/**
 * A decision about a token or a subject. Its event is published by the caller of the
 * engine, on a thread of the application.
 *
 * @param refusal the outage that refuses the call, or {@code null}
 */
record BlacklistDecision(TokenStatus status, @Nullable RedisUnavailableException refusal, BlacklistEvent event) {

	static BlacklistDecision clear(String list, Source source) {
		return new BlacklistDecision(TokenStatus.CLEAR, null, new BlacklistEvent(list, Outcome.CLEAR, source));
	}

	static BlacklistDecision of(BlacklistSettings list, TokenStatus status, Source source, @Nullable String reason) {
		return (status == TokenStatus.CLEAR) ? clear(list.name(), source)
				: new BlacklistDecision(status, null, new BlacklistEvent(list.name(), Outcome.REVOKED, source, reason));
	}

	static BlacklistDecision undecided(BlacklistSettings list, @Nullable RedisUnavailableException refusal) {
		return new BlacklistDecision(TokenStatus.CLEAR, refusal,
				new BlacklistEvent(list.name(), Outcome.ERROR, Source.REDIS));
	}

	public BlacklistDecision orRefuse() {
		if (this.refusal != null) {
			throw this.refusal.ofCaller("blacklist '" + this.event.name() + "'");
		}
		return this;
	}

	public @Nullable String reason() {
		return this.event.reason();
	}

}
