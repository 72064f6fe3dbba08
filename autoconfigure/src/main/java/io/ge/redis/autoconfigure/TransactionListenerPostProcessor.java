/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.autoconfigure;

import java.util.ArrayList;
import java.util.Collection;
import java.util.function.Supplier;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionManager;

/**
 * Lets a listener hear of the transactions of every transaction manager bean, also of
 * those that the application makes itself, whenever they are made. Reactive ones have
 * listeners of their own, since their transactions are not bound to a thread: there only
 * {@code beforeBegin} is called where the transaction is subscribed to.
 */
class TransactionListenerPostProcessor implements BeanPostProcessor {

	private final Class<? extends TransactionManager> managers;

	private final Supplier<TransactionExecutionListener> listener;

	/**
	 * Creates a processor for those whose transactions are bound to threads.
	 */
	TransactionListenerPostProcessor(Supplier<TransactionExecutionListener> listener) {
		this(PlatformTransactionManager.class, listener);
	}

	/**
	 * Creates a processor.
	 * @param managers the kind of transaction managers
	 */
	TransactionListenerPostProcessor(Class<? extends TransactionManager> managers,
			Supplier<TransactionExecutionListener> listener) {
		this.managers = managers;
		this.listener = listener;
	}

	@Override
	public Object postProcessBeforeInitialization(Object bean, String beanName) {
		if (bean instanceof ConfigurableTransactionManager manager && this.managers.isInstance(bean)) {
			add(manager, this.listener.get());
		}
		return bean;
	}

	// The present collection may be an unmodifiable one
	private static void add(ConfigurableTransactionManager manager, TransactionExecutionListener listener) {
		Collection<TransactionExecutionListener> all = new ArrayList<>(manager.getTransactionExecutionListeners());
		if (!all.contains(listener)) {
			all.add(listener);
			manager.setTransactionExecutionListeners(all);
		}
	}

}
