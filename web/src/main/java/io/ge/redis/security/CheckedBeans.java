// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.security;

import java.util.function.UnaryOperator;

import org.springframework.beans.factory.config.BeanPostProcessor;

/**
 * Wraps every bean of a type for which Spring Boot collects no validators, so that it
 * asks the blacklist.
 *
 * @param <T> the type of the beans
 */
public class CheckedBeans<T> implements BeanPostProcessor {

	private final Class<T> type;

	private final Class<? extends T> wrapper;

	private final UnaryOperator<T> wrap;

	public CheckedBeans(Class<T> type, Class<? extends T> wrapper, UnaryOperator<T> wrap) {
		this.type = type;
		this.wrapper = wrapper;
		this.wrap = wrap;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		return (this.type.isInstance(bean) && !this.wrapper.isInstance(bean)) ? this.wrap.apply(this.type.cast(bean))
				: bean;
	}

}
