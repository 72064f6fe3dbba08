// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.util.List;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Does what {@link OnRedis} promises.
 */
class OnRedisExtension implements ExecutionCondition, BeforeEachCallback, AfterEachCallback, ParameterResolver {

	@Override
	public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
		RedisTarget target = annotation(context).value();
		if (target != RedisTarget.STANDALONE && !Wide.RUN) {
			throw new IllegalStateException(context.getDisplayName() + " runs on " + target + ": make it @Wide");
		}
		String obstacle = target.obstacle();
		return (obstacle != null) ? ConditionEvaluationResult.disabled(obstacle)
				: ConditionEvaluationResult.enabled("the servers can be started here");
	}

	@Override
	public void beforeEach(ExtensionContext context) {
		redis(context).flushAll();
	}

	@Override
	public void afterEach(ExtensionContext context) {
		List<String> permanent = redis(context).keysWithoutTtl();
		if (annotation(context).permanentKeys()) {
			// Others look for what is permanent
			redis(context).flushAll();
			permanent.removeIf(PermanentKeys::isListed);
		}
		if (context.getExecutionException().isEmpty()) {
			assertThat(permanent).as("keys without TTL that docs/architecture.md does not list").isEmpty();
		}
	}

	@Override
	public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
		return parameter.getParameter().getType() == RedisFixture.class;
	}

	@Override
	public RedisFixture resolveParameter(ParameterContext parameter, ExtensionContext context) {
		return redis(context);
	}

	private static RedisFixture redis(ExtensionContext context) {
		return annotation(context).value().shared();
	}

	private static OnRedis annotation(ExtensionContext context) {
		return AnnotationSupport.findAnnotation(context.getRequiredTestClass(), OnRedis.class).orElseThrow();
	}

}
