// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure.application;

import java.util.function.Supplier;

import javax.sql.DataSource;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.idempotency.IdempotencyProperties;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeanWrapper;
import org.springframework.beans.PropertyAccessorFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * Finds the database of the transactions in which effects are: from the named transaction
 * manager, or from the only or primary one.
 */
public class RecordDatabase implements Supplier<@Nullable DataSource> {

	private static final String DATA_SOURCE = "dataSource";

	private final BeanFactory beans;

	private final ObjectProvider<PlatformTransactionManager> managers;

	private final ObjectProvider<IdempotencyProperties> properties;

	public RecordDatabase(BeanFactory beans, ObjectProvider<PlatformTransactionManager> managers,
			ObjectProvider<IdempotencyProperties> properties) {
		this.beans = beans;
		this.managers = managers;
		this.properties = properties;
	}

	@Override
	public @Nullable DataSource get() {
		String name = this.properties.getObject().transactionManager();
		if (name == null) {
			PlatformTransactionManager manager = this.managers.getIfUnique();
			return (manager != null) ? dataSource(manager) : null;
		}
		DataSource found = dataSource(named(name));
		if (found == null) {
			throw new GuardConfigurationException("ge.redis.idempotency.transaction-manager",
					"the transaction manager '" + name + "' has no DataSource.",
					"Name one that has, such as a JdbcTransactionManager or a JpaTransactionManager.");
		}
		return found;
	}

	private PlatformTransactionManager named(String name) {
		try {
			return this.beans.getBean(name, PlatformTransactionManager.class);
		}
		catch (NoSuchBeanDefinitionException ex) {
			throw new GuardConfigurationException("ge.redis.idempotency.transaction-manager",
					"there is no transaction manager '" + name + "'.", "Correct the name of the bean.", ex);
		}
	}

	// Managers for JDBC, JPA and Hibernate have this property, and no type in common
	private static @Nullable DataSource dataSource(PlatformTransactionManager manager) {
		BeanWrapper properties = PropertyAccessorFactory.forBeanPropertyAccess(manager);
		return (properties.isReadableProperty(DATA_SOURCE)
				&& properties.getPropertyValue(DATA_SOURCE) instanceof DataSource dataSource) ? dataSource : null;
	}

}
