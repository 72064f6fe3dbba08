// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.BiFunction;
import java.util.function.Supplier;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.OutageCause;
import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.connection.DaemonThreads;
import io.ge.redis.core.connection.GuardConnections;
import io.ge.redis.core.outage.OutageListener;
import io.ge.redis.core.outage.OutageSettings;
import io.ge.redis.core.script.ScriptListener;
import io.lettuce.core.SslOptions;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanNotOfRequiredTypeException;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.StringUtils;

/**
 * Makes the guards' view of a Redis from one of the application's connection factories.
 */
class RedisBackendFactory implements BiFunction<String, @Nullable String, Supplier<RedisBackend>>, AutoCloseable {

	private static final List<String> FACTORIES_OF_BOOT = List.of("redisConnectionFactory",
			"redisConnectionFactoryVirtualThreads");

	private final ListableBeanFactory beans;

	private final String prefix;

	private final @Nullable String application;

	private final OutageSettings outage;

	private final ObjectProvider<ScriptListener> scriptListeners;

	private final ObjectProvider<OutageListener> outageListeners;

	private final String instanceId = randomId();

	private final ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(2,
			DaemonThreads.named("ge-redis-watch"));

	public RedisBackendFactory(ListableBeanFactory beans, String prefix, @Nullable String application,
			OutageSettings outage, ObjectProvider<ScriptListener> scriptListeners,
			ObjectProvider<OutageListener> outageListeners) {
		this.beans = beans;
		this.prefix = prefix;
		this.application = StringUtils.hasText(application) ? application : null;
		this.outage = outage;
		this.scriptListeners = scriptListeners;
		this.outageListeners = outageListeners;
	}

	@Override
	public Supplier<RedisBackend> apply(String property, @Nullable String factoryName) {
		RedisConnectionFactory factory = (factoryName != null) ? named(property, factoryName) : only(property);
		List<ScriptListener> scripts = this.scriptListeners.orderedStream().toList();
		Listeners listeners = new Listeners(this.outageListeners.orderedStream().toList());
		return () -> new RedisBackend((factoryName != null) ? factoryName : "default", this.prefix, this.application,
				this.instanceId, GuardConnections.from(factory, () -> isOfBoot(factory) ? certificates() : null),
				this.outage, this.scheduler,
				(script, nanos, failure) -> scripts.forEach((listener) -> listener.onExecuted(script, nanos, failure)),
				listeners);
	}

	// Others may have certificates of their own
	private boolean isOfBoot(RedisConnectionFactory factory) {
		return FACTORIES_OF_BOOT.stream()
			.anyMatch((name) -> this.beans.containsBean(name) && this.beans.getBean(name) == factory);
	}

	private @Nullable SslOptions certificates() {
		DataRedisConnectionDetails servers = this.beans.getBeanProvider(DataRedisConnectionDetails.class)
			.getIfAvailable();
		SslBundle bundle = (servers != null) ? servers.getSslBundle() : null;
		if (bundle == null) {
			return null;
		}
		SslOptions.Builder certificates = SslOptions.builder()
			.keyManager(bundle.getManagers().getKeyManagerFactory())
			.trustManager(bundle.getManagers().getTrustManagerFactory());
		String[] ciphers = bundle.getOptions().getCiphers();
		if (ciphers != null) {
			certificates.cipherSuites(ciphers);
		}
		String[] protocols = bundle.getOptions().getEnabledProtocols();
		if (protocols != null) {
			certificates.protocols(protocols);
		}
		return certificates.build();
	}

	private RedisConnectionFactory named(String property, String name) {
		try {
			return this.beans.getBean(name, RedisConnectionFactory.class);
		}
		catch (NoSuchBeanDefinitionException ex) {
			throw unusable(property, name, "there is no RedisConnectionFactory bean of that name.", ex);
		}
		catch (BeanNotOfRequiredTypeException ex) {
			throw unusable(property, name,
					"the bean of that name is a " + ex.getActualType().getName() + ", no RedisConnectionFactory.", ex);
		}
	}

	private GuardConfigurationException unusable(String property, String name, String problem, BeansException cause) {
		return new GuardConfigurationException(property + " = " + name, problem, "Such beans are: "
				+ String.join(", ", this.beans.getBeanNamesForType(RedisConnectionFactory.class)) + ".", cause);
	}

	private RedisConnectionFactory only(String property) {
		try {
			return this.beans.getBean(RedisConnectionFactory.class);
		}
		catch (NoUniqueBeanDefinitionException ex) {
			throw new GuardConfigurationException("GE Redis",
					"there are several RedisConnectionFactory beans and none is primary: "
							+ String.join(", ", this.beans.getBeanNamesForType(RedisConnectionFactory.class)) + ".",
					"Mark one as @Primary, or name one by " + property + ".", ex);
		}
		catch (NoSuchBeanDefinitionException ex) {
			throw new GuardConfigurationException("GE Redis", "there is no RedisConnectionFactory bean.",
					"Set spring.data.redis.host, or define one, or set ge.redis.enabled=false.", ex);
		}
	}

	private static String randomId() {
		byte[] random = new byte[8];
		new SecureRandom().nextBytes(random);
		return HexFormat.of().formatHex(random);
	}

	@Override
	public void close() {
		this.scheduler.shutdownNow();
	}

	private record Listeners(List<OutageListener> listeners) implements OutageListener {

		@Override
		public void onFailure(String pattern, OutageCause cause) {
			this.listeners.forEach((listener) -> listener.onFailure(pattern, cause));
		}

		@Override
		public void onTransition(String breaker, boolean open) {
			this.listeners.forEach((listener) -> listener.onTransition(breaker, open));
		}

	}

}
