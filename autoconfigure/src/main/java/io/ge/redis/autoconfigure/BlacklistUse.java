// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.ge.redis.blacklist.BlacklistCheck;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.core.guard.GuardedMethods;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.env.Environment;
import org.springframework.util.function.SingletonSupplier;

/**
 * Decides whether the application uses the blacklist. Spring Security checks no token and
 * needs no Redis before it does, since the starter alone must not change who is let in.
 */
final class BlacklistUse implements SmartInitializingSingleton {

	private static final Log logger = LogFactory.getLog(BlacklistUse.class);

	/**
	 * Beans that exist in any case. Spring Boot collects the first one by an
	 * {@code ObjectProvider}, which makes it no dependency.
	 */
	private static final List<String> USED_IF_INJECTED = List.of("geRedisBlacklistTokenValidator",
			"geRedisRefreshTokens", "geRedisBlacklistBackChannelLogoutHandler");

	private final ConfigurableListableBeanFactory beans;

	private final GuardedMethods methods;

	private final AtomicReference<@Nullable TokenBlacklist> used = new AtomicReference<>();

	private volatile @Nullable String declared;

	private volatile boolean started;

	public BlacklistUse(ConfigurableListableBeanFactory beans, GuardedMethods methods, Environment environment) {
		this.beans = beans;
		this.methods = methods;
		this.declared = PatternUse.findProperty(environment, "ge.redis.blacklist");
	}

	/**
	 * For post-processors, which are made before everything else.
	 */
	public static Supplier<@Nullable TokenBlacklist> blacklist(ObjectProvider<BlacklistUse> use) {
		SingletonSupplier<BlacklistUse> made = SingletonSupplier.of(use::getObject);
		return () -> made.obtain().blacklist();
	}

	public @Nullable TokenBlacklist blacklist() {
		TokenBlacklist known = this.used.get();
		return (known != null) ? known : find();
	}

	@Override
	public void afterSingletonsInstantiated() {
		if (this.declared == null) {
			this.declared = findAnnotated();
		}
		find();
		this.started = true;
	}

	private @Nullable TokenBlacklist find() {
		String declared = this.declared;
		String reason = (declared != null) ? declared : findInjected();
		if (reason == null) {
			return null;
		}
		TokenBlacklist blacklist = this.beans.getBean(TokenBlacklist.class);
		if (this.used.compareAndSet(null, blacklist)) {
			report(reason);
		}
		return blacklist;
	}

	private void report(String reason) {
		if (!this.started) {
			logger.info("Tokens are checked against the blacklist, because " + reason);
			return;
		}
		logger.warn("Tokens are checked against the blacklist from now on only, because " + reason
				+ ". Set ge.redis.blacklist.enabled=true to have them checked from the start by every instance");
	}

	private @Nullable String findAnnotated() {
		for (GuardedMethods.Entry entry : this.methods.all()) {
			if (entry.guard().annotation().equals(BlacklistCheck.class.getSimpleName())) {
				return entry.method() + " is annotated with @BlacklistCheck";
			}
		}
		return null;
	}

	// The TokenBlacklist is lazy, so an existing one was injected
	private @Nullable String findInjected() {
		for (String name : this.beans.getBeanNamesForType(TokenBlacklist.class, true, false)) {
			if (this.beans.containsSingleton(name)) {
				String user = findUser(name);
				return (user != null) ? user : "a TokenBlacklist was asked for";
			}
		}
		for (String name : USED_IF_INJECTED) {
			String user = findUser(name);
			if (user != null) {
				return user;
			}
		}
		return null;
	}

	private @Nullable String findUser(String name) {
		String[] users = this.beans.getDependentBeans(name);
		return (users.length > 0) ? "'" + name + "' is injected into '" + users[0] + "'" : null;
	}

}
