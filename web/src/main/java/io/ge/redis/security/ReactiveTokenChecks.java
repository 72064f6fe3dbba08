// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.security;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;

import io.ge.redis.GeRedisException;
import io.ge.redis.RedisUnavailableException;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.TokenIdentity;
import io.ge.redis.blacklist.TokenRevokedException;
import io.ge.redis.blacklist.TokenStatus;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Asks the blacklist in a chain of Reactor types, on whose event loop nothing waits. Work
 * after an answer of Redis runs on a worker of Reactor, since the thread of the driver
 * serves all guards.
 */
final class ReactiveTokenChecks {

	private final Supplier<@Nullable TokenBlacklist> blacklist;

	ReactiveTokenChecks(Supplier<@Nullable TokenBlacklist> blacklist) {
		this.blacklist = blacklist;
	}

	<T> Mono<T> pass(T value, Supplier<TokenIdentity> token, Function<TokenStatus, Throwable> refusal,
			Function<RedisUnavailableException, Throwable> outage) {
		TokenBlacklist blacklist = this.blacklist.get();
		if (blacklist == null) {
			return Mono.just(value);
		}
		return check(blacklist, token.get()).onErrorMap(RedisUnavailableException.class, outage)
			.flatMap((status) -> (status == TokenStatus.CLEAR) ? Mono.just(value)
					: note(status).then(Mono.error(() -> refusal.apply(status))));
	}

	private static Mono<TokenStatus> check(TokenBlacklist blacklist, TokenIdentity token) {
		return Mono.defer(() -> {
			CompletionStage<TokenStatus> status = blacklist.checkAsync(token);
			CompletableFuture<TokenStatus> future = status.toCompletableFuture();
			Mono<TokenStatus> answer = Mono.fromFuture(future, true);
			return future.isDone() ? answer : answer.publishOn(Schedulers.parallel());
		});
	}

	private static Mono<Void> note(TokenStatus status) {
		return Mono.deferContextual((context) -> {
			AtomicReference<GeRedisException> noted = context.getOrDefault(GeRedisException.class.getName(), null);
			if (noted != null) {
				noted.set(new TokenRevokedException(TokenBlacklist.TOKENS, status));
			}
			return Mono.empty();
		});
	}

}
