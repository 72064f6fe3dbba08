// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.fault;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * A test that turns a protection off, to show that the scenario which rests on it finds
 * what happens then. Not part of every build, since it takes as long as the scenarios do:
 * {@code -Dge.test.sabotage=true} adds it.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@EnabledIfSystemProperty(named = FaultRun.SABOTAGE, matches = "true",
		disabledReason = "-Dge.test.sabotage=true adds it")
public @interface ProtectionOff {

}
