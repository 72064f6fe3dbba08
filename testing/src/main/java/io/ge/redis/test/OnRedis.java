// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Runs a test class on a Redis that starts empty before each test, and fails a test that
 * leaves a key without TTL. A parameter of type {@link RedisFixture} receives the Redis.
 * A target that needs Docker is skipped by name where there is none.
 * <p>
 * A contract is written once and runs on many targets:
 *
 * <pre class="code">
 * class RateLimiterIntegrationTests {
 *
 *     &#64;Nested
 *     &#64;OnRedis(RedisTarget.STANDALONE)
 *     class OnStandalone extends RateLimiterContract {
 *     }
 *
 *     &#64;Nested
 *     &#64;OnRedis(RedisTarget.CLUSTER)
 *     class OnCluster extends RateLimiterContract {
 *     }
 *
 * }
 *
 * abstract class RateLimiterContract {
 *
 *     &#64;BeforeEach
 *     void setUp(RedisFixture redis) {
 *     }
 *
 * }
 * </pre>
 *
 * The nested classes run side by side, each on its target, and their tests one after the
 * other. Nested classes rather than parameterized ones, because build reports merge the
 * invocations of a parameterized class into one result per method.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(OnRedisExtension.class)
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(providers = OnRedisLocks.class)
public @interface OnRedis {

	/**
	 * The Redis to run on.
	 * @return the target
	 */
	RedisTarget value() default RedisTarget.STANDALONE;

	/**
	 * Whether the tests may leave those keys without TTL that
	 * {@code docs/architecture.md} lists.
	 * @return {@code false} by default
	 */
	boolean permanentKeys() default false;

}
