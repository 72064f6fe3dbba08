// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import io.ge.redis.core.transaction.TransactionObserver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionExecutionListener;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every transaction manager is observed, in whatever order beans are made.
 */
class TransactionListenerPostProcessorTests {

	private final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();

	@ParameterizedTest
	@CsvSource({ "manager, observer, true", "observer, manager, true", "manager, observer, false",
			"observer, manager, false" })
	void managerIsObservedInEitherOrder(String first, String second, boolean used) {
		this.beans.registerBeanDefinition("observer", new RootBeanDefinition(Observer.class));
		RootBeanDefinition manager = new RootBeanDefinition(Manager.class);
		this.beans.registerBeanDefinition("manager", manager);
		this.beans.addBeanPostProcessor(new TransactionListenerPostProcessor(
				this.beans.getBeanProvider(TransactionObserver.class), () -> used));
		this.beans.getBean(first);
		this.beans.getBean(second);
		assertThat(this.beans.getBean(DataSourceTransactionManager.class).getTransactionExecutionListeners())
			.containsExactly(this.beans.getBean(Observer.class).transactionListener());
	}

	// References to it are weak, and must last as long as it does
	@Test
	void managerIsKnownAfterAGarbageCollection() {
		TransactionListenerPostProcessor processor = new TransactionListenerPostProcessor(
				this.beans.getBeanProvider(TransactionObserver.class), () -> false);
		Manager manager = new Manager();
		processor.postProcessBeforeInitialization(manager, "manager");
		System.gc();
		Observer observer = new Observer();
		processor.postProcessBeforeInitialization(observer, "observer");
		assertThat(manager.getTransactionExecutionListeners()).containsExactly(observer.transactionListener());
	}

	static final class Manager extends DataSourceTransactionManager {

		@Override
		public void afterPropertiesSet() {
		}

	}

	static final class Observer implements TransactionObserver {

		private final TransactionExecutionListener listener = new TransactionExecutionListener() {
		};

		@Override
		public TransactionExecutionListener transactionListener() {
			return this.listener;
		}

		@Override
		public TransactionExecutionListener reactiveTransactionListener() {
			return this.listener;
		}

	}

}
