// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.ArrayList;
import java.util.List;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches where {@code ge.redis.enabled} or the switch of one of the patterns is off.
 */
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@Conditional(ConditionalOnSwitchedOff.OnSwitchedOffCondition.class)
@interface ConditionalOnSwitchedOff {

	String[] value() default {};

	final class OnSwitchedOffCondition extends SpringBootCondition {

		@Override
		public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
			String[] patterns = metadata.getAnnotations().get(ConditionalOnSwitchedOff.class).getStringArray("value");
			List<String> off = switchedOff(context.getEnvironment(), patterns);
			ConditionMessage.Builder message = ConditionMessage.forCondition(ConditionalOnSwitchedOff.class);
			return off.isEmpty() ? ConditionOutcome.noMatch(message.because("nothing is switched off"))
					: ConditionOutcome.match(message.because("of " + off));
		}

		/**
		 * Returns the properties that are switched off: all but {@code true} is off, as
		 * for {@code @ConditionalOnBooleanProperty}.
		 */
		public static List<String> switchedOff(Environment environment, String... patterns) {
			List<String> properties = new ArrayList<>(List.of("ge.redis.enabled"));
			for (String pattern : patterns) {
				properties.add("ge.redis." + pattern + ".enabled");
			}
			properties.removeIf((property) -> "true".equalsIgnoreCase(environment.getProperty(property, "true")));
			return properties;
		}

	}

}
