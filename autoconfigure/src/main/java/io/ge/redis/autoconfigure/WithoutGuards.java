// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.test.context.TestPropertySource;

/**
 * Switches all guards off in the application context of a test, which then needs no
 * Redis: {@code ge.redis.enabled=false}. Annotated methods run unguarded, and injected
 * APIs permit everything, such as {@link io.ge.redis.ratelimit.RateLimiter#unguarded()}.
 * Beans of the application are used in their place.
 * <p>
 * Also for slices such as {@code @WebMvcTest}, which leave other auto-configurations out.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@TestPropertySource(properties = "ge.redis.enabled=false")
@ImportAutoConfiguration({ AopAutoConfiguration.class, GeRedisDisabledAutoConfiguration.class })
public @interface WithoutGuards {

}
