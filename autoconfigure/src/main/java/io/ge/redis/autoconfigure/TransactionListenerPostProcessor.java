// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collection;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

import io.ge.redis.core.transaction.TransactionObserver;
import org.jspecify.annotations.Nullable;

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
class TransactionListenerPostProcessor implements BeanPostProcessor {

	private final ObjectProvider<TransactionObserver> observers;

	private final BooleanSupplier used;

	/** Weak, since there may be one for each tenant. */
	private final Collection<WeakReference<ConfigurableTransactionManager>> managers = new ConcurrentLinkedQueue<>();

	private final Collection<TransactionObserver> made = new ConcurrentLinkedQueue<>();

	/**
	 * Creates the post-processor.
	 * @param used whether the application uses the library; else no observer is made for
	 * a transaction manager
	 */
	public TransactionListenerPostProcessor(ObjectProvider<TransactionObserver> observers, BooleanSupplier used) {
		this.observers = observers;
		this.used = used;
	}

	@Override
	public Object postProcessBeforeInitialization(Object bean, String beanName) {
		if (bean instanceof TransactionObserver observer) {
			this.made.add(observer);
			this.managers.forEach((known) -> add(known.get(), observer));
		}
		if (bean instanceof ConfigurableTransactionManager manager) {
			this.managers.removeIf((known) -> known.get() == null);
			this.managers.add(new WeakReference<>(manager));
			Stream<TransactionObserver> all = this.used.getAsBoolean() ? this.observers.orderedStream()
					: this.made.stream();
			all.forEach((observer) -> add(manager, observer));
		}
		return bean;
	}

	private static void add(@Nullable ConfigurableTransactionManager manager, TransactionObserver observer) {
		if (manager instanceof PlatformTransactionManager) {
			add(manager, observer.transactionListener());
		}
		if (manager instanceof ReactiveTransactionManager) {
			add(manager, observer.reactiveTransactionListener());
		}
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
