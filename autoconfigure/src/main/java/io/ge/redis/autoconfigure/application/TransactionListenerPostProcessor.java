/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.autoconfigure.application;

import java.util.ArrayList;
import java.util.Collection;

import io.ge.redis.core.transaction.TransactionObserver;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Lets patterns observe every transaction manager bean, whenever it is made. Reactive
 * ones have listeners of their own, since their transactions are not bound to a thread:
 * there only {@code beforeBegin} is called where the transaction is subscribed to.
 */
public class TransactionListenerPostProcessor implements BeanPostProcessor {

	private final ObjectProvider<TransactionObserver> observers;

	public TransactionListenerPostProcessor(ObjectProvider<TransactionObserver> observers) {
		this.observers = observers;
	}

	@Override
	public Object postProcessBeforeInitialization(Object bean, String beanName) {
		if (bean instanceof ConfigurableTransactionManager manager) {
			for (TransactionObserver observer : this.observers.orderedStream().toList()) {
				if (bean instanceof PlatformTransactionManager) {
					add(manager, observer.transactionListener());
				}
				if (bean instanceof ReactiveTransactionManager) {
					add(manager, observer.reactiveTransactionListener());
				}
			}
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
