// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.lang.annotation.Annotation;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.Supplier;

import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.RedisBackends;
import io.ge.redis.core.guard.GuardAdvisor;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.env.Environment;

/**
 * The Redis of a pattern: the one of {@code ge.redis.<pattern>.connection-factory}, else
 * the application's only or primary one. Beans are asked for when it is used.
 */
record PatternBackend(String pattern, BeanFactory beans) implements Supplier<RedisBackend> {

	@Override
	public RedisBackend get() {
		String property = "ge.redis." + this.pattern + ".connection-factory";
		return this.beans.getBean(RedisBackends.class)
			.get(property, this.beans.getBean(Environment.class).getProperty(property));
	}

	/**
	 * Returns an advisor whose pattern is made when a bean has one of the annotations.
	 */
	GuardAdvisor advisor(AdviceOrder order, IntFunction<GuardAdvisor> made,
			List<Class<? extends Annotation>> annotations) {
		return advisor(order.in(this.beans.getBean(Environment.class)), made, annotations);
	}

	GuardAdvisor advisor(int order, IntFunction<GuardAdvisor> made, List<Class<? extends Annotation>> annotations) {
		return GuardAdvisor.lazily(order, () -> made.apply(order), this::get, annotations);
	}

}
