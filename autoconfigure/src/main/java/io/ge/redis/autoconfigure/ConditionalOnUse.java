// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.util.Assert;

/**
 * Matches where the application {@linkplain PatternUse uses} a pattern, such as
 * {@code rate-limit}, or any if none is named. Ahead of time it always does: properties
 * may be set when the application runs.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Conditional(ConditionalOnUse.OnUseCondition.class)
@interface ConditionalOnUse {

	String value() default "";

	final class OnUseCondition extends SpringBootCondition implements ConfigurationCondition {

		@Override
		public ConfigurationPhase getConfigurationPhase() {
			return ConfigurationPhase.REGISTER_BEAN;
		}

		@Override
		public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
			String pattern = metadata.getAnnotations().get(ConditionalOnUse.class).getString("value");
			ConditionMessage.Builder message = ConditionMessage.forCondition(ConditionalOnUse.class, pattern);
			if (Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING)) {
				return ConditionOutcome.match(message.because("properties may be set at run time"));
			}
			Assert.state(context.getBeanFactory() != null, "There is no bean factory");
			String reason = PatternUse.find(context.getEnvironment(), context.getBeanFactory(), pattern);
			return (reason != null) ? ConditionOutcome.match(message.because(reason))
					: ConditionOutcome.noMatch(message.because("nothing uses it"));
		}

	}

}
