/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.blacklist;

import io.ge.redis.blacklist.BlacklistEvent.Outcome;
import io.ge.redis.blacklist.BlacklistEvent.Source;
import io.ge.redis.core.outage.RedisUnavailableException;
import org.jspecify.annotations.Nullable;

/**
 * What the engine says to its caller, who publishes the event on its own thread.
 *
 * @param status what is known of the token or subject
 * @param refusal why the call is refused for want of a decision, or {@code null}
 * @param event what to tell
 */
record Verdict(TokenStatus status, @Nullable RedisUnavailableException refusal, BlacklistEvent event) {

	static Verdict clear(String list, Source source) {
		return new Verdict(TokenStatus.CLEAR, null, new BlacklistEvent(list, Outcome.CLEAR, source));
	}

	static Verdict of(Blacklist list, TokenStatus status, Source source, @Nullable String reason) {
		return (status == TokenStatus.CLEAR) ? clear(list.name(), source)
				: new Verdict(status, null, new BlacklistEvent(list.name(), Outcome.REVOKED, source, reason));
	}

	static Verdict undecided(Blacklist list, @Nullable RedisUnavailableException refusal) {
		return new Verdict(TokenStatus.CLEAR, refusal, new BlacklistEvent(list.name(), Outcome.ERROR, Source.REDIS));
	}

	Verdict orRefuse() {
		if (this.refusal != null) {
			throw this.refusal.ofCaller("blacklist '" + this.event.name() + "'");
		}
		return this;
	}

	@Nullable String reason() {
		return this.event.reason();
	}

}
