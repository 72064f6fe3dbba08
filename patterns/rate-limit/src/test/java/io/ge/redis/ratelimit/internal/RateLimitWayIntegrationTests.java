// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;

import io.ge.redis.core.connection.GuardConnection;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.ExpressionCompiler;
import io.ge.redis.ratelimit.RateLimited;
import io.ge.redis.test.OnRedis;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.TestBackend;
import io.ge.redis.test.TestCalls;
import org.junit.jupiter.api.Test;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The path of a call, as CONTRIBUTING lists it: the classes on the stack when the script
 * is sent.
 */
@OnRedis
class RateLimitWayIntegrationTests {

	private static final String ROOT = "io.ge.redis.";

	private final AtomicReference<List<String>> way = new AtomicReference<>();

	@Test
	void plainCallPassesNineClasses(RedisFixture redis) {
		try (TestBackend backend = TestBackend.on(redis, this::observed)) {
			RateLimitPattern pattern = new RateLimitPattern(() -> LiveInstance.properties(),
					new AttributeReader((text) -> text), new ExpressionCompiler(new DefaultListableBeanFactory()),
					backend::get, () -> null, new GuardEvents(List::of), TestCalls.plain());
			ProxyFactory proxy = new ProxyFactory(new Desk());
			proxy.setProxyTargetClass(true);
			proxy.addAdvisor(pattern.advisor(0));
			((Desk) proxy.getProxy()).call("anna");
			pattern.pause();
		}
		assertThat(this.way.get()).containsExactly("GuardInterceptor", "GuardedCalls", "PlainRun", "RateLimitedCall",
				"RateLimitEngine", "RedisRateLimiter", "Batcher", "GuardedRedis", "ScriptExecutor");
	}

	private GuardConnection observed(GuardConnection connection) {
		return (GuardConnection) Proxy.newProxyInstance(GuardConnection.class.getClassLoader(),
				new Class<?>[] { GuardConnection.class }, (proxy, method, arguments) -> {
					if (method.getName().startsWith("eval")) {
						this.way.updateAndGet((known) -> classes().contains("RateLimitedCall") ? classes() : known);
					}
					try {
						return method.invoke(connection, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

	/**
	 * Returns the library's classes on the stack, the outermost first, without the
	 * default methods of interfaces.
	 */
	private static List<String> classes() {
		List<Class<?>> frames = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
			.walk((walk) -> walk.<Class<?>>map(StackWalker.StackFrame::getDeclaringClass).collect(Collectors.toList()));
		Collections.reverse(frames);
		return frames.stream()
			.filter((type) -> !type.isInterface() && type.getName().startsWith(ROOT))
			.map((type) -> type.getNestHost().getSimpleName())
			.filter((name) -> !name.contains("Tests") && !name.contains("Desk"))
			.distinct()
			.toList();
	}

	static class Desk {

		@RateLimited(name = "calls", key = "#user", limit = 10)
		public void call(String user) {
		}

	}

}
