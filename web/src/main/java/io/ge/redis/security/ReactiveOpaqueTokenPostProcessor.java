// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.security;

import java.util.function.Supplier;

import io.ge.redis.blacklist.TokenBlacklist;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.security.oauth2.server.resource.introspection.ReactiveOpaqueTokenIntrospector;

/**
 * Puts a {@link BlacklistReactiveOpaqueTokenIntrospector} around every
 * {@link ReactiveOpaqueTokenIntrospector} bean.
 */
public class ReactiveOpaqueTokenPostProcessor implements BeanPostProcessor {

	private final Supplier<@Nullable TokenBlacklist> blacklist;

	private final Supplier<OpaqueTokens> tokens;

	public ReactiveOpaqueTokenPostProcessor(Supplier<@Nullable TokenBlacklist> blacklist,
			Supplier<OpaqueTokens> tokens) {
		this.blacklist = blacklist;
		this.tokens = tokens;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		return (bean instanceof ReactiveOpaqueTokenIntrospector introspector
				&& !(bean instanceof BlacklistReactiveOpaqueTokenIntrospector))
						? new BlacklistReactiveOpaqueTokenIntrospector(introspector, this.blacklist, this.tokens)
						: bean;
	}

}
