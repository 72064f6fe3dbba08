/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Adds a listener to every transaction manager that takes one. Boot does so for its own
 * managers only.
 */
class TransactionListenerRegistrar implements BeanPostProcessor {

	private final Supplier<TransactionExecutionListener> listener;

	TransactionListenerRegistrar(Supplier<TransactionExecutionListener> listener) {
		this.listener = listener;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof PlatformTransactionManager && bean instanceof ConfigurableTransactionManager manager) {
			List<TransactionExecutionListener> listeners = new ArrayList<>(manager.getTransactionExecutionListeners());
			listeners.add(this.listener.get());
			manager.setTransactionExecutionListeners(listeners);
		}
		return bean;
	}

}
