// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.scenario;

import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.ge.redis.RedisUnavailableException;
import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.autoconfigure.SessionAutoConfiguration;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.session.internal.RedisSessions;
import io.ge.redis.test.instance.Operation;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.session.FindByIndexNameSessionRepository;
import org.springframework.session.Session;

/**
 * A user who logs in, changes the session in many requests, and logs out while one more
 * request is under way. Each step is repeated until Redis has acknowledged it.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, JacksonAutoConfiguration.class,
		GeRedisAutoConfiguration.class, SessionAutoConfiguration.class })
public class SessionApplication {

	private static final long PAUSE_MILLIS = 5;

	private final AtomicInteger logins = new AtomicInteger();

	/**
	 * Takes the name of the user and the number of logins; returns what was broken.
	 */
	@Bean
	Operation work(RedisSessions sessions) {
		return (arguments) -> {
			Set<String> broken = new TreeSet<>();
			for (int login = 0; login < Integer.parseInt(arguments[1]); login++) {
				work(sessions, arguments[0] + login, broken);
				this.logins.incrementAndGet();
			}
			return String.join(",", broken);
		};
	}

	/** Returns how many logins have ended. */
	@Bean
	Operation logins() {
		return (arguments) -> String.valueOf(this.logins);
	}

	private static void work(RedisSessions sessions, String user, Set<String> broken) throws InterruptedException {
		Session session = sessions.create();
		session.setAttribute(FindByIndexNameSessionRepository.PRINCIPAL_NAME_INDEX_NAME, user);
		acknowledged(() -> Waiting.await(sessions.save(session)));
		Set<String> saved = new TreeSet<>();
		for (int i = 0; i < 5; i++) {
			Session request = load(sessions, session.getId());
			if (request == null) {
				broken.add("lost session");
				return;
			}
			request.setAttribute("a" + i, i);
			acknowledged(() -> Waiting.await(sessions.save(request)));
			saved.add("a" + i);
		}
		Session late = load(sessions, session.getId());
		if (late == null || !late.getAttributeNames().containsAll(saved)) {
			broken.add("lost attribute");
			return;
		}
		if (acknowledged(() -> sessions.list(user)).size() != 1) {
			broken.add("lost entry");
		}
		late.changeSessionId();
		late.setAttribute("late", 1);
		acknowledged(() -> sessions.endAll(user));
		acknowledged(() -> Waiting.await(sessions.save(late)));
		if (load(sessions, session.getId()) != null || load(sessions, late.getId()) != null) {
			broken.add("resurrected session");
		}
		if (!acknowledged(() -> sessions.list(user)).isEmpty()) {
			broken.add("leaked entry");
		}
	}

	private static @Nullable Session load(RedisSessions sessions, String id) throws InterruptedException {
		return acknowledged(() -> Waiting.await(sessions.load(id)));
	}

	private static <T extends @Nullable Object> T acknowledged(Supplier<T> step) throws InterruptedException {
		while (true) {
			try {
				return step.get();
			}
			catch (RedisUnavailableException ex) {
				TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
			}
		}
	}

}
